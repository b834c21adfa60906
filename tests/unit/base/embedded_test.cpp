#include "base/embedded.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "base/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Embedded, HoldsTheFilesOfTheSourceTree) {
  const fs::path root = WEFT_SOURCE_DIR;
  for (const char *directory : {"kernels/", "physics/"}) {
    const std::vector<std::string> names = embedded_names(directory);
    EXPECT_FALSE(names.empty()) << directory;
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
    for (const std::string &name : names)
      EXPECT_TRUE(embedded_text(name) == read_file(root / name)) << name << " differs";
  }
  EXPECT_TRUE(embedded_names("kernels/no/such/").empty());
  EXPECT_THROW(embedded_text("kernels/no_such_file"), Error);
}

TEST(Embedded, ADirectoryMayStandForTheKernels) {
  std::string pattern = (fs::temp_directory_path() / "weft-embedded-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path directory = pattern;
  fs::create_directories(directory / "dialect");
  std::ofstream(directory / "dialect" / "opencl.h") << "edited";
  std::ofstream(directory / "README.md") << "not a kernel";
  setenv("WEFT_KERNEL_DIR", directory.c_str(), 1);
  EXPECT_EQ(embedded_text("kernels/dialect/opencl.h"), "edited");
  EXPECT_EQ(embedded_names("kernels/"), std::vector<std::string>{"kernels/dialect/opencl.h"});
  EXPECT_THROW(embedded_text("kernels/dialect/cuda.h"), Error);
  EXPECT_FALSE(embedded_names("physics/").empty());
  unsetenv("WEFT_KERNEL_DIR");
  fs::remove_all(directory);
}

} // namespace
} // namespace weft
