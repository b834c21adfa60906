#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/error.h"
#include "output/atomic_file.h"
#include "temporary_folder.h"

namespace weft {
namespace {

TEST(AtomicFile, AppearsWithCommitAndMakesFolders) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a/b/c.txt"));
  file.write("hello ");
  file.write("world");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a/b/c.txt")));
  file.commit();
  EXPECT_EQ(folder.read("a/b/c.txt"), "hello world");
}

TEST(AtomicFile, LeavesTheOldFileWhenNotCommitted) {
  const TemporaryFolder folder;
  write_text_file(folder.file("a.txt"), "old");
  {
    AtomicFile file(folder.file("a.txt"));
    file.write("new");
  }
  EXPECT_EQ(folder.read("a.txt"), "old");
  EXPECT_EQ(folder.num_files(), 1);
}

TEST(AtomicFile, UnwritableFolderNamesPathAndReason) {
  const TemporaryFolder folder;
  write_text_file(folder.file("file"), "");
  for (const std::string &path : {folder.file("file/x.json"), std::string("/proc/weft/x.json")}) {
    try {
      write_text_file(path, "text");
      FAIL() << path << " was written";
    } catch (const Error &e) {
      EXPECT_EQ(e.kind(), ErrorKind::system);
      EXPECT_EQ(e.diagnostic().where, path);
      EXPECT_FALSE(e.diagnostic().found.empty());
    }
  }
}

// A limit on file sizes fails as a full disk does: in the middle of writing.
TEST(AtomicFile, FullDiskIsAnErrorAndLeavesNothing) {
  const TemporaryFolder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  bool failed = false;
  try {
    write_text_file(folder.file("a.txt"), std::string(10000, 'x'));
  } catch (const Error &e) {
    failed = e.kind() == ErrorKind::system && e.diagnostic().where == folder.file("a.txt");
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(failed);
  EXPECT_EQ(folder.num_files(), 0);
}

} // namespace
} // namespace weft
