// The file of variants: what it may hold, and what is said of one that is wrong.
#include "run/variants/variants_file.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace weft {
namespace {

std::string message_of(const std::string &text) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("old.json")) << text;
  try {
    read_variants(folder.file("old.json"));
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("old.json"), std::string::npos) << error.what();
    return error.what();
  }
  return {};
}

TEST(VariantsFile, ResultsOfARunOrTheChoicesAlone) {
  for (const std::string text :
       {R"({"version": "0.1.0", "variants": {"fem_integrate": "a=1 b=2"}})",
        R"({"fem_integrate": "a=1 b=2"})"}) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("old.json")) << text;
    const auto variants = read_variants(folder.file("old.json"));
    ASSERT_EQ(variants.size(), 1u);
    EXPECT_EQ(to_string(variants.at("fem_integrate")), "a=1 b=2");
  }
}

TEST(VariantsFile, WhatIsWrongIsNamed) {
  for (const std::string &text : {std::string("none"), std::string(100'000, '[')})
    EXPECT_NE(message_of(text).find("no JSON"), std::string::npos);
  EXPECT_NE(message_of("[]").find("no variants"), std::string::npos);
  EXPECT_NE(message_of(R"({"variants": {}})").find("no variants"), std::string::npos);
  EXPECT_NE(message_of(R"({"variants": {"fem_integrate": 3}})").find("no text"), std::string::npos);
  EXPECT_NE(message_of(R"({"fem_integrate": "lanes"})").find("lanes"), std::string::npos);
  try {
    read_variants("/nowhere/old.json");
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/old.json"), std::string::npos);
  }
}

} // namespace
} // namespace weft
