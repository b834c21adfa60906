// Kernels of discontinuous Galerkin methods as CUDA text, compiled for the GPU's architecture: no
// GPU is needed for that.
#include <gtest/gtest.h>

#include "op/law/first_times.h"
#include "op/law/matrix_rates.h"
#include "support/cuda_compiler.h"
#include "support/fv_case.h"
#include "support/fv_diffusion_case.h"
#include "support/reaction_case.h"

namespace weft {
namespace {

// Laws, cells, precisions and updates in turn, all stages; axes as in DgCase.
TEST(CudaDgKernels, Compile) {
  const std::vector<DgCase> cases = {{{0, 0, 2, 2, 0, 0, 3, 0, 2}}, {{1, 1, 1, 3, 1, 0, 1, 1, 0}},
                                     {{2, 0, 3, 1, 0, 0, 2, 2, 4}}, {{3, 1, 1, 0, 1, 0, 4, 3, 1}},
                                     {{4, 2, 2, 2, 0, 0, 0, 0, 3}}, {{5, 1, 0, 1, 0, 0, 3, 1, 2}}};
  for (const DgCase &c : cases) {
    SCOPED_TRACE(c.name());
    const DgProblem p(c);
    CudaCompiler device;
    DgOperator op(device, p.problem.d, c.settings(false));
    const StageUpdate update = c.stage_update();
    Vector q = make_vector(device, op.size(), op.precision(), "state"), start = q, sum = q, out = q;
    op.stage(dg_time, dg_step, update, q, &start, &sum, out);
    const int stages = (p.problem.d.law->viscous ? 1 : 0) + (c.settings(false).fused ? 1 : 4);
    EXPECT_EQ(device.binaries(), stages * static_cast<int>(op.mesh().sets.size()));
  }
}

// Finite volumes with gradients, limiters and diffusion, and their longest step.
TEST(CudaDgKernels, OfFiniteVolumesCompile) {
  for (const FvCase &c :
       {FvCase{{{2, 0, 0, 2, 0, 0, 0, 0, 2}}, "limiter = \"venkatakrishnan\"\n"},
        FvCase{{{1, 1, 0, 3, 1, 0, 0, 1, 0}}, "limiter = \"barth_jespersen\"\n"},
        FvCase{{{3, 0, 0, 0, 0, 0, 0, 0, 4}}, "diffusion = \"corrected\"\n", true}}) {
    SCOPED_TRACE(c.name());
    const FvProblem p(c);
    CudaCompiler device;
    const DgSettings settings = c.settings(false);
    DgOperator op(device, p.problem.d, settings);
    Vector q = make_vector(device, op.size(), op.precision(), "state"), start = q, sum = q, out = q;
    op.stage(dg_time, dg_step, c.of.stage_update(), q, &start, &sum, out);
    op.unit_step(dg_time, q);
    EXPECT_EQ(device.binaries(), settings.fused ? 3 : 5);
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
    DgOperator op(device, p.d, {.precision = precision, .lanes = 1});
    MatrixRates rates(op, p.d);
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
    DgOperator op(device, p.problem.d, {.precision = c.precision, .lanes = 1});
    EXPECT_EQ(device.binaries(), 2); // triangles, quadrilaterals
    const FirstTimes first(p.problem.c, p.problem.d, op);
    EXPECT_EQ(device.binaries(), 4);
  }
}

} // namespace
} // namespace weft
