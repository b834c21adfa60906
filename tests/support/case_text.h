// Cases written to a folder of the test's own, and the error that reading one gives.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/error.h"
#include "case/case.h"

namespace weft {

class CaseFolder {
public:
  CaseFolder() {
    folder_ = std::filesystem::temp_directory_path() /
              ("weft_case_" + std::to_string(getpid()) + "_" + std::to_string(counter()++));
    std::filesystem::create_directories(folder_);
  }
  ~CaseFolder() { std::filesystem::remove_all(folder_); }
  CaseFolder(const CaseFolder &) = delete;
  CaseFolder &operator=(const CaseFolder &) = delete;

  std::string write(const std::string &name, const std::string &text) const {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string path(const std::string &name) const { return (folder_ / name).string(); }

private:
  static int &counter() {
    static int value = 0;
    return value;
  }
  std::filesystem::path folder_;
};

// Seven lines that make a complete case; tests append to them.
inline const std::string small_case = R"toml([mesh]
box = { cells = [2, 2] }
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "inner(grad(T), grad(test(T)))"
facets.x0 = "T*test(T)"
)toml";

// Twelve lines that make a conservation law of a scalar and a vector.
inline const std::string small_law = R"toml([mesh]
box = { cells = [2, 2] }
[fields]
p = { element = "DG3" }
v = { element = "DG3", shape = "vector" }
[conservation_law]
flux.p = "v"
flux.v = "p*identity"
wave_speed = 1
[time]
end = 1.0
cfl = 0.5
)toml";

inline Case read_text(const std::string &text, const std::vector<std::string> &overrides = {},
                      bool trust = false) {
  const CaseFolder folder;
  return read_case(folder.write("case.toml", text), overrides, trust);
}

// The error of reading `text`; fails the test when there is none.
inline Error error_of(const std::string &text, const std::vector<std::string> &overrides = {}) {
  try {
    read_text(text, overrides);
  } catch (const Error &e) {
    return e;
  }
  ADD_FAILURE() << "no error from:\n" << text;
  return Error(ErrorKind::invariant, {.what = "no error"});
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace weft
