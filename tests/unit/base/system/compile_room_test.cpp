// What is left of memory and disk, as the compiler of kernels needs it.
#include "base/system/compile_room.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>

#include "base/error.h"

namespace weft {
namespace {

// A soft limit of this process, until the end of a block.
class LimitForNow {
public:
  LimitForNow(int resource, rlim_t value) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit now = before_;
    now.rlim_cur = value;
    EXPECT_EQ(setrlimit(resource_, &now), 0);
  }
  ~LimitForNow() { setrlimit(resource_, &before_); }
  LimitForNow(const LimitForNow &) = delete;
  LimitForNow &operator=(const LimitForNow &) = delete;

private:
  int resource_;
  rlimit before_{};
};

std::uint64_t address_space_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (std::uint64_t kilobytes = 0; word == "VmSize:" && in >> kilobytes)
      return kilobytes * 1024;
  return 0;
}

void expect_refused(const std::string &part) {
  try {
    require_room_to_compile(testing::TempDir());
    ADD_FAILURE() << "no error that says " << part;
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_FALSE(error.diagnostic().remedy.empty());
  }
}

TEST(CompileRoom, IsThereOnASoundMachine) {
  EXPECT_NO_THROW(require_room_to_compile(testing::TempDir()));
}

TEST(CompileRoom, LimitsOfTheProcess) {
  {
    const LimitForNow limit(RLIMIT_AS, address_space_bytes() + (300 << 20));
    expect_refused("ulimit -v");
  }
  {
    const LimitForNow limit(RLIMIT_FSIZE, 1 << 20);
    expect_refused("1 MB left by the limit of a file's size (ulimit -f)");
  }
  EXPECT_NO_THROW(require_room_to_compile(testing::TempDir()));
}

TEST(CompileRoom, FoldersThatAreNotThereYet) {
  const Room there = disk_left(testing::TempDir());
  const Room not_yet = disk_left(testing::TempDir() + "/not/there/yet");
  EXPECT_GT(there.bytes, 0u);
  EXPECT_GT(not_yet.bytes, 0u);
  EXPECT_EQ(there.by, not_yet.by);
  EXPECT_GT(disk_left("").bytes, 0u);
  EXPECT_GT(disk_left("not/there").bytes, 0u);
}

} // namespace
} // namespace weft
