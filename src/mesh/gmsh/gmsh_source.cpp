#include "mesh/gmsh/gmsh_source.h"

#include <algorithm>

#include "base/error.h"
#include "base/system/input_file.h"

namespace weft {

namespace {

const char *const save_again = "write the mesh again (gmsh -3 part.geo -o part.msh -format msh41)";

} // namespace

GmshSource::GmshSource(const std::string &path)
    : GmshSource(path, read_input_file(path, {"mesh file", "a Gmsh file (.msh)"}), 0) {}

GmshSource::GmshSource(std::string path, HostArray<char> bytes, std::size_t begin)
    : path_(std::move(path)), bytes_(std::move(bytes)), size_(bytes_.size()), position_(begin) {}

std::int64_t GmshSource::checked_count(std::int64_t count, std::int64_t binary_bytes,
                                       std::int64_t ascii_numbers, const char *what) const {
  // A number in ASCII takes a digit and what parts it from the next.
  const std::int64_t each = std::max<std::int64_t>(binary_ ? binary_bytes : 2 * ascii_numbers, 1);
  const std::int64_t most = static_cast<std::int64_t>(size_ - position_ + 1) / each;
  if (count < 0 || count > most)
    fail(std::string("The ") + what + " cannot be right.", std::to_string(count),
         "0 to " + std::to_string(most) + ", what the rest of the file can hold");
  return count;
}

std::string_view GmshSource::peek_line() const {
  const char *begin = bytes_.data() + position_;
  const char *end = std::find(begin, static_cast<const char *>(bytes_.data() + size_), '\n');
  if (end > begin && end[-1] == '\r')
    --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view GmshSource::line() {
  const std::string_view text = peek_line();
  position_ += text.size();
  for (const char end : {'\r', '\n'})
    if (position_ < size_ && bytes_[position_] == end)
      ++position_;
  return text;
}

void GmshSource::skip_line_starting_with(std::string_view text) {
  if (peek_line().starts_with(text))
    line();
}

std::string GmshSource::next_section() {
  while (!at_end()) {
    std::string_view text = line();
    if (!text.empty() && text.front() == '$') {
      text.remove_prefix(1);
      return std::string(text.substr(0, text.find_last_not_of(" \t") + 1));
    }
  }
  return "";
}

std::string GmshSource::next_word() const {
  std::size_t end = position_;
  while (end < size_ && end - position_ < 24 && static_cast<unsigned char>(bytes_[end]) > ' ')
    ++end;
  std::string word(bytes_.data() + position_, end - position_);
  const bool printable =
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return c < 127; });
  return printable ? word : "binary data";
}

void GmshSource::end_section(const std::string &section) {
  skip_space();
  const std::string end = "$End" + section;
  const std::string_view rest(bytes_.data() + position_, size_ - position_);
  if (!rest.starts_with(end))
    fail("The section $" + section + " does not end where it should.",
         rest.empty() ? "the end of the file" : next_word(), end);
  line();
}

void GmshSource::skip_section(const std::string &section) {
  const std::string end = "$End" + section;
  const std::string_view rest(bytes_.data() + position_, size_ - position_);
  const auto found = rest.find(end);
  if (found == std::string_view::npos)
    fail("The section $" + section + " has no end.", "the end of the file", end);
  position_ += found;
  line();
}

std::string GmshSource::where() const {
  if (binary_)
    return path_ + ", byte " + std::to_string(position_);
  const auto lines = std::count(bytes_.data(), bytes_.data() + position_, '\n');
  return path_ + ":" + std::to_string(lines + 1);
}

void GmshSource::fail(const std::string &what, const std::string &found,
                      const std::string &allowed) const {
  throw Error(ErrorKind::input, {what, where(), found, allowed, save_again});
}

void GmshSource::fail_number(const char *what) const {
  const bool ended = binary_ || at_end();
  fail(std::string("The mesh file ") + (ended ? "ends" : "is damaged") + " at a " + what + ".",
       ended ? "the end of the file" : next_word(), "a number");
}

} // namespace weft
