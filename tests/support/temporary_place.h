// A folder and environment variables of a test's own, put back afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {

class PlaceTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft-place-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    for (const auto &[name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    std::filesystem::remove_all(folder_);
  }

  void set_variable(const std::string &name, const char *value) {
    const char *old = std::getenv(name.c_str());
    before_.emplace(name, old ? std::optional<std::string>(old) : std::nullopt);
    value ? setenv(name.c_str(), value, 1) : unsetenv(name.c_str());
  }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  // The message of the error that `body` must throw, of that kind.
  template <typename Body> static std::string error_of(ErrorKind kind, const Body &body) {
    try {
      body();
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  std::filesystem::path folder_;

private:
  std::map<std::string, std::optional<std::string>> before_;
};

} // namespace weft
