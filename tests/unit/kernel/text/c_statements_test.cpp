// C text as it is printed for a compiler.
#include "kernel/text/c_statements.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

std::string printed(const std::string &text) {
  const SourceText source{.text = text, .file = "case.toml", .line = 1, .key = "[pointwise] u.f1"};
  const auto find = [](const std::string &name) -> std::optional<Shape> {
    return name == "u" ? Shape{2} : Shape{};
  };
  const CProgram program =
      parse_c(source, {.result = "f1", .result_shape = {2}, .dim = 2, .find = find, .known = {}});
  check_c_ranges(source, program);
  return print_c_statements(program);
}

TEST(CStatements, NamesHaveAPrefixAndCommentsAreGone) {
  EXPECT_EQ(printed("real kernel_0 = T; // a */ # \\\"comment\\\"\nf1[0] = kernel_0*u[dim - 1];"),
            "real c_kernel_0 = c_T;\nf1[0] = c_kernel_0 * c_u[dim - 1];");
}

TEST(CStatements, StandInTheirOwnLines) {
  const std::string text =
      "\n\nif (T > 0)\n  f1[0] = 1;\nelse\n{ f1[0] = 2;\n\n  f1[1] = 3; }\nreturn;";
  const std::string result = printed(text);
  EXPECT_EQ(result,
            "\n\nif (c_T > 0)\n  f1[0] = 1; else\n\n  { f1[0] = 2;\n\n    f1[1] = 3; }\nreturn;");
  for (const char *part : {"f1[1]", "return"})
    EXPECT_EQ(std::count(text.begin(), text.begin() + text.find(part), '\n'),
              std::count(result.begin(), result.begin() + result.find(part), '\n'));
}

TEST(CStatements, BracketsKeepWhatBelongsTogether) {
  EXPECT_EQ(printed("f1[0] = (1 - 2) - (3 - (T - 5))*2;"), "f1[0] = 1 - 2 - (3 - (c_T - 5)) * 2;");
  EXPECT_EQ(printed("f1[0] = -(-T) - -T*(T/(T*x));"),
            "f1[0] = -(-c_T) - -c_T * (c_T / (c_T * c_x));");
  EXPECT_EQ(printed("f1[0] = !(T < 1 && x > 2 || T == 3);"),
            "f1[0] = !(c_T < 1 && c_x > 2 || c_T == 3);");
  EXPECT_EQ(printed("f1[0] = (T ? 1 : 2)*(x ? T ? 3 : 4 : 5);"),
            "f1[0] = (c_T ? 1 : 2) * (c_x ? c_T ? 3 : 4 : 5);");
  EXPECT_EQ(printed("if (T) { if (x) f1[0] = 1; } else f1[0] = 2;"),
            "if (c_T) { if (c_x) f1[0] = 1; } else f1[0] = 2;");
  EXPECT_EQ(printed("if (T) for (int i = 0; i < 2; ++i) if (x) f1[i] = 1; else ; else f1[0] = 2;"),
            "if (c_T) { for (int c_i = 0; c_i < 2; ++c_i) if (c_x) f1[c_i] = 1; else ; } else "
            "f1[0] = 2;");
}

TEST(CStatements, WholeNumbersAreConvertedSafelyAndVariablesStartAsZero) {
  EXPECT_EQ(printed("int i = T, k; real a[2][3], b[2] = {1}; const bool on = true; k = (int)x;"),
            "int c_i = weft_c_int(c_T), c_k = 0; real c_a[2][3] = {0}, c_b[2] = {1}; const bool "
            "c_on = 1; c_k = weft_c_int(c_x);");
  EXPECT_EQ(printed("f1[0] = abs(1 - 3) - 4;"), "f1[0] = ((int)abs(1 - 3)) - 4;");
  EXPECT_EQ(printed("f1[0] = pow(T, 2) + max(1, 2) + pow(2.0, 1.5);"),
            "f1[0] = pow(c_T, ((real)(2))) + max(1, 2) + pow(2.0, 1.5);");
}

} // namespace
} // namespace weft
