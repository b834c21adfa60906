// JSON from files of unknown origin, and with texts that are none.
#include "base/json_text.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string nested(int levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonText, ReadsSoManyLevels) {
  EXPECT_TRUE(parse_json(nested(max_json_depth)));
  EXPECT_FALSE(parse_json(nested(max_json_depth + 2)));
  EXPECT_FALSE(parse_json(nested(10'000'000)));
  EXPECT_FALSE(parse_json(std::string(10'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 100'000; ++i)
    objects += "{\"a\":";
  EXPECT_FALSE(parse_json(objects));
}

TEST(JsonText, NoJson) {
  for (const char *text : {"", "nothing", "{", "[1,]", "\"\xff\""})
    EXPECT_FALSE(parse_json(text)) << text;
  EXPECT_EQ(parse_json(R"({"a": [1, "b"]})")->at("a").at(1), "b");
}

TEST(JsonText, WritesBytesThatAreNoUtf8) {
  const nlohmann::ordered_json json = {{"case", "a\xff.toml"}};
  EXPECT_EQ(json_text(json), "{\"case\":\"a\xef\xbf\xbd.toml\"}");
}

} // namespace
} // namespace weft
