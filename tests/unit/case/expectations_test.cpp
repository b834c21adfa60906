#include "support/case_text.h"

namespace weft {
namespace {

Expectations read(const std::string &text) {
  const CaseFolder folder;
  return read_expectations(folder.write("expect.toml", text));
}

TEST(ExpectationsFile, ReadsValuesListsAndBounds) {
  const Expectations e = read(R"toml(source = "NAFEMS T4"
[functionals]
T_E = { value = 18.3, relative = 0.01 }
F = { value = [1, 2.5], absolute = 1e-3 }
[errors]
"T.L2" = { below = 1e-3 }
)toml");
  EXPECT_EQ(e.source, "NAFEMS T4");
  ASSERT_EQ(e.entries.size(), 4u);
  EXPECT_EQ(e.entries[0].name, "functionals.T_E");
  EXPECT_EQ(e.entries[0].component, -1);
  EXPECT_DOUBLE_EQ(*e.entries[0].value, 18.3);
  EXPECT_DOUBLE_EQ(*e.entries[0].relative, 0.01);
  EXPECT_FALSE(e.entries[0].absolute);
  EXPECT_EQ(e.entries[2].component, 1);
  EXPECT_DOUBLE_EQ(*e.entries[2].value, 2.5);
  EXPECT_EQ(e.entries[3].name, "errors.T.L2");
  EXPECT_DOUBLE_EQ(*e.entries[3].below, 1e-3);
}

TEST(ExpectationsFile, ReadsErrorsOfCombinations) {
  const Expectations e = read(R"toml(source = "bound"
[verify]
triangle.P1."T.L2".below = 0.5
triangle.P2 = { "T.L2" = { below = 0.1 }, "T.H1" = { below = 0.2 } }
)toml");
  EXPECT_TRUE(e.entries.empty());
  ASSERT_EQ(e.combinations.size(), 2u);
  EXPECT_EQ(e.combinations.at("triangle P1")[0].name, "errors.T.L2");
  EXPECT_DOUBLE_EQ(*e.combinations.at("triangle P1")[0].below, 0.5);
  EXPECT_EQ(e.combinations.at("triangle P2")[1].name, "errors.T.H1");
  EXPECT_THROW(read("[verify]\ntriangle.P1 = 3\n"), Error);
}

TEST(ExpectationsFile, MissingFileHasNone) {
  EXPECT_TRUE(read_expectations("/nowhere/expect.toml").entries.empty());
}

TEST(ExpectationsFile, WhatCannotBeCheckedIsAnError) {
  for (const char *line : {"Q = { value = 1 }", "Q = { relative = 1 }", "Q = {}", "Q = 3",
                           "Q = { valu = 3, relative = 1 }", "Q = { value = 1, relative = -1 }"})
    EXPECT_THROW(read(std::string("[functionals]\n") + line), Error) << line;
}

} // namespace
} // namespace weft
