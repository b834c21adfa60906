#include "support/tuning_database_support.h"

#include <random>

namespace weft {
namespace {

class DamagedTuningDatabase : public TuningDatabaseTest {
protected:
  void SetUp() override {
    TuningDatabaseTest::SetUp();
    TuningDatabase database(path_);
    for (int i = 0; i < 40; ++i) // some pages of every table
      ASSERT_TRUE(database.store(key_of(std::to_string(i)), outcome_of(1 + i)));
  }

  // Random bytes from `begin` on, deterministic.
  void overwrite(std::uintmax_t begin, std::uintmax_t end) const {
    std::mt19937 random(1);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(begin));
    for (std::uintmax_t i = begin; i < end; ++i)
      file.put(static_cast<char>(random()));
    ASSERT_TRUE(file.good());
  }
  void write_file(const std::string &content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }

  // A process that finds and stores meets the damage, sets the file aside with a notice and goes on
  // with a new one.
  void expect_new_beginning() {
    testing::internal::CaptureStderr();
    TuningDatabase database(path_);
    database.find(key_of("7"));
    EXPECT_TRUE(database.store(key_of("new"), outcome_of(1)));
    const std::string said = testing::internal::GetCapturedStderr();
    ASSERT_EQ(files_aside().size(), 1u) << said;
    EXPECT_CONTAINS(said, path_.string() + " can't be used");
    EXPECT_CONTAINS(said, "set aside as " + (path_.parent_path() / files_aside()[0]).string());
    EXPECT_EQ(database.find(key_of("new"))->seconds, 1);
    EXPECT_EQ(database.contents().results.size(), 1u);
    EXPECT_EQ(integrity(), "ok");
  }
};

TEST_F(DamagedTuningDatabase, OfGarbageIsSetAside) {
  overwrite(0, 5000);
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, OfAnotherKindIsSetAside) {
  write_file("results: none so far\n");
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, CutInItsFirstPageIsSetAside) {
  fs::resize_file(path_, 1000);
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, CutAtAPageIsSetAside) {
  fs::resize_file(path_, 4096 * (fs::file_size(path_) / 4096 / 2));
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, WithAGoodHeaderIsSetAside) {
  overwrite(4096, fs::file_size(path_));
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, WithAWrongVariantIsSetAside) {
  SqliteConnection(path_, SqliteConnection::Access::read_write)
      .run("UPDATE results SET variant = 'strategy'");
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, IsNoticedByAProcessThatHasItOpen) {
  TuningDatabase early(path_);
  ASSERT_TRUE(early.find(key_of("7")));
  overwrite(0, fs::file_size(path_));
  expect_new_beginning(); // by another process
  EXPECT_TRUE(early.find(key_of("new")));
  EXPECT_TRUE(early.store(key_of("later"), outcome_of(2)));
  EXPECT_EQ(TuningDatabase(path_).contents().results.size(), 2u);
}

TEST_F(DamagedTuningDatabase, IsSetAsideOnceByManyProcesses) {
  for (const std::uintmax_t begin : {0, 4096}) {
    overwrite(begin, fs::file_size(path_));
    const std::size_t num_aside = files_aside().size();
    testing::internal::CaptureStderr();
    std::vector<pid_t> processes;
    for (int i = 0; i < 10; ++i)
      processes.push_back(start_process([&, i] {
        TuningDatabase database(path_);
        database.find(key_of("7"));
        return database.store(key_of(std::to_string(i)), outcome_of(1 + i)) ? 0 : 1;
      }));
    for (const pid_t process : processes)
      EXPECT_EQ(wait_for(process), 0);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(files_aside().size(), num_aside + 1) << said;
    EXPECT_EQ(TuningDatabase(path_).contents().results.size(), 10u) << said;
    EXPECT_EQ(integrity(), "ok");
  }
}

TEST_F(DamagedTuningDatabase, OfALaterVersionIsLeftAlone) {
  SqliteConnection(path_, SqliteConnection::Access::read_write).run("PRAGMA user_version = 2");
  testing::internal::CaptureStderr();
  {
    TuningDatabase database(path_);
    EXPECT_FALSE(database.find(key_of("7")));
    EXPECT_FALSE(database.find(key_of("8")));
    EXPECT_FALSE(database.store(key_of("7"), outcome_of(1000)));
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_CONTAINS(said, path_.string() + ": it was written by a later version of Weft");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said; // once for each of both
  EXPECT_TRUE(files_aside().empty());
  SqliteConnection file(path_, SqliteConnection::Access::read_only);
  EXPECT_EQ(file.value("SELECT count(*) FROM results"), "40");
  EXPECT_EQ(file.value("SELECT max(seconds) FROM results"), "40.0");
}

TEST_F(DamagedTuningDatabase, OfAnEarlierVersionIsSetAside) {
  SqliteConnection(path_, SqliteConnection::Access::read_write).run("PRAGMA user_version = 0");
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, OfAnotherProgramIsSetAside) {
  fs::remove_all(path_.parent_path());
  fs::create_directories(path_.parent_path());
  SqliteConnection(path_, SqliteConnection::Access::create).run("CREATE TABLE songs (title TEXT)");
  expect_new_beginning();
}

TEST_F(DamagedTuningDatabase, LeftEmptyByAKilledProcessIsMade) {
  write_file("");
  fs::remove(path_.string() + "-wal");
  TuningDatabase database(path_);
  EXPECT_FALSE(database.find(key_of("7")));
  EXPECT_TRUE(database.store(key_of("7"), outcome_of(3)));
  EXPECT_EQ(database.find(key_of("7"))->seconds, 3);
  EXPECT_TRUE(files_aside().empty());
}

} // namespace
} // namespace weft
