// The user's own settings, and whose file they are read from.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/system/ownership.h"
#include "case/user_settings.h"
#include "support/case_text.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

Error error_of_settings(const std::string &path) {
  try {
    read_user_settings(path);
  } catch (const Error &e) {
    return e;
  }
  ADD_FAILURE() << "no error from " << path;
  return Error(ErrorKind::invariant, {.what = "no error"});
}

void set_mode(const std::string &path, int mode) {
  fs::permissions(path, static_cast<fs::perms>(mode));
}

TEST(UserSettings, AreReadFromAFileOrAreTheDefaults) {
  const CaseFolder folder;
  EXPECT_FALSE(read_user_settings("").trust);
  EXPECT_FALSE(read_user_settings(folder.path("none.toml")).trust);
  EXPECT_FALSE(read_user_settings(folder.write("config.toml", "")).trust);
  EXPECT_FALSE(read_user_settings(folder.write("config.toml", "trust = false\n")).trust);
  EXPECT_TRUE(read_user_settings(folder.write("config.toml", "# mine\ntrust = true\n")).trust);
}

TEST(UserSettings, WrongOnesAreErrorsWithFileLineAndNearestKey) {
  const CaseFolder folder;
  const std::string file = folder.write("config.toml", "\ntrst = true\n");
  const Error unknown = error_of_settings(file);
  EXPECT_EQ(unknown.kind(), ErrorKind::input);
  EXPECT_EQ(unknown.diagnostic().where, file + ":2: trst");
  EXPECT_EQ(unknown.diagnostic().allowed, "trust");
  EXPECT_TRUE(contains(unknown.diagnostic().remedy, "\"trust\"")) << unknown.what();
  for (const char *text : {"trust = \"yes\"", "trust = 1", "trust = ", "[trust]"}) {
    const Error wrong = error_of_settings(folder.write("config.toml", text));
    EXPECT_EQ(wrong.kind(), ErrorKind::input) << text;
    EXPECT_TRUE(wrong.diagnostic().where.starts_with(file + ":1")) << wrong.what();
  }
}

TEST(UserSettings, WhatOthersMayHaveWrittenIsNotBelieved) {
  const CaseFolder folder;
  const std::string file = folder.write("config.toml", "trust = true\n");
  for (const int mode : {0666, 0662, 0620}) {
    set_mode(file, mode);
    EXPECT_FALSE(read_user_settings(file).trust) << mode;
  }
  set_mode(file, 0600);
  EXPECT_TRUE(read_user_settings(file).trust);
  for (const int mode : {0777, 01777, 0770}) {
    set_mode(folder.path(""), mode);
    EXPECT_FALSE(read_user_settings(file).trust) << mode;
  }
  set_mode(folder.path(""), 0755);
  EXPECT_TRUE(read_user_settings(file).trust);
}

TEST(UserSettings, LieWhereTheDesktopStandardSays) {
  const char *xdg = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  const std::string old_xdg = xdg ? xdg : "", old_home = home ? home : "";
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CONFIG_HOME", "/etc/mine", 1);
  EXPECT_EQ(user_settings_file(), "/etc/mine/weft/config.toml");
  setenv("XDG_CONFIG_HOME", "relative", 1); // such are to be passed over
  EXPECT_EQ(user_settings_file(), "/home/me/.config/weft/config.toml");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(user_settings_file(), "/home/me/.config/weft/config.toml");
  unsetenv("HOME");
  EXPECT_EQ(user_settings_file(), "");
  if (xdg)
    setenv("XDG_CONFIG_HOME", old_xdg.c_str(), 1);
  if (home)
    setenv("HOME", old_home.c_str(), 1);
}

TEST(UserSettings, TrustGoesWithACaseToItsFormAndItsMeshAndIsNoKeyOfIt) {
  const CaseFolder folder;
  const std::string file = folder.write("case.toml", small_case);
  const Case stranger = read_case(file), own = read_case(file, {}, true);
  EXPECT_FALSE(stranger.trust || stranger.form.trust || stranger.mesh.trust);
  EXPECT_TRUE(own.trust && own.form.trust && own.mesh.trust);
  EXPECT_EQ(error_of("trust = true\n" + small_case).diagnostic().where.ends_with(":1: trust"),
            true);
  EXPECT_EQ(error_of(small_case, {"trust=true"}).kind(), ErrorKind::input);
  EXPECT_EQ(error_of(small_case, {"mesh.trust=true"}).kind(), ErrorKind::input);
}

TEST(Ownership, NothingIsWrongWithWhatIsNotThere) {
  EXPECT_EQ(reason_to_distrust("/nowhere/at/all"), "");
  EXPECT_NE(reason_to_distrust("/tmp"), "");
  EXPECT_EQ(reason_to_distrust("/usr"), "");
}

} // namespace
} // namespace weft
