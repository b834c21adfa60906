#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "device/opencl/pocl_binaries.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// PoCL's files of a program with one kernel that was launched in two shapes, and one that was not.
struct PoclBinaries : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("weft_pocl_" + std::to_string(getpid()));
  fs::path program = folder / "AB" / "CDEF";

  PoclBinaries() {
    for (const char *shape : {"64-1-1-goffs0", "64-1-1-goffs0-smallgrid"}) {
      fs::create_directories(program / "launched" / shape);
      std::ofstream(program / "launched" / shape / "launched.so") << shape;
    }
    fs::create_directories(program / "other");
  }
  ~PoclBinaries() override { fs::remove_all(folder); }

  std::string any_size(const std::string &kernel) const {
    std::ifstream file(program / kernel / "0-0-0" / (kernel + ".so"));
    std::string text;
    std::getline(file, text);
    return text;
  }
};

TEST_F(PoclBinaries, AFunctionThatWasLaunchedStandsInForAnySize) {
  stand_in_for_any_size(folder, {{"launched", 64, false}});
  EXPECT_EQ(any_size("launched"), "64-1-1-goffs0-smallgrid");
}

TEST_F(PoclBinaries, WhatPoclCompiledStays) {
  fs::create_directories(program / "launched" / "0-0-0");
  std::ofstream(program / "launched" / "0-0-0" / "launched.so") << "of any size";
  stand_in_for_any_size(folder, {{"launched", 64, true}});
  EXPECT_EQ(any_size("launched"), "of any size");
}

TEST_F(PoclBinaries, WhatIsNotWhereItShouldBeIsLeftToPocl) {
  stand_in_for_any_size(folder, {{"launched", 32, false}, {"other", 64, false}, {"none", 1, true}});
  EXPECT_FALSE(fs::exists(program / "launched" / "0-0-0"));
  EXPECT_FALSE(fs::exists(program / "other" / "0-0-0"));
  EXPECT_FALSE(fs::exists(program / "none"));
  stand_in_for_any_size(folder / "none", {{"launched", 64, false}});
  stand_in_for_any_size({}, {{"launched", 64, false}});
}

} // namespace
} // namespace weft
