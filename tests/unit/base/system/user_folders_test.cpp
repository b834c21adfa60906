#include "base/system/user_folders.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/run_folder.h"
#include "support/temporary_place.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class UserFolders : public PlaceTest {
protected:
  void SetUp() override {
    PlaceTest::SetUp();
    set_variable("TMPDIR", folder_.c_str());
    set_variable("HOME", nullptr);
    set_variable("XDG_CACHE_HOME", nullptr);
    set_variable("XDG_DATA_HOME", nullptr);
  }

  // What the body does and says, in a process of its own: a private folder is for a whole run.
  template <typename Body> std::string in_a_run(const Body &body) {
    const fs::path said = folder_ / "said";
    if (const pid_t child = fork(); child == 0) {
      if (!std::freopen(said.c_str(), "w", stderr))
        _exit(2);
      std::fputs(body().c_str(), stderr);
      remove_run_folders();
      std::fflush(stderr);
      _exit(0);
    } else {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    std::ifstream in(said);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool is_private(const fs::path &folder) const {
    return folder.parent_path() == folder_ && folder.filename().string().starts_with("weft.");
  }
  static int mode_of(const fs::path &path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 07777) : -1;
  }
  int count_private() const {
    int count = 0;
    for (const auto &entry : fs::directory_iterator(folder_))
      count += is_private(entry.path());
    return count;
  }
};

TEST_F(UserFolders, FollowTheVariables) {
  set_variable("HOME", (folder_ / "home").c_str());
  EXPECT_EQ(cache_folder("kernels"), folder_ / "home/.cache/weft/kernels");
  EXPECT_EQ(data_folder().path, folder_ / "home/.local/share/weft");
  set_variable("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(cache_folder(), folder_ / "home/.cache/weft");
  set_variable("XDG_CACHE_HOME", (folder_ / "cache").c_str());
  set_variable("XDG_DATA_HOME", (folder_ / "data").c_str());
  const mode_t before = umask(0); // closed to others whatever the user's mask
  EXPECT_EQ(cache_folder("meshes"), folder_ / "cache/weft/meshes");
  umask(before);
  EXPECT_EQ(mode_of(folder_ / "cache/weft"), 0700);
  EXPECT_EQ(mode_of(folder_ / "cache/weft/meshes"), 0700);
  EXPECT_EQ(data_folder().path, folder_ / "data/weft");
  EXPECT_EQ(data_folder().trouble, "");
}

TEST_F(UserFolders, WithoutHomeAFolderOfTheRunServes) {
  const std::string said = in_a_run([&] {
    const fs::path kernels = cache_folder("kernels"), meshes = cache_folder("meshes");
    const bool good = kernels.parent_path() == meshes.parent_path() &&
                      is_private(kernels.parent_path()) && mode_of(kernels.parent_path()) == 0700 &&
                      cache_folder("kernels") == kernels;
    return std::string(good ? "good" : "bad");
  });
  EXPECT_NE(said.find("good"), std::string::npos) << said;
  const auto notice = said.find("kept for this run only: neither XDG_CACHE_HOME nor HOME");
  EXPECT_NE(notice, std::string::npos) << said;
  EXPECT_EQ(said.find("notice", notice), std::string::npos) << said;
  EXPECT_EQ(count_private(), 0);
  EXPECT_TRUE(data_folder().path.empty());
  EXPECT_NE(data_folder().trouble.find("neither XDG_DATA_HOME nor HOME"), std::string::npos);
}

TEST_F(UserFolders, WhatOthersMayWriteIsNotUsed) {
  set_variable("XDG_CACHE_HOME", (folder_ / "cache").c_str());
  set_variable("XDG_DATA_HOME", (folder_ / "cache").c_str());
  cache_folder("kernels");
  const fs::path weft = folder_ / "cache/weft", kernels = weft / "kernels";
  const auto said = [&] {
    return in_a_run([&] {
      return std::string(is_private(cache_folder("kernels").parent_path()) ? "private" : "used");
    });
  };
  EXPECT_EQ(said(), "used");
  for (const auto &[folder, mode] : {std::pair{weft, 0777}, {weft, 0720}, {kernels, 0702}}) {
    chmod(folder.c_str(), mode);
    const std::string text = said();
    EXPECT_NE(text.find(fmt::format("its mode {:04o} lets others write", mode)), std::string::npos)
        << text;
    EXPECT_NE(text.find(folder.string() + ": its mode"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("private")) << text;
    EXPECT_EQ(data_folder().path.empty(), folder == weft);
    chmod(folder.c_str(), 0700);
  }
  EXPECT_EQ(said(), "used");
}

TEST_F(UserFolders, AnotherUsersFolderIsNotUsed) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  set_variable("XDG_CACHE_HOME", (folder_ / "cache").c_str());
  set_variable("XDG_DATA_HOME", (folder_ / "cache").c_str());
  const fs::path weft = folder_ / "cache/weft";
  fs::create_directories(weft);
  ASSERT_EQ(chown(weft.c_str(), 4321, 4321), 0);
  const auto said = [&] {
    return in_a_run([&] {
      return std::string(is_private(cache_folder("kernels").parent_path()) ? "private" : "used");
    });
  };
  EXPECT_NE(said().find("belongs to user 4321"), std::string::npos);
  EXPECT_NE(data_folder().trouble.find("belongs to user 4321"), std::string::npos);
  EXPECT_FALSE(fs::exists(weft / "kernels"));
  // A link that another user made, to a folder of this one.
  fs::remove(weft);
  fs::create_directory(folder_ / "target", folder_);
  fs::create_symlink(folder_ / "target", weft);
  EXPECT_EQ(said(), "used");
  ASSERT_EQ(lchown(weft.c_str(), 4321, 4321), 0);
  EXPECT_NE(said().find("the link was made by user 4321"), std::string::npos);
}

TEST_F(UserFolders, APlaceThatCannotBeMadeIsNoError) {
  set_variable("XDG_CACHE_HOME", write("file", "in the way").c_str());
  const std::string said = in_a_run([&] {
    return std::string(is_private(cache_folder("meshes").parent_path()) ? "private" : "used");
  });
  EXPECT_NE(said.find("the folder can't be made"), std::string::npos) << said;
  EXPECT_TRUE(said.ends_with("private")) << said;
}

TEST_F(UserFolders, RunFoldersOfDeadProcessesAreRemoved) {
  fs::path left;
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    const fs::path own = make_run_folder(folder_);
    std::ofstream(own / "file") << "content";
    const std::string name = own.string() + '\n';
    if (::write(pipes[1], name.c_str(), name.size()) < 0)
      _exit(1);
    pause();
    _exit(0);
  }
  char c = 0;
  std::string name;
  while (read(pipes[0], &c, 1) == 1 && c != '\n')
    name += c;
  EXPECT_EQ(mode_of(name), 0700);
  const fs::path own = make_run_folder(folder_);
  EXPECT_TRUE(fs::exists(name)) << "its process lives";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(name));
  // Numbers tell nothing: this one is taken again, that one is of another container's process.
  const fs::path reused = folder_ / ("weft.run." + std::to_string(getpid()) + ".abcdef"),
                 elsewhere = folder_ / "weft.run.999999999.abcdef";
  fs::create_directory(reused);
  fs::create_directory(elsewhere);
  const int lock = open(elsewhere.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  const RunFolder another(folder_);
  EXPECT_FALSE(fs::exists(name));
  EXPECT_FALSE(fs::exists(reused));
  EXPECT_TRUE(fs::exists(elsewhere));
  close(lock);
  EXPECT_TRUE(fs::exists(own)) << "this process lives";
  remove_run_folder(own);
  EXPECT_FALSE(fs::exists(own));
  remove_run_folder(folder_); // not one of them
  EXPECT_TRUE(fs::exists(folder_));
  close(pipes[0]);
  close(pipes[1]);
}

} // namespace
} // namespace weft
