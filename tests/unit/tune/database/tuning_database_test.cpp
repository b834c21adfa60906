#include "support/tuning_database_support.h"

namespace weft {
namespace {

TEST_F(TuningDatabaseTest, KeepsAResultForTheNextProcess) {
  ASSERT_TRUE(TuningDatabase(path_).store(key_of("poisson"), outcome_of(0.5)));
  TuningDatabase database(path_);
  const auto kept = database.find(key_of("poisson"));
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_string(kept->variant), "strategy=block lanes=8");
  EXPECT_EQ(kept->seconds, 0.5);
  EXPECT_EQ(kept->predicted_s, 0.45);
  EXPECT_EQ(kept->match, TuningMatch::device);
  EXPECT_FALSE(database.find(key_of("elasticity")));
}

TEST_F(TuningDatabaseTest, IsNotMadeBySomebodyWhoOnlyLooks) {
  TuningDatabase database(path_);
  EXPECT_FALSE(database.find(key_of("poisson")));
  EXPECT_FALSE(database.machine({}, "micro"));
  EXPECT_TRUE(database.contents().results.empty());
  EXPECT_EQ(database.clear(), 0);
  EXPECT_FALSE(fs::exists(path_.parent_path()));
}

TEST_F(TuningDatabaseTest, KeepsEveryTimingOfEveryTrial) {
  const TuningOutcome outcome = outcome_of(0.1);
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(key_of("poisson"), outcome));
  const TuningContents contents = database.contents();
  ASSERT_EQ(contents.searches.size(), 1u);
  const TuningOutcome &kept = contents.searches[0].outcome;
  EXPECT_EQ(kept.best, outcome.best);
  EXPECT_EQ(kept.best_s, outcome.best_s);
  EXPECT_EQ(kept.predicted_s, outcome.predicted_s);
  EXPECT_EQ(kept.first_choice, outcome.first_choice);
  EXPECT_EQ(kept.first_choice_s, outcome.first_choice_s);
  EXPECT_EQ(kept.num_candidates, outcome.num_candidates);
  EXPECT_EQ(kept.spent_s, outcome.spent_s);
  EXPECT_EQ(kept.settled, outcome.settled);
  ASSERT_EQ(kept.trials.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(kept.trials[i].variant, outcome.trials[i].variant);
    EXPECT_EQ(kept.trials[i].predicted_s, outcome.trials[i].predicted_s);
    EXPECT_EQ(kept.trials[i].seconds, outcome.trials[i].seconds);
    EXPECT_EQ(kept.trials[i].rejected, outcome.trials[i].rejected);
    EXPECT_EQ(kept.trials[i].validated, outcome.trials[i].validated);
  }
}

TEST_F(TuningDatabaseTest, TheNewestSearchDecides) {
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(0.1, "4")));
  ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(0.2, "8"))); // the machine got slower
  EXPECT_EQ(database.find(key_of("poisson"))->seconds, 0.2);
  EXPECT_EQ(database.contents().searches.size(), 2u);

  TuningOutcome nothing_ran;
  nothing_ran.trials = {{.variant = variant_from_string("strategy=cell"), .rejected = "no memory"}};
  ASSERT_TRUE(database.store(key_of("poisson"), nothing_ran));
  EXPECT_EQ(database.find(key_of("poisson"))->seconds, 0.2);
  EXPECT_EQ(database.contents().searches.size(), 3u);
}

TEST_F(TuningDatabaseTest, KeepsTheLastTenSearchesOfAKey) {
  TuningDatabase database(path_);
  for (int i = 1; i <= 13; ++i)
    ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(i)));
  const TuningContents contents = database.contents();
  ASSERT_EQ(contents.searches.size(), 10u);
  EXPECT_EQ(contents.searches.front().outcome.best_s, 4);
  EXPECT_EQ(contents.searches.back().outcome.best_s, 13);
  SqliteConnection file(path_, SqliteConnection::Access::read_only);
  EXPECT_EQ(file.value("SELECT count(*) FROM trials"), "20");
  EXPECT_EQ(file.value("SELECT count(*) FROM timings"), "30");
}

TEST_F(TuningDatabaseTest, FallsBackFromDeviceToArchitectureToVendor) {
  const TuningKey own = key_of("poisson", "17");
  TuningKey same_vendor = own, same_architecture = own, stranger = own;
  same_architecture.device = "device b";
  same_vendor.device = "device c";
  same_vendor.architecture = "architecture c";
  stranger.device = "device d";
  stranger.architecture = "architecture d";
  stranger.vendor = "vendor d";
  TuningDatabase database(path_);
  const auto found = [&] {
    const auto kept = database.find(own);
    return kept ? std::pair(kept->seconds, kept->match) : std::pair(0.0, TuningMatch::device);
  };
  ASSERT_TRUE(database.store(stranger, outcome_of(1)));
  EXPECT_FALSE(database.find(own));
  ASSERT_TRUE(database.store(same_vendor, outcome_of(2)));
  EXPECT_EQ(found(), std::pair(2.0, TuningMatch::vendor));
  ASSERT_TRUE(database.store(same_architecture, outcome_of(3)));
  EXPECT_EQ(found(), std::pair(3.0, TuningMatch::architecture));
  TuningKey other_size = own;
  other_size.size_class = "25"; // the own device, if of another size, before all others
  ASSERT_TRUE(database.store(other_size, outcome_of(4)));
  EXPECT_EQ(found(), std::pair(4.0, TuningMatch::device));
  ASSERT_TRUE(database.store(own, outcome_of(5)));
  EXPECT_EQ(found(), std::pair(5.0, TuningMatch::device));
}

TEST_F(TuningDatabaseTest, WhatNoDriverSaysIsNotShared) {
  TuningKey own = key_of("poisson"), other = own;
  own.architecture = own.vendor = other.architecture = other.vendor = "";
  other.device = "device b";
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(other, outcome_of(1)));
  EXPECT_FALSE(database.find(own));
}

TEST_F(TuningDatabaseTest, TakesTheNearestSizeClass) {
  TuningDatabase database(path_);
  const auto seconds = [&](const std::string &size_class) {
    return database.find(key_of("poisson", size_class))->seconds;
  };
  ASSERT_TRUE(database.store(key_of("poisson", ""), outcome_of(100)));
  EXPECT_EQ(seconds("12"), 100); // better than none
  for (const int size : {9, 14, 21})
    ASSERT_TRUE(database.store(key_of("poisson", std::to_string(size)), outcome_of(size)));
  EXPECT_EQ(seconds("14"), 14);
  EXPECT_EQ(seconds("10"), 9); // not as texts: "10" is nearer to "14" there
  EXPECT_EQ(seconds("17"), 14);
  EXPECT_EQ(seconds("18"), 21);
  EXPECT_EQ(seconds("40"), 21);
  EXPECT_EQ(seconds("-3"), 9);
  EXPECT_EQ(seconds(""), 100);
}

TEST_F(TuningDatabaseTest, NeverUsesWhatIsStale) {
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(1)));
  TuningKey other_driver = key_of("poisson"), other_generator = other_driver;
  other_driver.driver = "driver 2";
  other_generator.generator = "generator 2";
  EXPECT_FALSE(database.find(other_driver));
  EXPECT_FALSE(database.find(other_generator));
  // Going back to the older version finds its results again.
  ASSERT_TRUE(database.store(other_generator, outcome_of(2)));
  EXPECT_EQ(database.find(other_generator)->seconds, 2);
  EXPECT_EQ(database.find(key_of("poisson"))->seconds, 1);
}

TEST_F(TuningDatabaseTest, ForgetsGeneratorsOfLongAgo) {
  TuningDatabase database(path_);
  TuningKey key = key_of("poisson");
  for (int i = 1; i <= 6; ++i) {
    key.generator = fmt::format("generator {}", i);
    ASSERT_TRUE(database.store(key, outcome_of(i)));
  }
  const TuningContents contents = database.contents();
  EXPECT_EQ(contents.results.size(), 4u);
  EXPECT_EQ(contents.searches.size(), 4u);
  EXPECT_EQ(database.find(key)->seconds, 6);
}

TEST_F(TuningDatabaseTest, KeepsFiguresOfADeviceAndItsDriver) {
  DeviceInfo device;
  device.name = "a device";
  device.identity = "1234";
  device.driver = "driver 1";
  MachineFigures figures;
  figures.figures["memory.copy.f64.gbps"] = {20.1, 18.5, 21.7};
  figures.figures["latency.finish.us"] = {3, 2, 9};
  ASSERT_TRUE(TuningDatabase(path_).store_machine(device, "micro 1", figures));
  TuningDatabase database(path_);
  const auto kept = database.machine(device, "micro 1");
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->figures.size(), 2u);
  const Figure &copy = kept->figures.at("memory.copy.f64.gbps");
  EXPECT_EQ(std::tuple(copy.median, copy.low, copy.high), std::tuple(20.1, 18.5, 21.7));

  EXPECT_FALSE(database.machine(device, "micro 2"));
  DeviceInfo updated = device, other = device;
  updated.driver = "driver 2";
  other.identity = "5678";
  EXPECT_FALSE(database.machine(updated, "micro 1"));
  EXPECT_FALSE(database.machine(other, "micro 1"));

  figures.figures.erase("latency.finish.us"); // measured again
  ASSERT_TRUE(database.store_machine(device, "micro 1", figures));
  EXPECT_EQ(database.machine(device, "micro 1")->figures.size(), 1u);
}

TEST_F(TuningDatabaseTest, ForgetsEverythingWhenAsked) {
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(1)));
  ASSERT_TRUE(database.store(key_of("elasticity"), outcome_of(2)));
  EXPECT_EQ(database.clear(), 2);
  EXPECT_FALSE(database.find(key_of("poisson")));
  EXPECT_TRUE(database.contents().searches.empty());
  SqliteConnection file(path_, SqliteConnection::Access::read_only);
  EXPECT_EQ(file.value("SELECT count(*) FROM timings"), "0");
}

TEST_F(TuningDatabaseTest, AnUnknownTimeIsNoTime) {
  TuningOutcome outcome = outcome_of(1);
  outcome.predicted_s = std::numeric_limits<double>::quiet_NaN();
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(key_of("poisson"), outcome));
  EXPECT_EQ(database.find(key_of("poisson"))->predicted_s, 0);
}

// Where the file lies, by the rules for user data of the XDG base directory specification.
TEST_F(TuningDatabaseTest, LiesWhereUsersDataLies) {
  const auto path_for = [](const char *data_home, const char *home) {
    std::string path;
    const std::string before[] = {std::getenv("XDG_DATA_HOME") ? std::getenv("XDG_DATA_HOME") : "",
                                  std::getenv("HOME") ? std::getenv("HOME") : ""};
    const auto set = [](const char *name, const char *value) {
      value ? setenv(name, value, 1) : unsetenv(name);
    };
    set("XDG_DATA_HOME", data_home);
    set("HOME", home);
    path = TuningDatabase::default_path();
    set("XDG_DATA_HOME", before[0].empty() ? nullptr : before[0].c_str());
    set("HOME", before[1].c_str());
    return path;
  };
  EXPECT_EQ(path_for("/data", "/home/ada"), "/data/weft/tuning.sqlite");
  EXPECT_EQ(path_for(nullptr, "/home/ada"), "/home/ada/.local/share/weft/tuning.sqlite");
  EXPECT_EQ(path_for("", "/home/ada"), "/home/ada/.local/share/weft/tuning.sqlite");
  EXPECT_EQ(path_for("data", "/home/ada"), "/home/ada/.local/share/weft/tuning.sqlite");
  EXPECT_EQ(path_for(nullptr, nullptr), "");
}

TEST_F(TuningDatabaseTest, SaysOnceThatThereIsNoPlaceForIt) {
  const char *home = std::getenv("HOME"), *data = std::getenv("XDG_DATA_HOME");
  const std::string before_home = home ? home : "", before_data = data ? data : "";
  unsetenv("HOME");
  unsetenv("XDG_DATA_HOME");
  testing::internal::CaptureStderr();
  TuningDatabase database;
  EXPECT_FALSE(database.store(key_of("poisson"), outcome_of(1)));
  EXPECT_FALSE(database.store(key_of("poisson"), outcome_of(1)));
  const std::string said = testing::internal::GetCapturedStderr();
  if (home)
    setenv("HOME", before_home.c_str(), 1);
  if (data)
    setenv("XDG_DATA_HOME", before_data.c_str(), 1);
  EXPECT_CONTAINS(said, "neither XDG_DATA_HOME nor HOME names a folder");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(TuningDatabaseTest, BeginsAgainWhereItsFilesWereRemoved) {
  TuningDatabase database(path_);
  ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(1)));
  fs::remove_all(path_.parent_path());
  EXPECT_FALSE(database.find(key_of("poisson")));
  ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(2)));
  EXPECT_EQ(TuningDatabase(path_).find(key_of("poisson"))->seconds, 2);
}

} // namespace
} // namespace weft
