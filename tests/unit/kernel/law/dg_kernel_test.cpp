// The kernels of laws: their arguments, and what tells them apart.
#include "kernel/law/dg_kernel.h"

#include <cctype>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "support/law_testing.h"

namespace weft {
namespace {

// The names of "#define WEFT_NAMES a, b", which may go on behind a backslash.
std::vector<std::string> names_of(const std::string &text) {
  const std::string head = "#define WEFT_NAMES";
  std::istringstream lines(text.substr(text.find(head) + head.size()));
  std::vector<std::string> names(1);
  std::string line;
  do {
    std::getline(lines, line);
    for (const char c : line)
      if (c == ',')
        names.emplace_back();
      else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
        names.back() += c;
  } while (line.ends_with('\\'));
  return names;
}

TEST(DgKernels, HaveEachArgumentOnce) {
  const ConservationLaw law = testing::law_of("acoustics", 2);
  const NodalOperators operators = make_nodal_operators(make_nodal_element(CellType::triangle, 2));
  for (const bool by_symmetry : {false, true})
    for (const DgStage stage : {DgStage::fused, DgStage::differentiate, DgStage::flux,
                                DgStage::lift, DgStage::update, DgStage::step}) {
      SCOPED_TRACE(to_string(stage));
      DgKernelSpec spec;
      spec.law = &law;
      spec.operators = &operators;
      spec.lanes = 4;
      spec.by_symmetry = by_symmetry;
      const KernelSource kernel = make_dg_kernel(stage, spec, "opencl");
      const std::set<ArgumentSpec> arguments(kernel.arguments.begin(), kernel.arguments.end());
      EXPECT_EQ(arguments.size(), kernel.arguments.size());
      const std::vector<std::string> names = names_of(kernel.text);
      EXPECT_EQ(names.size(), kernel.arguments.size());
      EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
      EXPECT_EQ(kernel.arguments[0], ArgumentSpec{ArgumentRole::begin_group});
      EXPECT_EQ(names[0], "begin_group");
    }
}

TEST(DgKernels, AreToldApartByTheirChoices) {
  const DgChoices choices;
  DgChoices other;
  EXPECT_EQ(choices, other);
  other.update.keeps_sum = false;
  EXPECT_NE(choices, other);
  other = choices;
  other.node_group = {.parallel = 2};
  EXPECT_NE(choices, other);
}

} // namespace
} // namespace weft
