#include "kernel/text/sections.h"

#include <cctype>
#include <sstream>

#include "base/embedded.h"

namespace weft {

std::string section(const std::string &title, const std::string &text) {
  return text.empty() ? "" : "\n// ==== " + title + "\n" + text;
}

namespace {

// "WEFT_FUNCTION void f(a, b) {" with a line for each argument, where one is too short for all.
std::string function_head(const std::string &line) {
  constexpr std::size_t most_columns = 100;
  const std::size_t open = line.find('('), close = line.find(')');
  if (line.size() <= most_columns || line.compare(0, 14, "WEFT_FUNCTION ") != 0)
    return line;
  std::string text = line.substr(0, open + 1) + "\n    ";
  for (std::size_t at = open + 1; at < close; ++at)
    if (line.compare(at, 2, ", ") == 0) {
      text += ",\n    ";
      ++at;
    } else {
      text += line[at];
    }
  return text + line.substr(close);
}

} // namespace

std::string function_section(const std::string &title, const std::string &functions) {
  std::string text;
  std::istringstream lines(functions);
  for (std::string line; std::getline(lines, line);) {
    text += function_head(line) + "\n";
    if (line[0] == '}' && lines.peek() != std::istringstream::traits_type::eof())
      text += "\n";
  }
  return section(title, text);
}

std::string kernel_file(const std::string &name) {
  return section("kernel file " + name, embedded_text("kernels/" + name + ".kernel"));
}

bool mentions(const std::string &text, const std::string &name) {
  const auto is_of_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !is_of_word(at - 1)) && !is_of_word(at + name.size()))
      return true;
  return false;
}

std::string text_plus(const std::string &base, long long number) {
  return number == 0 ? base : base + " + " + std::to_string(number);
}

std::string text_times(const std::string &name, long long number) {
  return number == 1 ? name : name + " * " + std::to_string(number);
}

std::string affine_text(const std::string &name, long long factor, long long number) {
  return text_plus(text_times(name, factor), number);
}

std::string lanes_past(const std::string &base, long long number) {
  return number == 0   ? base
         : number == 1 ? base + " + WEFT_LANES"
                       : base + " + " + std::to_string(number) + " * WEFT_LANES";
}

std::string Constants::text_for(const std::string &program) const {
  std::vector<std::string> lines(macros_.size()); // of those that are read
  std::string readers = program;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < macros_.size(); ++i) {
      const auto &[name, value] = macros_[i];
      if (!lines[i].empty() || !mentions(readers, name.substr(0, name.find('('))))
        continue;
      lines[i] = "#define " + name + (value.empty() ? "" : " " + value) + "\n";
      readers += value + "\n";
      found = true;
    }
  }
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return section("constants", text);
}

} // namespace weft
