#include "base/embedded.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/embedded_files.h"
#include "base/error.h"

namespace weft {

namespace {

namespace fs = std::filesystem;

struct Override {
  const char *variable;
  std::string root; // what the directory stands for
};
const Override overrides[] = {{"WEFT_KERNEL_DIR", "kernels/"}, {"WEFT_PHYSICS_DIR", "physics/"}};

// The directory to read `path` from in place of the binary.
std::optional<std::pair<fs::path, std::string>> overriding_directory(const std::string &path) {
  for (const Override &o : overrides)
    if (const char *directory = std::getenv(o.variable);
        directory && *directory && path.starts_with(o.root))
      return std::pair{fs::path(directory), o.root};
  return std::nullopt;
}

bool is_text_file(const fs::directory_entry &entry) {
  const std::string name = entry.path().filename().string();
  return entry.is_regular_file() && entry.path().extension() != ".md" && !name.starts_with(".");
}

} // namespace

std::string embedded_text(const std::string &path) {
  if (const auto over = overriding_directory(path)) {
    const fs::path file = over->first / path.substr(over->second.size());
    std::ifstream in(file, std::ios::binary);
    if (!in)
      throw Error(ErrorKind::input, {.what = "cannot read a file that comes with Weft",
                                     .where = file.string(),
                                     .remedy = "unset WEFT_KERNEL_DIR and WEFT_PHYSICS_DIR, or let "
                                               "them name complete directories"});
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  for (const EmbeddedFile &file : embedded_files())
    if (file.path == path)
      return std::string(file.text);
  throw Error(ErrorKind::invariant, {.what = "no such file in the binary", .found = path});
}

std::vector<std::string> embedded_names(const std::string &prefix) {
  std::vector<std::string> names;
  if (const auto over = overriding_directory(prefix)) {
    const auto &[directory, root] = *over;
    std::error_code ignored; // a missing directory has no names
    for (const auto &entry : fs::recursive_directory_iterator(directory, ignored))
      if (is_text_file(entry))
        names.push_back(root + entry.path().lexically_relative(directory).generic_string());
    std::erase_if(names, [&](const std::string &name) { return !name.starts_with(prefix); });
  } else {
    for (const EmbeddedFile &file : embedded_files())
      if (file.path.starts_with(prefix))
        names.emplace_back(file.path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace weft
