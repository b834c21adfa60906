// Kernels of conservation laws as CUDA text, compiled for the GPU's architecture: no GPU is needed
// for that. A set that covers all pairs of choices, with WEFT_TEST_ALL everything.
#include <gtest/gtest.h>

#include "base/error.h"
#include "op/law/arrival_times.h"
#include "op/law/law_rate_matrix.h"
#include "op/law/law_residual.h"
#include "support/cuda_compiler.h"
#include "support/fv_case.h"
#include "support/fv_diffusion_case.h"
#include "support/reaction_case.h"

namespace weft {
namespace {

// A stage, the longest step and, where the law has one, the limiter.
void build_law_kernels(LawRates &op, const Discretisation &d, const StageUpdate &update) {
  Vector q = make_vector(op.device(), op.size(), op.precision(), "state");
  Vector start = q, sum = q, out = q;
  op.stage(dg_time, dg_step, update, q, &start, &sum, out);
  op.needed_operations(DgStage::step, {});
  if (d.law->limiter == "positivity" || d.law->limiter == "shock")
    op.limit(dg_time, q);
}

// A thread a cell where the case asks for no threads that are nodes, though these are what GPUs
// take.
DgSettings gpu_settings(const DgCase &c) {
  DgSettings settings = c.settings(false);
  if (c.value[DgCase::way] == 0)
    settings.by_nodes = false;
  return settings;
}

// Euler's equations with each of the limiters in turn.
std::string limiter_text(const DgCase &c) {
  const int turn = c.value[DgCase::rows] % 3;
  if (c.law_name() != "euler" || c.value[DgCase::order] == 0 || turn == 0)
    return {};
  return std::string("[conservation_law]\nlimiter = \"") + (turn == 1 ? "positivity" : "shock") +
         "\"\n";
}

void expect_compiled(const DgCase &c) {
  SCOPED_TRACE(c.name());
  const DgProblem p(c, {}, 2, limiter_text(c));
  CudaCompiler device;
  try {
    LawRates op(device, p.problem.d, gpu_settings(c));
    build_law_kernels(op, p.problem.d, c.stage_update());
  } catch (const Error &error) { // nodes that fill more than a work-group
    EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    return;
  }
  EXPECT_GT(device.binaries(), 0);
}

// Those of a type of cell; GPUs have one lane.
std::vector<DgCase> dg_cases_of(int cell) {
  std::vector<DgCase> cases;
  for (const auto &some : {tested_dg_cases(), mixed_dg_cases(), high_order_dg_cases()})
    std::copy_if(some.begin(), some.end(), std::back_inserter(cases),
                 [&](const DgCase &c) { return c.value[DgCase::cell] == cell; });
  return cases;
}

class CudaLaws : public testing::TestWithParam<int> {};
TEST_P(CudaLaws, Compile) {
  for (const DgCase &c : dg_cases_of(GetParam()))
    expect_compiled(c);
}
INSTANTIATE_TEST_SUITE_P(Cells, CudaLaws, testing::Range(0, 7));

// Finite volumes with gradients, limiters and diffusion.
TEST(CudaDgKernels, OfFiniteVolumesCompile) {
  for (const FvCase &c : fv_cases()) {
    SCOPED_TRACE(c.name());
    const FvProblem p(c);
    CudaCompiler device;
    LawRates op(device, p.problem.d, c.settings(false));
    build_law_kernels(op, p.problem.d, c.of.stage_update());
    EXPECT_GE(device.binaries(), 2);
  }
}

// Diffusion of finite volumes by itself, in every variant.
TEST(CudaDgKernels, OfDiffusionCompile) {
  CudaCompiler device;
  const EllpackMatrix matrix = fv_matrix(597, 4);
  const std::vector<FvDiffusionSettings> variants = fv_variants(false);
  for (const FvDiffusionSettings &settings : variants)
    FvDiffusion(device, matrix, settings);
  EXPECT_EQ(device.binaries(), static_cast<int>(variants.size()));
}

// A stage with the rate as a matrix, with each part of an update.
TEST(CudaDgKernels, OfRatesAsAMatrixCompile) {
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [2, 2], cell = \"triangle\" }\n[fields]\nu = { element = "
      "\"FV\" }\n[conservation_law]\nflux.u = \"-grad(u)\"\n[boundary.all]\nflux = { u = "
      "0 }\n[time]\nend = 1\ncfl = 0.5\n");
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    CudaCompiler device;
    LawRates op(device, p.d, {.precision = precision, .lanes = 1});
    LawRateMatrix rates(op, p.d);
    const int before = device.binaries();
    Vector q = make_vector(device, op.size(), op.precision(), "state"), start = q, sum = q, out = q;
    for (const StageUpdate &update :
         {StageUpdate{.state = 1, .rate = 1}, StageUpdate{.start = 0.75, .uses_start = true},
          StageUpdate{.keep = 0.5, .sum = 0.3, .uses_sum = true, .keeps_sum = true}})
      rates.stage(0, 0.01, update, q, &start, &sum, out);
    EXPECT_EQ(device.binaries(), before + 3);
  }
}

// Kernels that look at each node alone, and all parts of an operator that has them.
TEST(CudaDgKernels, OfReactionsAndFirstTimesCompile) {
  for (const ReactionCase &c : {reaction_cases().at(1), reaction_cases().at(2)}) {
    const ReactionProblem p(c);
    CudaCompiler device;
    LawRates op(device, p.problem.d, {.precision = c.precision, .lanes = 1});
    EXPECT_EQ(device.binaries(), 2); // triangles, quadrilaterals
    const ArrivalTimes first(p.problem.c, p.problem.d, op);
    EXPECT_EQ(device.binaries(), 4);
  }
}

} // namespace
} // namespace weft
