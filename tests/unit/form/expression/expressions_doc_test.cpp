// Every example of docs/reference/expressions.md is what it says.
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "form/expression/expression.h"
#include "form/law/conservation_law.h"
#include "support/form_testing.h"

namespace weft {
namespace {

// A law of u that takes the example's place in it; v is there too.
void try_law(const std::string &context, const std::string &example) {
  FormSpec spec = testing::two_fields(2);
  spec.parameters = {testing::by_group("k", {{"a", "1"}, {"b", "2"}})};
  ConservationLawSpec &law = spec.law.emplace();
  law.flux["u"] = testing::text(context == "flux" ? example : "k*u*X");
  law.source["v"] = testing::text("0");
  if (context == "numerical_flux")
    law.numerical_flux_of["u"] = testing::text(example);
  if (context == "outer")
    spec.boundaries = {{.group = "wall", .outer = {{"u", testing::text(example)}}}};
  make_conservation_law(spec);
}

void try_example(const std::string &context, const std::string &example) {
  if (context == "flux" || context == "numerical_flux" || context == "outer")
    return try_law(context, example);
  FormSpec spec = testing::two_fields(2);
  spec.parameters = {testing::by_group("k", {{"a", "1"}, {"b", "2"}})};
  spec.integrals = {testing::integral(Domain::cells, "k*u*test(u) + dot(v, test(v))")};
  const SourceText text = testing::text(example);
  if (context == "cells" || context == "facets")
    make_expression(spec, text, {}, true, context == "facets");
  else if (context == "weak_form")
    spec.integrals.push_back(testing::integral(Domain::cells, example));
  else if (context == "interior")
    spec.integrals.push_back(testing::integral(Domain::interior, example));
  else if (context == "edges")
    spec.integrals.push_back(testing::integral(Domain::edges, example));
  else if (context == "points")
    spec.integrals.push_back(testing::integral(Domain::points, example));
  else
    ADD_FAILURE() << "unknown context " << context;
  make_form(spec);
}

TEST(ExpressionsDoc, ExamplesAreAccepted) {
  std::ifstream page(std::string(WEFT_SOURCE_DIR) + "/docs/reference/expressions.md");
  const std::string fence = "```expressions ";
  std::string line, context;
  int num_examples = 0;
  while (std::getline(page, line)) {
    if (line.starts_with("```")) {
      context = line.starts_with(fence) ? line.substr(fence.size()) : "";
    } else if (!context.empty()) {
      EXPECT_NO_THROW(try_example(context, line.substr(0, line.find('#')))) << line;
      ++num_examples;
    }
  }
  EXPECT_GT(num_examples, 30);
}

} // namespace
} // namespace weft
