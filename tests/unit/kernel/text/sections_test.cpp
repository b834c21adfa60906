#include "kernel/text/sections.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Sections, BeginWithALineUnlessTheyAreEmpty) {
  EXPECT_EQ(section("tables", "a\n"), "\n// ==== tables\na\n");
  EXPECT_EQ(section("tables", ""), "");
  EXPECT_EQ(kernel_file("fem/block_nodes").rfind("\n// ==== kernel file fem/block_nodes\n//", 0),
            0);
}

TEST(Sections, FunctionsStandApartAndLongHeadsHaveALineForEachArgument) {
  const std::string is_long(80, 'x');
  EXPECT_EQ(function_section("f", "WEFT_FUNCTION void f(a, b) {\n}\nWEFT_FUNCTION void " + is_long +
                                      "(const i32 a, const i32 b) {\n}\n"),
            "\n// ==== f\nWEFT_FUNCTION void f(a, b) {\n}\n\nWEFT_FUNCTION void " + is_long +
                "(\n    const i32 a,\n    const i32 b) {\n}\n");
}

TEST(Sections, IndicesHaveNoDeadTerms) {
  EXPECT_EQ(affine_text("i", 3, 2), "i * 3 + 2");
  EXPECT_EQ(affine_text("i", 1, 0), "i");
  EXPECT_EQ(lanes_past("f", 0), "f");
  EXPECT_EQ(lanes_past("f", 1), "f + WEFT_LANES");
  EXPECT_EQ(lanes_past("f", 2), "f + 2 * WEFT_LANES");
}

TEST(Sections, ConstantsThatNothingReadsAreNotDefined) {
  Constants constants;
  constants.define("WEFT_INNER", 3);
  constants.define("WEFT_OUTER", "WEFT_INNER");
  constants.define("WEFT_ENTRY(e)", "(e)");
  constants.define("WEFT_SPARE", 7);
  EXPECT_EQ(constants.text_for("a[WEFT_ENTRY(WEFT_OUTER)] = WEFT_SPARE_NOT;"),
            "\n// ==== constants\n#define WEFT_INNER 3\n#define WEFT_OUTER WEFT_INNER\n"
            "#define WEFT_ENTRY(e) (e)\n");
}

} // namespace
} // namespace weft
