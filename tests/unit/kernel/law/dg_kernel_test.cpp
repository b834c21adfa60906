// The kernels of laws: their arguments, and what tells them apart.
#include "kernel/law/dg_kernel.h"

#include <gtest/gtest.h>
#include <set>

#include "support/law_testing.h"

namespace weft {
namespace {

// The names of the line "#define WEFT_NAMES a, b".
std::vector<std::string> names_of(const std::string &text) {
  const std::string head = "#define WEFT_NAMES ";
  const std::size_t begin = text.find(head) + head.size();
  std::string line = text.substr(begin, text.find('\n', begin) - begin) + ", ";
  std::vector<std::string> names;
  for (std::size_t end; (end = line.find(", ")) != std::string::npos; line.erase(0, end + 2))
    names.push_back(line.substr(0, end));
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
      EXPECT_EQ(kernel.arguments[0], ArgumentSpec{ArgumentRole::num_groups});
      EXPECT_EQ(names[0], "num_groups");
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
