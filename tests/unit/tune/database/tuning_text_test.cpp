#include "support/tuning_database_support.h"

#include "base/error.h"
#include "tune/database/tuning_text.h"

namespace weft {
namespace {

class TuningText : public TuningDatabaseTest {
protected:
  // A database with a machine, two results and three searches.
  void fill(TuningDatabase &database) const {
    DeviceInfo device;
    device.name = "a device \"with\" \xe2\x82\xac, tab\tand line\nend";
    device.identity = "1234";
    device.driver = "driver 1";
    MachineFigures figures;
    figures.figures["memory.copy.f64.gbps"] = {20.1, 18.5, 21.7};
    ASSERT_TRUE(database.store_machine(device, "micro 1", figures));
    ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(1.0 / 3)));
    ASSERT_TRUE(database.store(key_of("poisson"), outcome_of(1.0 / 7)));
    ASSERT_TRUE(database.store(key_of("a\tproblem\nwith \\ and \""), outcome_of(2)));
  }
  std::string refusal(const std::string &text) {
    TuningDatabase database(folder_ / "refusing.sqlite");
    try {
      database.import_text(text, "shared.txt");
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_TRUE(database.contents().results.empty());
      return error.what();
    }
    ADD_FAILURE() << "it was taken";
    return {};
  }
};

TEST_F(TuningText, IsTheSameAfterAWayRound) {
  TuningDatabase from(path_), to(folder_ / "other.sqlite");
  fill(from);
  const std::string text = from.export_text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 2 + 3);
  EXPECT_EQ(to.import_text(text, "text"), 3);
  EXPECT_EQ(to.export_text(), text);
  EXPECT_EQ(to.find(key_of("poisson"))->seconds, 1.0 / 7);
  EXPECT_EQ(to.import_text(text, "text"), 0); // it is all there
  EXPECT_EQ(to.export_text(), text);
}

TEST_F(TuningText, NestsSoDeep) {
  const std::string head = "{\"weft_tuning\":1,\"program\":\"0.1.0\"}\n";
  const std::string deep = std::string(3'000'000, '[') + std::string(3'000'000, ']');
  for (const std::string &line : {deep, "{\"search\":" + deep + "}"})
    EXPECT_NE(refusal(head + line).find("shared.txt:2"), std::string::npos);
}

TEST_F(TuningText, OfNothingIsItsHeader) {
  EXPECT_EQ(TuningDatabase(path_).export_text(), "{\"weft_tuning\":1,\"program\":\"0.1.0\"}\n");
}

TEST_F(TuningText, WhatWasMeasuredHereStays) {
  TuningDatabase ours(path_), theirs(folder_ / "other.sqlite");
  ASSERT_TRUE(ours.store(key_of("poisson"), outcome_of(1)));
  ASSERT_TRUE(theirs.store(key_of("poisson"), outcome_of(2)));
  ASSERT_TRUE(theirs.store(key_of("elasticity"), outcome_of(3)));
  EXPECT_EQ(ours.import_text(theirs.export_text(), "text"), 1);
  EXPECT_EQ(ours.find(key_of("poisson"))->seconds, 1);
  EXPECT_EQ(ours.find(key_of("elasticity"))->seconds, 3);
  EXPECT_EQ(ours.contents().searches.size(), 3u);

  // The newest of what is imported counts, in whatever order it comes.
  const std::string older = theirs.export_text();
  ASSERT_TRUE(theirs.store(key_of("elasticity"), outcome_of(4)));
  EXPECT_EQ(ours.import_text(theirs.export_text(), "text"), 1);
  EXPECT_EQ(ours.import_text(older, "text"), 0);
  EXPECT_EQ(ours.find(key_of("elasticity"))->seconds, 4);
  // And what is measured afterwards replaces it.
  ASSERT_TRUE(ours.store(key_of("elasticity"), outcome_of(5)));
  EXPECT_EQ(ours.find(key_of("elasticity"))->seconds, 5);
}

TEST_F(TuningText, NothingIsTakenFromATextWithAWrongLine) {
  TuningDatabase from(path_);
  fill(from);
  const std::string good = from.export_text();
  const auto replaced = [&](const std::string &part, const std::string &by) {
    std::string text = good;
    const std::size_t offset = text.find(part);
    EXPECT_NE(offset, std::string::npos) << part;
    return text.replace(offset, part.size(), by);
  };
  EXPECT_CONTAINS(refusal(good + "{\"result\":"), "shared.txt:8: the line is no JSON object");
  EXPECT_CONTAINS(refusal(good + "[1]\n"), "shared.txt:8: an object is expected");
  EXPECT_CONTAINS(refusal(good + "{\"rumour\":{}}\n"), "a line is one machine, result or search");
  EXPECT_CONTAINS(refusal(replaced("\"kernel\":\"fem_integrate\",", "")),
                  "shared.txt:3: \"kernel\" is missing");
  EXPECT_CONTAINS(refusal(replaced("\"fem_integrate\"", "\"\"")), "\"kernel\" is no text");
  EXPECT_CONTAINS(refusal(replaced("\"seconds\":2.0", "\"seconds\":-2.0")), "is no number above 0");
  EXPECT_CONTAINS(refusal(replaced("\"seconds\":2.0", "\"seconds\":0")), "is no number above 0");
  EXPECT_CONTAINS(refusal(replaced("strategy=block", "strategy")), "not written as choices");
  EXPECT_CONTAINS(refusal(replaced("\"size_class\"", "\"size\"")), "\"size_class\" is missing");
  EXPECT_CONTAINS(refusal(replaced("\"validated\":true", "\"validated\":1")), "neither true nor");
  EXPECT_CONTAINS(refusal(replaced("\"validated\"", "\"by\":\"me\",\"validated\"")),
                  "a member that is not known");
  EXPECT_CONTAINS(refusal(replaced("\"time\":\"20", "\"time\":\"31 May 20")), "is no time");
  EXPECT_CONTAINS(refusal(replaced("[20.1,18.5,21.7]", "[20.1,18.5]")), "median, low and high");
  EXPECT_CONTAINS(refusal(replaced("[20.1,18.5,21.7]", "[20.1,21.7,18.5]")),
                  "median, low and high");
  EXPECT_CONTAINS(refusal(replaced("\"weft_tuning\":1", "\"weft_tuning\":2")), "of format 2");
  EXPECT_CONTAINS(refusal(good.substr(good.find('\n') + 1)), "\"weft_tuning\" is missing");
  EXPECT_CONTAINS(refusal(""), "empty");
  EXPECT_CONTAINS(refusal(std::string("\0\xff\x01", 3)), "no JSON");
}

// Any text either is taken or gives an error of its own kind.
TEST_F(TuningText, SurvivesAnyByteChanged) {
  TuningDatabase from(path_);
  fill(from);
  const std::string good = from.export_text();
  int num_refused = 0;
  for (std::size_t offset = 0; offset < good.size(); ++offset)
    for (const char byte : {'"', '0', '{', '\xff'}) {
      std::string text = good;
      text[offset] = byte;
      try {
        read_tuning_text(text, "text");
      } catch (const Error &error) {
        ASSERT_EQ(error.kind(), ErrorKind::input) << error.what();
        ++num_refused;
      }
    }
  EXPECT_GT(num_refused, 1000);
}

TEST_F(TuningText, WhatWasAskedForByNameFailsAloud) {
  fs::create_directories(path_); // a folder where the file should be
  TuningDatabase database(path_);
  EXPECT_THROW(database.export_text(), Error);
  EXPECT_THROW(database.clear(), Error);
  EXPECT_THROW(database.import_text("{\"weft_tuning\":1,\"program\":\"0.1.0\"}", "text"), Error);
}

TEST(TuningTimes, ReadAsTheyAreWritten) {
  EXPECT_EQ(time_text(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(time_text(1795262400123456), "2026-11-21T12:00:00.123456Z");
  EXPECT_EQ(time_from_text("2026-11-21T12:00:00.123456Z"), 1795262400123456);
  for (const char *wrong : {"", "2026-11-21", "2026-13-21T12:00:00.123456Z",
                            "2026-11-21T12:00:00.123456", "2026-11-21T12:00:00.123456Z "})
    EXPECT_FALSE(time_from_text(wrong)) << wrong;
}

} // namespace
} // namespace weft
