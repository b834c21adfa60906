#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "support/temporary_folder.h"

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

TEST(AtomicFile, ReplacesWhatALinkLeadsTo) {
  const TemporaryFolder folder;
  write_text_file(folder.file("real/a.txt"), "old");
  std::filesystem::create_symlink("real", folder.file("folder"));
  std::filesystem::create_symlink("folder/a.txt", folder.file("link.txt"));
  std::filesystem::create_symlink("link.txt", folder.file("link_to_link.txt"));
  write_text_file(folder.file("link_to_link.txt"), "new");
  EXPECT_EQ(folder.read("real/a.txt"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.txt")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link_to_link.txt")));
  EXPECT_FALSE(std::filesystem::is_symlink(folder.file("real/a.txt")));
  EXPECT_EQ(folder.num_files(), 4);
}

TEST(AtomicFile, MakesWhatADanglingLinkLeadsTo) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("not/yet/a.txt", folder.file("link.txt"));
  write_text_file(folder.file("link.txt"), "text");
  EXPECT_EQ(folder.read("not/yet/a.txt"), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.txt")));
}

TEST(AtomicFile, ACircleOfLinksIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder.file("a"));
  std::filesystem::create_symlink("a", folder.file("b"));
  try {
    write_text_file(folder.file("a"), "text");
    FAIL() << "it was written";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_EQ(e.diagnostic().where, folder.file("a"));
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("a")));
}

TEST(AtomicFile, KeepsPermissions) {
  const TemporaryFolder folder;
  write_text_file(folder.file("a.txt"), "old");
  for (const mode_t mode : {0640, 0600, 0666, 0755}) {
    ASSERT_EQ(chmod(folder.file("a.txt").c_str(), mode), 0);
    write_text_file(folder.file("a.txt"), "new");
    struct stat found = {};
    ASSERT_EQ(stat(folder.file("a.txt").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, mode);
  }
}

TEST(AtomicFile, WritesThroughDevices) {
  write_text_file("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  try {
    write_text_file("/dev/full", "text");
    FAIL() << "/dev/full has room";
  } catch (const Error &e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, WritesThroughPipes) {
  const TemporaryFolder folder;
  const std::string fifo = folder.file("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  write_text_file(fifo, "through a fifo");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  // As the shell names process substitution.
  write_text_file("/dev/fd/" + std::to_string(ends[1]), "through a descriptor");
  char text[32] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 14);
  EXPECT_STREQ(text, "through a fifo");
  EXPECT_EQ(read(ends[0], text, sizeof text), 20);
  EXPECT_EQ(std::string(text, 20), "through a descriptor");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  for (const int descriptor : {reader, ends[0], ends[1]})
    close(descriptor);
}

// /dev/stdout of `weft ... > file`: the file goes on from where it is, and is not replaced.
TEST(AtomicFile, ADescriptorOfAFileIsWrittenThrough) {
  const TemporaryFolder folder;
  const int file = open(folder.file("a.txt").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(file, "before ", 7), 7);
  write_text_file("/proc/self/fd/" + std::to_string(file), "after");
  ASSERT_EQ(write(file, " end", 4), 4);
  close(file);
  EXPECT_EQ(folder.read("a.txt"), "before after end");
  EXPECT_EQ(folder.num_files(), 1);
}

} // namespace
} // namespace weft
