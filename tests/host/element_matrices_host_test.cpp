// Kernels of element matrices as plain C++: under the sanitizers against plain loops, and their
// cost formulas against what they are counted to do.
#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "support/expect_counted.h"
#include "support/matrix_case.h"

namespace weft {
namespace {

// Each cell type, form, loop order, destination and local array; axes as in MatrixCase.
std::vector<MatrixCase> sanitized_cases() {
  return {{{0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0}}, {{1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0}},
          {{2, 0, 4, 1, 2, 2, 1, 1, 1, 0, 0}}, {{3, 0, 2, 2, 3, 3, 0, 1, 0, 0, 0}},
          {{4, 0, 5, 0, 4, 4, 1, 1, 0, 0, 0}}, {{5, 0, 3, 1, 0, 0, 0, 0, 1, 1, 0}}};
}

class HostMatrixKernels : public testing::TestWithParam<MatrixCase> {};

TEST_P(HostMatrixKernels, AgreeWithTheReferenceUnderTheSanitizers) {
  const MatrixCase c = GetParam();
  const DiscreteProblem problem(c.problem_text("[1, 2, 1]"), c.deformation(),
                                c.quadrature_degree());
  const auto device = open_host_device({.sanitize = sanitizers_run(), .reverse = true});
  expect_element_matrices(*device, problem.d, c);
}

INSTANTIATE_TEST_SUITE_P(Cells, HostMatrixKernels, testing::ValuesIn(sanitized_cases()),
                         [](const auto &info) { return info.param.name(); });

class MatrixCosts : public testing::TestWithParam<MatrixCase> {};

TEST_P(MatrixCosts, AreWhatIsCounted) {
  const MatrixCase c = GetParam();
  const DiscreteProblem problem(c.problem_text(), c.deformation(), c.quadrature_degree());
  const auto device = open_host_device({.count = true});
  const FormIntegrals integrals(problem.d);
  ElementMatrices matrices(*device, integrals,
                           with_choices(c.settings(true), integrals, device->info()), 0,
                           c.variant(true), c.with_vector());
  Vector u = make_vector(*device, problem.d.num_owned, matrices.integral().precision, "u");
  Vector x = make_vector(*device, problem.d.num_owned, matrices.integral().precision, "x");
  set_vector(*device, u, wavy(problem.d.num_owned, 0.3));
  set_vector(*device, x, wavy(problem.d.num_owned, 1.1));
  take_counted_costs(*device);
  matrices.compute(u, &x);
  expect_counted(take_counted_costs(*device),
                 {{matrices.launch().source.name, matrices.launch().cost}});
}

// Accesses to the array in local memory, loop order QSS, beside those that the formula leaves out:
// copies to and from memory. Of one lane, whose tables are its own.
TEST(LocalArrays, AccessesAreWhatIsCounted) {
  for (const int cell : {2, 4}) // tetrahedron, prism
    for (const LocalArray local :
         {LocalArray::geometry, LocalArray::coefficients, LocalArray::shape, LocalArray::matrix}) {
      MatrixCase c{{cell, 0, 5, 0, 4, static_cast<int>(local), 0, 0, 0, 0, 0}};
      SCOPED_TRACE(c.name());
      const DiscreteProblem problem(c.problem_text(), c.deformation(), c.quadrature_degree());
      const auto device = open_host_device({.count = true});
      const FormIntegrals integrals(problem.d);
      ElementMatrices matrices(*device, integrals,
                               with_choices(c.settings(true), integrals, device->info()), 0,
                               c.variant(true), true);
      const CellIntegral &integral = matrices.integral();
      Vector u = make_vector(*device, problem.d.num_owned, integral.precision, "u");
      set_vector(*device, u, wavy(problem.d.num_owned, 0.3));
      take_counted_costs(*device);
      matrices.compute(u, nullptr);
      const KernelCost counted = take_counted_costs(*device).begin()->second;
      const double slots =
          static_cast<double>(matrices.groups().num_groups()) * matrices.groups().lanes;
      const double rows = integral.num_rows(), all = rows * rows,
                   half = integral.symmetric ? rows * (rows + 1) / 2 : all;
      double copies = local == LocalArray::matrix ? half : 0; // entries that are stored
      if (local == LocalArray::geometry)
        copies = integral.num_cell_inputs();
      double expected =
          slots * (matrix_cell_cost(integral, matrices.variant()).local_reals + copies);
      if (local == LocalArray::shape) { // a copy a work-group
        EXPECT_GT(counted.local_bytes, 8 * expected);
        EXPECT_LT(counted.local_bytes, 8 * expected + 8 * counted.work_groups * 1000);
        continue;
      }
      EXPECT_EQ(counted.local_bytes, 8 * expected);
    }
}

// Arrays in local memory are left out: how often compilers read them is theirs to say. Of cells and
// forms a half, so that few texts are compiled.
std::vector<MatrixCase> counted_cases() {
  const bool all = std::getenv("WEFT_TEST_ALL") != nullptr;
  std::vector<MatrixCase> cases;
  for (const MatrixCase &c : every_matrix_case())
    if (c.value[MatrixCase::local] == 0 && c.value[MatrixCase::reading] == 0 &&
        c.value[MatrixCase::order] == 0 &&
        (all || (c.value[MatrixCase::cell] % 2 == 0 && c.value[MatrixCase::form] % 2 == 0)))
      cases.push_back(c);
  return all ? cases : covering_pairs(cases);
}

INSTANTIATE_TEST_SUITE_P(Pairs, MatrixCosts, testing::ValuesIn(counted_cases()),
                         [](const auto &info) { return info.param.name(); });

} // namespace
} // namespace weft
