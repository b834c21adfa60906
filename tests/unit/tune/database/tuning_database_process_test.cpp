// Many processes, processes that are killed, and places that can't be written.
#include "support/tuning_database_support.h"

#include <csignal>
#include <random>
#include <set>
#include <sqlite3.h>
#include <sys/resource.h>

namespace weft {
namespace {

class SharedTuningDatabase : public TuningDatabaseTest {
protected:
  std::set<std::string> kept_problems() const {
    std::set<std::string> problems;
    for (const ResultRecord &record : TuningDatabase(path_).contents().results)
      problems.insert(record.key.problem);
    return problems;
  }
};

TEST_F(SharedTuningDatabase, TenProcessesAtOnceLoseNothing) {
  std::vector<pid_t> processes;
  for (int p = 0; p < 10; ++p)
    processes.push_back(start_process([this, p] {
      TuningDatabase database(path_); // none is there yet: they make it at once, too
      for (int i = 0; i < 50; ++i) {
        if (!database.store(key_of(fmt::format("{} {}", p, i)), outcome_of(1 + i)))
          return 1;
        if (!database.find(key_of(fmt::format("{} {}", p, i / 2))))
          return 2;
        if (i % 10 == 0 && !database.store(key_of("common"), outcome_of(1 + p)))
          return 3;
      }
      return 0;
    }));
  for (const pid_t process : processes)
    EXPECT_EQ(wait_for(process), 0);
  EXPECT_EQ(kept_problems().size(), 501u);
  EXPECT_EQ(TuningDatabase(path_).contents().searches.size(), 510u);
  EXPECT_EQ(integrity(), "ok");
}

// From when on a writer's age counts; from what it stored first on, it has stored something however
// slow the machine is.
enum class AgeSince { start, first_stored };

// What a process that stores without end said it had stored before it was killed at this age.
std::vector<int> store_until_killed(const fs::path &path, int round, std::chrono::microseconds age,
                                    AgeSince since) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t process = start_process([&] {
    TuningDatabase database(path);
    for (int i = 0;; ++i) {
      if (!database.store(key_of(fmt::format("{} {}", round, i)), outcome_of(1 + i)))
        return 1;
      if (write(ends[1], &i, sizeof i) != sizeof i)
        return 2;
    }
  });
  close(ends[1]);
  std::vector<int> stored;
  if (int i = 0; since == AgeSince::first_stored && read(ends[0], &i, sizeof i) == sizeof i)
    stored.push_back(i);
  usleep(static_cast<useconds_t>(age.count()));
  kill(process, SIGKILL);
  EXPECT_EQ(wait_for(process), -1); // it did not end by itself
  for (int i = 0; read(ends[0], &i, sizeof i) == sizeof i;)
    stored.push_back(i);
  close(ends[0]);
  return stored;
}

TEST_F(SharedTuningDatabase, OutlivesAHundredKilledWriters) {
  std::mt19937 random(1);
  std::set<std::string> stored;
  for (int round = 0; round < 100; ++round)
    for (const int i :
         store_until_killed(path_, round, std::chrono::microseconds(random() % 30000),
                            round % 2 == 0 ? AgeSince::start : AgeSince::first_stored))
      stored.insert(fmt::format("{} {}", round, i));
  EXPECT_GE(stored.size(), 50u); // one at least of every process that had stored
  EXPECT_TRUE(files_aside().empty());
  const std::set<std::string> kept = kept_problems();
  EXPECT_TRUE(std::includes(kept.begin(), kept.end(), stored.begin(), stored.end()));
  EXPECT_EQ(integrity(), "ok");
}

TEST_F(SharedTuningDatabase, OutlivesWritersKilledWhileTheyMakeIt) {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    const std::vector<int> stored = store_until_killed(
        path_, round, std::chrono::microseconds(random() % 8000), AgeSince::start);
    ASSERT_TRUE(TuningDatabase(path_).store(key_of("after"), outcome_of(1)));
    EXPECT_GE(kept_problems().size(), stored.size() + 1);
    EXPECT_TRUE(files_aside().empty());
    EXPECT_EQ(integrity(), "ok");
    fs::remove_all(path_.parent_path());
  }
}

// A file system without shared memory, as SQLite sees it.
TEST_F(SharedTuningDatabase, WorksWithoutSharedMemory) {
  testing::internal::CaptureStderr();
  std::vector<pid_t> processes;
  for (int p = 0; p < 3; ++p)
    processes.push_back(start_process([this, p] {
      sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1);
      TuningDatabase database(path_);
      for (int i = 0; i < 10; ++i)
        if (!database.store(key_of(fmt::format("{} {}", p, i)), outcome_of(1 + i)))
          return 1;
      return database.find(key_of(fmt::format("{} 3", p))) ? 0 : 2;
    }));
  for (const pid_t process : processes)
    EXPECT_EQ(wait_for(process), 0);
  EXPECT_CONTAINS(testing::internal::GetCapturedStderr(), "offers processes no shared memory");
  EXPECT_EQ(kept_problems().size(), 30u);
}

TEST_F(SharedTuningDatabase, KeepsWhatItHasOnAFullDisk) {
  testing::internal::CaptureStderr();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int code = run_process([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400000, 400000};
    setrlimit(RLIMIT_FSIZE, &limit);
    TuningDatabase database(path_);
    int num_stored = 0;
    while (num_stored < 5000 &&
           database.store(key_of(std::to_string(num_stored)), outcome_of(1 + num_stored)))
      ++num_stored;
    if (write(ends[1], &num_stored, sizeof num_stored) != sizeof num_stored)
      return 1;
    if (num_stored < 5 || num_stored == 5000)
      return 2;
    if (database.store(key_of("more"), outcome_of(1)))
      return 3;
    return database.find(key_of("3")) ? 0 : 4;
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 0) << said;
  EXPECT_CONTAINS(said, "results of tuning are not kept. " + path_.string());
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  int num_stored = 0;
  ASSERT_EQ(read(ends[0], &num_stored, sizeof num_stored), static_cast<ssize_t>(sizeof num_stored));
  EXPECT_EQ(kept_problems().size(), static_cast<std::size_t>(num_stored));
  EXPECT_EQ(integrity(), "ok");
  EXPECT_TRUE(TuningDatabase(path_).store(key_of("more"), outcome_of(1))); // there is room again
}

TEST_F(SharedTuningDatabase, HasNoPlaceBelowAFile) {
  std::ofstream(folder_ / "weft") << "no folder";
  testing::internal::CaptureStderr();
  TuningDatabase database(path_);
  EXPECT_FALSE(database.find(key_of("poisson")));
  EXPECT_FALSE(database.store(key_of("poisson"), outcome_of(1)));
  EXPECT_FALSE(database.store(key_of("poisson"), outcome_of(1)));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(said, "the folder can't be made");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

// A folder and files of somebody else.
class ReadOnlyTuningDatabase : public SharedTuningDatabase {
protected:
  void protect() const {
    fs::permissions(folder_, fs::perms(0755));
    fs::permissions(path_.parent_path(), fs::perms(0555));
    for (const auto &file : fs::directory_iterator(path_.parent_path()))
      fs::permissions(file.path(), fs::perms(0444));
  }
  void TearDown() override {
    fs::permissions(path_.parent_path(), fs::perms(0755));
    SharedTuningDatabase::TearDown();
  }
  // In a process without the rights of root, which no permission holds back.
  static int run_as_nobody(const std::function<int()> &work) {
    return run_process([&] {
      if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 98;
      return work();
    });
  }
  std::string find_and_store() {
    protect();
    testing::internal::CaptureStderr();
    const int code = run_as_nobody([this] {
      TuningDatabase database(path_);
      const auto kept = database.find(key_of("poisson"));
      if (!kept || kept->seconds != 2)
        return 1;
      if (database.store(key_of("poisson"), outcome_of(3)))
        return 2;
      if (database.store(key_of("poisson"), outcome_of(3)))
        return 3;
      return database.find(key_of("poisson"))->seconds == 2 ? 0 : 4;
    });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, 0) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    return said;
  }
};

TEST_F(ReadOnlyTuningDatabase, IsRead) {
  ASSERT_TRUE(TuningDatabase(path_).store(key_of("poisson"), outcome_of(2)));
  EXPECT_CONTAINS(find_and_store(), "results of tuning are not kept. " + path_.string() +
                                        ": the file or its folder can't be written");
}

TEST_F(ReadOnlyTuningDatabase, IsReadWithoutFilesBesideIt) {
  ASSERT_TRUE(TuningDatabase(path_).store(key_of("poisson"), outcome_of(2)));
  for (const char *suffix : {"-wal", "-shm", "-lock"})
    fs::remove(path_.string() + suffix);
  EXPECT_CONTAINS(find_and_store(), "the file or its folder can't be written");
}

TEST_F(ReadOnlyTuningDatabase, HoldsNothingIfEmpty) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_).close();
  protect();
  testing::internal::CaptureStderr();
  const int code = run_as_nobody([this] {
    TuningDatabase database(path_);
    return !database.find(key_of("poisson")) && database.contents().results.empty() ? 0 : 1;
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(code, 0);
}

TEST_F(ReadOnlyTuningDatabase, IsLeftThereIfDamaged) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << std::string(10000, 'x');
  protect();
  testing::internal::CaptureStderr();
  const int code = run_as_nobody([this] {
    TuningDatabase database(path_);
    return !database.find(key_of("poisson")) && !database.store(key_of("poisson"), outcome_of(3))
               ? 0
               : 1;
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 0) << said;
  EXPECT_CONTAINS(said, "is damaged");
  EXPECT_CONTAINS(said, "can't be set aside");
  EXPECT_TRUE(files_aside().empty());
}

} // namespace
} // namespace weft
