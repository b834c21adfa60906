// A piece of mathematics as the user wrote it, with its place for error messages.
#pragma once

#include <string>

namespace weft {

struct SourceText {
  std::string text;
  std::string file; // path of the case or physics file
  int line = 0;     // of the value in that file, 1-based; 0 when it has none
  std::string key;  // "[weak_form] cells.all"

  // "case.toml:12: [weak_form] cells.all"
  std::string where() const {
    return line > 0 ? file + ":" + std::to_string(line) + ": " + key
                    : (file.empty() ? key : file + ": " + key);
  }
};

} // namespace weft
