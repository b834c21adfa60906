// What a case asks of its solution is refused before there is one.
#include <gtest/gtest.h>

#include "op/law/result_check.h"
#include "support/discrete_problem.h"

using namespace weft;

namespace {

const std::string poisson_lines = box_text("triangle") +
                                  "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                                  "cells.all = \"inner(grad(u), grad(test(u)))\"\n";

// The message of check_results() of this problem with these lines; empty where there is none.
std::string refusal(const std::string &lines) {
  const DiscreteProblem problem(poisson_lines + lines);
  try {
    check_results(problem.c, problem.d);
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}

void expect_refused(const std::string &lines, const std::vector<std::string> &parts) {
  const std::string message = refusal(lines);
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

std::string refused_expectation(const Expectation &expectation) {
  const DiscreteProblem problem(poisson_lines + "[functionals]\nf = { integral = \"[u, 1]\" }\n"
                                                "g = { integral = \"u\" }\n[exact]\nu = \"x\"\n");
  Expectations expected;
  expected.entries = {expectation};
  try {
    check_expected_names(expected, "expect.toml", problem.c, problem.d);
  } catch (const Error &error) {
    return error.what();
  }
  return {};
}

} // namespace

TEST(result_check, functionals) {
  EXPECT_EQ(refusal("[functionals]\nf = { integral = \"u\", facets = \"x0\" }\n"), "");
  expect_refused("[functionals]\nf = { integral = \"u\", cells = \"bax\" }\n", {"bax", "box"});
  expect_refused("[functionals]\nf = { integral = \"u + [1, 2]\" }\n", {"f"});
  expect_refused("[functionals]\nf = { integral = \"v\" }\n", {"v"});
  expect_refused("[functionals]\nf = { point = [0.5, 0.5, 0], value = \"u\" }\n",
                 {"wrong number of coordinates", "3 coordinates", "2, one a direction"});
  expect_refused("[functionals]\nf = { point = [0.5, 7], value = \"u\" }\n",
                 {"outside the mesh", "[0.5, 7]"});
}

TEST(result_check, probes) {
  EXPECT_EQ(refusal("[output]\nprobes = [[0.5, 0.5], [1, 1]]\n"), "");
  expect_refused("[output]\nprobes = [[0.5, 0.5], [0.5]]\n", {"probes[1]", "1 coordinates"});
  expect_refused("[output]\nprobes = [[0.5, 0.5], [0.5, 1.5]]\n",
                 {"probes[1]", "outside the mesh", "[0.5, 1.5]"});
}

TEST(result_check, fields_and_exact) {
  EXPECT_EQ(refusal("[output]\nfields = [\"u\", \"grad(u)\"]\n[exact]\nu = \"x*y\"\n"), "");
  expect_refused("[output]\nfields = [\"u\", \"w\"]\n", {"w"});
  expect_refused("[exact]\nu = [\"x\", \"y\"]\n", {"u"});
  expect_refused("[exact]\nu = \"x + u\"\n", {"u"});
}

TEST(result_check, names_in_expect_toml) {
  EXPECT_EQ(refused_expectation({.name = "functionals.g", .value = 1, .relative = 1}), "");
  EXPECT_EQ(refused_expectation({.name = "functionals.f", .component = 1, .value = 1}), "");
  EXPECT_EQ(refused_expectation({.name = "errors.u.H1", .below = 1}), "");
  EXPECT_NE(refused_expectation({.name = "functionals.h", .below = 1}).find("functionals.g"),
            std::string::npos);
  EXPECT_NE(refused_expectation({.name = "errors.u.L1", .below = 1}).find("errors.u.L2"),
            std::string::npos);
  EXPECT_NE(refused_expectation({.name = "functionals.f", .below = 1}).find("a list of 2"),
            std::string::npos);
  EXPECT_NE(refused_expectation({.name = "functionals.f", .component = 2}).find("component 2"),
            std::string::npos);
}
