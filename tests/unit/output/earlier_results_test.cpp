#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "output/earlier_results.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

// Names of what lies in a folder, and below it, in order.
std::vector<std::string> contents(const TemporaryFolder &folder) {
  std::vector<std::string> names;
  const std::filesystem::path root = folder.file("");
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root))
    if (!entry.is_directory())
      names.push_back(entry.path().lexically_relative(root).string());
  std::sort(names.begin(), names.end());
  return names;
}

void write(const TemporaryFolder &folder, const std::vector<std::string> &names,
           const std::string &text) {
  for (const std::string &name : names)
    write_text_file(folder.file(name), text);
}

TEST(EarlierResults, AreKnownByTheirNames) {
  for (const char *name : {"fields.vtu", "fields.pvd", "fields_0000.vtu", "fields_12345.vtu",
                           "functionals.csv", "probes.csv", "results.json", "checkpoint.h5"})
    EXPECT_TRUE(is_result_file(name)) << name;
  for (const char *name : {"notes.txt", "fields_00.vtu", "fields_000a.vtu", "my_fields_0000.vtu",
                           "fields_0000.vtu.bak", "case.toml", "results.json~", ""})
    EXPECT_FALSE(is_result_file(name)) << name;
}

TEST(EarlierResults, AreMovedInPlaceOfOlderOnes) {
  const TemporaryFolder folder;
  write(folder, {"fields_0000.vtu", "fields_0001.vtu", "results.json", "notes.txt"}, "first");
  EXPECT_EQ(set_aside_results(folder.file("")), 3);
  EXPECT_EQ(set_aside_results(folder.file("")), 0); // nothing is there: the older ones stay
  write(folder, {"fields_0000.vtu", "previous/notes.txt"}, "second");
  EXPECT_EQ(set_aside_results(folder.file("")), 1);
  EXPECT_EQ(contents(folder), (std::vector<std::string>{"notes.txt", "previous/fields_0000.vtu",
                                                        "previous/notes.txt"}));
  EXPECT_EQ(folder.read("previous/fields_0000.vtu"), "second");
}

TEST(EarlierResults, WhatANewRunGoesOnFromStays) {
  const TemporaryFolder folder;
  write(folder, {"checkpoint.h5", "fields_0000.vtu", "fields_0001.vtu", "results.json"}, "");
  EXPECT_EQ(set_aside_results(folder.file(""), {"checkpoint.h5", "fields_0000.vtu"}), 2);
  EXPECT_EQ(contents(folder),
            (std::vector<std::string>{"checkpoint.h5", "fields_0000.vtu",
                                      "previous/fields_0001.vtu", "previous/results.json"}));
}

TEST(EarlierResults, ACheckpointThatIsGoneOnFromIsNotReplaced) {
  const TemporaryFolder folder;
  write(folder, {"previous/checkpoint.h5", "checkpoint.h5"}, "");
  const std::string old = folder.file("previous/checkpoint.h5");
  try {
    set_aside_results(folder.file(""), {}, old);
    FAIL() << "the checkpoint was replaced";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.diagnostic().where, old);
  }
  EXPECT_EQ(contents(folder),
            (std::vector<std::string>{"checkpoint.h5", "previous/checkpoint.h5"}));
}

TEST(EarlierResults, LinksAndPipesStay) {
  const TemporaryFolder folder;
  write(folder, {"elsewhere"}, "");
  std::filesystem::create_symlink("elsewhere", folder.file("results.json"));
  ASSERT_EQ(mkfifo(folder.file("probes.csv").c_str(), 0600), 0);
  EXPECT_EQ(set_aside_results(folder.file("")), 0);
  EXPECT_EQ(set_aside_results(folder.file("none")), 0);
  EXPECT_EQ(contents(folder),
            (std::vector<std::string>{"elsewhere", "probes.csv", "results.json"}));
}

TEST(EarlierResults, WhatKilledRunsDidNotFinishIsRemoved) {
  const TemporaryFolder folder;
  const pid_t gone = fork();
  if (gone == 0)
    _exit(0);
  waitpid(gone, nullptr, 0);
  const std::string running = "fields_0003.vtu." + std::to_string(getppid()) + ".part";
  write(folder,
        {"fields_0002.vtu." + std::to_string(gone) + ".part", running,
         "notes." + std::to_string(gone) + ".part"},
        "");
  EXPECT_EQ(set_aside_results(folder.file("")), 0);
  EXPECT_EQ(contents(folder),
            (std::vector<std::string>{running, "notes." + std::to_string(gone) + ".part"}));
}

} // namespace
} // namespace weft
