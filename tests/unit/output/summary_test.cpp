// What a run prints of functionals that have an estimated error or a gradient.
#include "output/summary.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// The line of a functional of these values and errors.
std::string line_of(const std::vector<double> &values, const std::vector<double> &errors) {
  RunRecord record;
  record.solver.converged = true;
  record.functionals = {{.name = "Q", .values = values}};
  record.adjoint.errors = {{.functional = "Q", .errors = errors}};
  const std::string text = summary_text(record, {});
  const std::size_t begin = text.find("Q = ");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Summary, ValuesHaveTheDigitsThatTheirErrorLeaves) {
  EXPECT_EQ(line_of({316.48371}, {0.0312}), "Q = 316.48 +- 0.03");
  EXPECT_EQ(line_of({316.48371}, {-0.0152}), "Q = 316.484 +- 0.015");
  EXPECT_EQ(line_of({0.1}, {0.25}), "Q = 0.1 +- 0.2");
  EXPECT_EQ(line_of({108015047}, {-43119}), "Q = 108020000 +- 40000");
  EXPECT_EQ(line_of({1.23456e-7}, {2.1e-10}), "Q = 1.235e-07 +- 2e-10");
  EXPECT_EQ(line_of({1.23456e12}, {2.1e9}), "Q = 1.235e+12 +- 2e+09");
  EXPECT_EQ(line_of({20}, {1.4e-11}), "Q = 20 +- 1.4e-11");
  EXPECT_EQ(line_of({1.5}, {0}), "Q = 1.5 +- 0");
  EXPECT_EQ(line_of({1.234, -5.678}, {0.02, 0.3}), "Q = [1.23 +- 0.02, -5.7 +- 0.3]");
}

TEST(Summary, GradientsAreLinesOfTheirOwn) {
  RunRecord record;
  record.adjoint.gradients = {{"Q", "k.fins", {0.25}}, {"Q", "h", {1, 2}}};
  const std::string text = summary_text(record, {});
  EXPECT_NE(text.find("  d Q / d k.fins = 0.25\n  d Q / d h = [1, 2]\n"), std::string::npos)
      << text;
}

} // namespace
} // namespace weft
