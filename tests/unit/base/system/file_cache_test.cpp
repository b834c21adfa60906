#include "base/system/file_cache.h"

#include <chrono>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "support/temporary_place.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class KeptFiles : public PlaceTest {
protected:
  FileCache cache(std::uint64_t limit_bytes = 1 << 20) const {
    return FileCache({folder_ / "files", ".bin", "kept 1\n", "\nhere\n", limit_bytes});
  }
  // What lies at the path now.
  static std::string text_of(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(KeptFiles, AreGivenAsTheyWereStored) {
  FileCache files = cache();
  EXPECT_FALSE(files.load("name", "key"));
  files.store("name", "key", std::string("bi\0nary\n", 8));
  EXPECT_EQ(files.load("name", "key"), std::string("bi\0nary\n", 8));
  const auto whole = files.load_file("name", "key");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->size(), files.head_bytes() + 8);
  EXPECT_FALSE(files.load("name", "other"));
  files.store("a/strange name", "key", "");
  EXPECT_EQ(files.load("a/strange name", "key"), "");
  ASSERT_EQ(files.entries().size(), 2u);
  EXPECT_EQ(files.entries()[0].name, "name");
  EXPECT_EQ(fs::status(files.entries()[0].path).permissions(), fs::perms(0600));
  EXPECT_GT(files.clear(), 8u);
  EXPECT_TRUE(files.entries().empty());
}

// Every byte changed, every length cut, and something at the end: absent, and gone.
TEST_F(KeptFiles, DamagedOnesCountAsAbsent) {
  FileCache files = cache();
  const std::string content = "what was stored, of some length";
  files.store("name", "key", content);
  const fs::path path = files.path_of("name", "key");
  const std::string whole = text_of(path);
  const auto is_refused = [&](const std::string &text) {
    write("files/name-key.bin", text);
    return !files.load("name", "key") && !fs::exists(path);
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string text = whole;
      text[i] = static_cast<char>(text[i] ^ flip);
      EXPECT_TRUE(is_refused(text)) << i;
    }
    EXPECT_TRUE(is_refused(whole.substr(0, i))) << i;
    EXPECT_TRUE(is_refused(whole.substr(i + 1))) << i;
  }
  EXPECT_TRUE(is_refused(whole + "x"));
  EXPECT_TRUE(is_refused(whole + whole));
  write("files/name-key.bin", whole);
  EXPECT_EQ(files.load("name", "key"), content);
}

TEST_F(KeptFiles, OnlyOnesOwnAreLoaded) {
  FileCache files = cache();
  const fs::path path = files.path_of("name", "key");
  const auto is_refused = [&] {
    return !files.load("name", "key") && !fs::exists(fs::symlink_status(path));
  };
  files.store("name", "key", "content");
  chmod(path.c_str(), 0622);
  EXPECT_TRUE(is_refused()) << "others may have written it";
  files.store("name", "key", "content");
  fs::rename(path, folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", path);
  EXPECT_TRUE(is_refused()) << "a link";
  fs::create_directories(path / "folder");
  EXPECT_TRUE(is_refused()) << "a folder";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(is_refused()) << "a pipe";
  if (geteuid() == 0) { // only root can give a file away
    files.store("name", "key", "content");
    ASSERT_EQ(chown(path.c_str(), 4321, 4321), 0);
    EXPECT_TRUE(is_refused()) << "another user's";
  }
}

TEST_F(KeptFiles, SizeIsBoundedAndTheLongestUnusedGo) {
  FileCache files = cache(10000);
  for (int i = 0; i < 20; ++i) {
    files.store("name", std::to_string(i), std::string(1000, 'x'));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(files.load("name", "0")) << i; // in use all the time
  }
  std::uint64_t bytes = 0;
  for (const CacheEntry &entry : files.entries())
    bytes += entry.bytes;
  EXPECT_LE(bytes, 10000u);
  EXPECT_TRUE(files.load("name", "19"));
  EXPECT_FALSE(files.load("name", "1"));
  files.store("large", "key", std::string(10001, 'x')); // by itself beyond the bound
  EXPECT_FALSE(files.load("large", "key"));
  EXPECT_TRUE(files.load("name", "19"));
}

TEST_F(KeptFiles, AFolderThatCannotBeWrittenIsNoError) {
  FileCache files({.folder = write("file", "in the way") + "/files",
                   .extension = ".bin",
                   .before = "kept 1\n",
                   .limit_bytes = 1000});
  files.store("name", "key", "content");
  EXPECT_FALSE(files.load("name", "key"));
}

} // namespace
} // namespace weft
