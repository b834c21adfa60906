// A program's text in sections: each begins with a line that says what it holds.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

// The line, and `text` behind it; nothing for no text.
std::string section(const std::string &title, const std::string &text);
// The same of functions: an empty line between them, long heads with an argument a line.
std::string function_section(const std::string &title, const std::string &functions);

// The section of a file of kernels/, "fem/load_cell".
std::string kernel_file(const std::string &name);

// Whether a text has `name` as a word of its own.
bool mentions(const std::string &text, const std::string &name);

// "base + number"; the base alone for 0.
std::string text_plus(const std::string &base, long long number);
// "name * number"; the name alone for 1.
std::string text_times(const std::string &name, long long number);
// "name * factor + number"
std::string affine_text(const std::string &name, long long factor, long long number);
// "base + number * WEFT_LANES"
std::string lanes_past(const std::string &base, long long number);

// Macros that a program's text defines: constants and what stands for them.
class Constants {
public:
  template <typename Value> void define(const std::string &name, const Value &value) {
    if constexpr (std::is_arithmetic_v<Value>)
      macros_.emplace_back(name, std::to_string(value));
    else
      macros_.emplace_back(name, value);
  }
  void add(const Constants &others) {
    macros_.insert(macros_.end(), others.macros_.begin(), others.macros_.end());
  }
  // The section of those that `program` reads, by itself or through others of them.
  std::string text_for(const std::string &program) const;

private:
  std::vector<std::pair<std::string, std::string>> macros_; // name with parameters, value
};

} // namespace weft
