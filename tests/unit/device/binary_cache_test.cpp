#include "device/binary_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "device/device.h"
#include "device/dialect.h"
#include "device/host/host_device.h"
#include "device/open/open_device.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// A cache of its own for each test.
class Cache : public testing::Test {
protected:
  // PoCL's scratch files stay outside: it is told of their place once a process. It is not asked to
  // keep kernels itself.
  static void SetUpTestSuite() {
    unsetenv("POCL_CACHE_DIR");
    list_devices();
  }

  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "weft-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    if (const char *before = std::getenv("XDG_CACHE_HOME"))
      before_ = before;
    setenv("XDG_CACHE_HOME", directory_.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("XDG_CACHE_HOME");
    else
      setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    fs::remove_all(directory_);
  }

  // The value a kernel writes that was made to write `value`.
  static double run(const std::string &backend, int value) {
    const auto device = backend == "host" ? open_host_device() : open_device(backend);
    const Program program = device->build(
        {"write_value",
         "#define WEFT_LANES 1\n#define WEFT_REAL_F64\n" + dialect_text(backend) +
             fmt::format("WEFT_KERNEL(write_value, WEFT_GLOBAL real *out) {{ out[0] = {}; }}",
                         value),
         {"write_value"}});
    const Buffer out = device->allocate(sizeof(double), "result");
    device->launch(program, "write_value", {}, {out});
    double result = 0;
    device->read(out, &result, sizeof result);
    return result;
  }
  // The largest entry: the binary, not the note that a text compiles.
  static fs::path binary_path() {
    fs::path path;
    std::uint64_t bytes = 0;
    for (const CacheEntry &entry : BinaryCache().entries())
      if (entry.bytes > bytes) {
        bytes = entry.bytes;
        path = entry.path;
      }
    return path;
  }

  fs::path directory_;
  std::string before_;
};

// The entry of one text is put in another's place: its result shows where the binary came from.
TEST_F(Cache, SecondBuildTakesTheBinary) {
  for (const char *backend : {"opencl", "host"}) {
    BinaryCache().clear();
    EXPECT_EQ(run(backend, 1), 1);
    const fs::path first = binary_path();
    ASSERT_FALSE(first.empty());
    const fs::path kept = directory_ / "kept";
    fs::rename(first, kept);
    EXPECT_EQ(run(backend, 2), 2);
    fs::copy_file(binary_path(), first);
    EXPECT_EQ(run(backend, 1), 2) << backend;
    fs::rename(kept, first);
    EXPECT_EQ(run(backend, 1), 1) << backend;
  }
}

TEST_F(Cache, HoldsNothingOfPoclWhereItsOwnDirectoryIsNamed) {
  const char *directory = std::getenv("POCL_CACHE_DIR");
  const std::string before = directory ? directory : "";
  setenv("POCL_CACHE_DIR", directory_.c_str(), 1);
  EXPECT_EQ(run("opencl", 5), 5);
  EXPECT_EQ(run("opencl", 5), 5);
  EXPECT_TRUE(BinaryCache().entries().empty());
  setenv("POCL_CACHE_DIR", before.c_str(), 1);
  EXPECT_EQ(run("opencl", 5), 5);
  EXPECT_EQ(BinaryCache().entries().size(), 2u); // that it compiles, and the binary
}

TEST_F(Cache, DamagedBinaryIsRebuilt) {
  EXPECT_EQ(run("opencl", 3), 3);
  const fs::path path = binary_path();
  const auto bytes = fs::file_size(path);
  fs::resize_file(path, bytes / 2);
  EXPECT_EQ(run("opencl", 3), 3);
  EXPECT_GT(fs::file_size(binary_path()), bytes / 2);
}

// A program's kernels come from the cache whatever order and subset of them each run launches.
TEST_F(Cache, KernelsLaunchedLaterAreAdded) {
  const std::string text = "#define WEFT_LANES 1\n#define WEFT_REAL_F64\n" +
                           dialect_text("opencl") +
                           "WEFT_KERNEL(one, WEFT_GLOBAL real *x) { x[weft_group_id()] = 1; }\n"
                           "WEFT_KERNEL(two, WEFT_GLOBAL real *x) { x[weft_group_id()] = 2; }\n";
  const auto launch = [&](const std::vector<std::string> &kernels, std::int64_t group_size) {
    const auto device = open_device("");
    const Program program = device->build({"pair", text, {"one", "two"}});
    const Buffer x = device->allocate(8, "x");
    for (const std::string &kernel : kernels) {
      device->launch(program, kernel, {1, group_size}, {x});
      double result = 0;
      device->read(x, &result, 8);
      EXPECT_EQ(result, kernel == "one" ? 1 : 2);
    }
  };
  const auto entries = [] { return BinaryCache().entries().size(); };
  launch({"one"}, 1);
  EXPECT_EQ(entries(), 2u); // that it compiles, and the binary for size 1
  launch({"two", "two"}, 1);
  EXPECT_EQ(entries(), 3u); // "two" by itself
  launch({"two", "one"}, 2);
  EXPECT_EQ(entries(), 4u); // the binary for size 2
  launch({"one", "two"}, 1);
  launch({"one", "two"}, 2);
  EXPECT_EQ(entries(), 4u);
}

// PoCL compiles a kernel for few work-items and for many: an entry for each, so that no run
// compiles what another one has.
TEST_F(Cache, SmallAndLargeGridsAreKeptApart) {
  const auto launch = [](std::int64_t groups) {
    const auto device = open_device("opencl");
    const Program program = device->build(
        {"many",
         "#define WEFT_LANES 1\n#define WEFT_REAL_F64\n" + dialect_text("opencl") +
             "WEFT_KERNEL(many, WEFT_GLOBAL real *x) { x[weft_group_id()] = weft_group_id(); }",
         {"many"}});
    const Buffer x = device->allocate(groups * sizeof(double), "x");
    device->launch(program, "many", {groups, 1}, {x});
    std::vector<double> result(groups);
    device->read(x, result.data(), groups * sizeof(double));
    EXPECT_EQ(result.back(), double(groups - 1));
  };
  const auto entries = [] { return BinaryCache().entries().size(); };
  launch(10);
  EXPECT_EQ(entries(), 2u); // that it compiles, and the binary for few
  launch(100000);
  EXPECT_EQ(entries(), 3u);
  launch(200000);
  launch(20);
  EXPECT_EQ(entries(), 3u);
}

TEST_F(Cache, ManyProcessesShareItAtOnce) {
  if (const char *shared = std::getenv("WEFT_TEST_SHARED_CACHE")) { // one of the eight
    setenv("XDG_CACHE_HOME", shared, 1);
    EXPECT_EQ(run("opencl", 4), 4); // compiles, unless another process was first
    EXPECT_EQ(run("opencl", 4), 4);
    return;
  }
  const std::string program = fs::read_symlink("/proc/self/exe"), folder = directory_;
  std::string command;
  for (int process = 0; process < 8; ++process)
    command += fmt::format("env -u POCL_CACHE_DIR WEFT_TEST_SHARED_CACHE='{0}' '{1}' "
                           "--gtest_filter=Cache.ManyProcessesShareItAtOnce > '{0}/log{2}' 2>&1 "
                           "|| touch '{0}/failed{2}' & ",
                           folder, program, process);
  ASSERT_EQ(std::system((command + "wait").c_str()), 0);
  for (int process = 0; process < 8; ++process) {
    EXPECT_FALSE(fs::exists(directory_ / fmt::format("failed{}", process)));
    std::ifstream log(directory_ / fmt::format("log{}", process));
    const std::string text{std::istreambuf_iterator<char>(log), {}};
    EXPECT_NE(text.find("[  PASSED  ] 1 test"), std::string::npos) << text;
  }
  for (const CacheEntry &entry : BinaryCache().entries()) {
    const std::string stem = entry.path.stem().string();
    EXPECT_TRUE(BinaryCache().load(entry.name, stem.substr(stem.rfind('-') + 1)));
  }
}

} // namespace
} // namespace weft
