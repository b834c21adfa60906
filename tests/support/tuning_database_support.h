// What the tests of the tuning database share: a folder of their own, keys and outcomes that tell
// which they are, processes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/system/sqlite.h"
#include "tune/database/tuning_database.h"
#include "tune/database/tuning_records.h"

namespace weft {

namespace fs = std::filesystem;

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

class TuningDatabaseTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "weft-tuning-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ / "weft" / "tuning.sqlite";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Names of the files beside the database that were set aside, without -wal and -shm.
  std::vector<std::string> files_aside() const {
    std::vector<std::string> names;
    for (const auto &file : fs::directory_iterator(path_.parent_path()))
      if (const std::string name = file.path().filename().string();
          name.find(".damaged-") != std::string::npos && !name.ends_with("-wal") &&
          !name.ends_with("-shm"))
        names.push_back(name);
    return names;
  }
  std::string integrity() const {
    return SqliteConnection(path_, SqliteConnection::Access::read_write)
        .value("PRAGMA integrity_check");
  }

  fs::path folder_, path_;
};

inline TuningKey key_of(const std::string &problem, const std::string &size_class = "17") {
  return {.kernel = "fem_integrate",
          .problem = problem,
          .size_class = size_class,
          .device = "device a",
          .architecture = "architecture a",
          .vendor = "vendor a",
          .driver = "driver 1",
          .generator = "generator 1"};
}

// A search of two variants; the best took `seconds` in its median.
inline TuningOutcome outcome_of(double seconds, const std::string &lanes = "8") {
  TuningOutcome outcome;
  outcome.best = variant_from_string("strategy=block lanes=" + lanes);
  outcome.best_s = seconds;
  outcome.predicted_s = 0.9 * seconds;
  outcome.first_choice = variant_from_string("strategy=cell lanes=-");
  outcome.first_choice_s = 2 * seconds;
  outcome.num_candidates = 12;
  outcome.spent_s = 0.25;
  outcome.settled = true;
  outcome.trials = {{.variant = *outcome.best,
                     .predicted_s = outcome.predicted_s,
                     .seconds = {1.1 * seconds, seconds, 0.95 * seconds},
                     .validated = true},
                    {.variant = outcome.first_choice,
                     .predicted_s = 1.5 * seconds,
                     .seconds = {},
                     .rejected = "it differs from the reference\tin \"row\" 3\n"}};
  return outcome;
}

// Runs `work` in a process of its own, which ends with what it returns (99: an exception).
inline pid_t start_process(const std::function<int()> &work) {
  const pid_t process = fork();
  if (process != 0)
    return process;
  int code = 99;
  try {
    code = work();
  } catch (const std::exception &error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  _exit(code);
}

// The exit code of a process; -1 if it was killed.
inline int wait_for(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline int run_process(const std::function<int()> &work) {
  return wait_for(start_process(work));
}

} // namespace weft
