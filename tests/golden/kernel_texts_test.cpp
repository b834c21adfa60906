// Generated texts compared with the files beside this one, without the dialect. When they change on
// purpose: WEFT_WRITE_GOLDEN=1 ctest --test-dir build -R golden, then look at the difference.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/embedded.h"
#include "support/build_only_device.h"
#include "support/kernel_case.h"

namespace weft {
namespace {

// The host under the name of an OpenCL device, whose dialect the golden texts are written in.
DeviceInfo opencl_info() {
  DeviceInfo info = open_host_device()->info();
  info.backend = "opencl";
  return info;
}

// What is defined for the dialect, which is not in the text.
bool is_of_dialect(const std::string &name) {
  return name == "WEFT_LANES" || name.rfind("WEFT_REAL_", 0) == 0;
}

// Every constant, table and `const` variable of the text is named again.
void expect_names_are_read(const std::string &text) {
  std::map<std::string, int> times;
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
    ++times[at->str()];
  const std::regex definition("#define (\\w+)|WEFT_CONSTANT \\w+ (\\w+)\\[|"
                              "\\n *const (?:lane|real|i32|i64) (\\w+) =");
  for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at)
    for (int group = 1; group <= 3; ++group) {
      const std::string name = (*at)[group].str();
      EXPECT_TRUE(name.empty() || is_of_dialect(name) || times[name] > 1) << name << " is not read";
    }
}

void expect_golden(const std::string &file, const std::string &problem_text,
                   const OperatorSettings &settings) {
  const DiscreteProblem problem(problem_text);
  BuildOnlyDevice device(opencl_info());
  FormOperator op(device, problem.d, settings);
  std::string text = op.launches(IntegralKind::residual).front().source.text;
  const std::string dialect = embedded_text("kernels/dialect/opencl.h");
  const std::size_t begin = text.find(dialect);
  ASSERT_NE(begin, std::string::npos);
  text.erase(begin, dialect.size());

  const std::string path = std::string(WEFT_SOURCE_DIR) + "/tests/golden/" + file;
  if (std::getenv("WEFT_WRITE_GOLDEN"))
    std::ofstream(path) << text;
  expect_names_are_read(text);
  std::ifstream in(path);
  std::ostringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text, golden.str()) << "If the change is meant: WEFT_WRITE_GOLDEN=1";
}

TEST(KernelTexts, PoissonTetrahedronBlock) {
  OperatorSettings settings;
  settings.strategy = Strategy::block;
  settings.lanes = 8;
  settings.leaves_per_block = 1;
  settings.form_name = "poisson";
  expect_golden("poisson_tetrahedron_p1_block_f64.cl",
                box_text("tetrahedron") + "[fields]\nu = { element = \"P1\" }\n[weak_form]\n"
                                          "cells.all = \"inner(grad(u), grad(test(u)))\"\n",
                settings);
}

// Several points: constant gradients are computed once, fluxes are summed before they are applied.
TEST(KernelTexts, ReactionDiffusionTriangleCell) {
  OperatorSettings settings;
  settings.strategy = Strategy::cell;
  settings.lanes = 8;
  settings.form_name = "reaction_diffusion";
  expect_golden("reaction_diffusion_triangle_p1_cell_f64.cl",
                box_text("triangle") +
                    "[fields]\nu = { element = \"P1\" }\n[weak_form]\ncells.all = "
                    "\"u*inner(grad(u), grad(test(u))) + u*test(u)\"\n",
                settings);
}

TEST(KernelTexts, ElasticityTriangleTransposed) {
  OperatorSettings settings;
  settings.strategy = Strategy::transposed;
  settings.precision = Precision::f32;
  settings.lanes = 4;
  settings.num_blocks = 4;
  settings.num_batches = 4;
  settings.form_name = "elasticity";
  expect_golden("elasticity_triangle_p1_transposed_f32.cl",
                box_text("triangle") + form_text("elasticity", "P1", true), settings);
}

} // namespace
} // namespace weft
