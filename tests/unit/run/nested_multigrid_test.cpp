// Multigrid from coarser discretisations: iterations that do not depend on the size of the mesh and
// grow slowly with the order.
#include "run/nested_multigrid.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "op/assembly/assembled_operator.h"
#include "support/levelled_problem.h"
#include "support/solve_support.h"

namespace weft {
namespace {

// A problem, the operator of its finest space and multigrid for it.
struct NestedProblemOnDevice {
  LevelledProblem problem;
  std::unique_ptr<FormOperator> op;
  VectorKernels kernels;
  std::unique_ptr<PrecondMultigrid> multigrid;
  Vector r, z, scratch;

  NestedProblemOnDevice(const std::string &text, const MultigridSettings &settings, bool assembled,
                        bool rigid_body_modes)
      : problem(text), op(make_operator(problem.d, assembled)),
        kernels(test::device(), Precision::f64, op->size(), 4, {}),
        multigrid(std::make_unique<PrecondMultigrid>(
            kernels,
            nested_multigrid(settings, {&problem.c, &problem.d, &problem.coarser},
                             rigid_body_modes),
            false)),
        r(kernels.vector("residual")), z(kernels.vector("correction")),
        scratch(kernels.vector("product")) {}

  static std::unique_ptr<FormOperator> make_operator(const Discretisation &d, bool assembled) {
    const OperatorSettings settings{.form_name = "nested"};
    if (assembled)
      return std::make_unique<AssembledOperator>(test::device(), d, settings);
    return std::make_unique<FormOperator>(test::device(), d, settings);
  }
  Eigen::VectorXd solve_with_cycle(const Eigen::VectorXd &values) {
    set_vector(test::device(), r, std::span(values.data(), values.size()));
    return test::download_vector(multigrid->apply(r, z, scratch));
  }
  Eigen::VectorXd product(const Eigen::VectorXd &values) {
    set_vector(test::device(), r, std::span(values.data(), values.size()));
    op->apply(r, z);
    return test::download_vector(z);
  }

  // Iterations of flexible CG to 1e-8 (Notay 2000, DOI 10.1137/S1064827599362314).
  int iterations() {
    op->linearise({});
    multigrid->update(*op);
    const Eigen::VectorXd b = test::random_vector(int(op->size()), 1);
    Eigen::VectorXd rest = b, p, ap;
    int count = 0;
    for (; rest.norm() > 1e-8 * b.norm() && count < 100; ++count) {
      const Eigen::VectorXd correction = solve_with_cycle(rest);
      p = count == 0 ? correction
                     : Eigen::VectorXd(correction - correction.dot(ap) / p.dot(ap) * p);
      ap = product(p);
      rest -= rest.dot(p) / p.dot(ap) * ap;
    }
    return count;
  }
};

int iterations(const std::string &text, Precision precision = Precision::f32,
               bool assembled = false, bool rigid_body_modes = false,
               MultigridKind kind = MultigridKind::nested) {
  MultigridSettings settings;
  settings.kind = kind;
  settings.precisions = {precision};
  settings.coarsest_size = 50;
  return NestedProblemOnDevice(text, settings, assembled, rigid_body_modes).iterations();
}

std::string poisson(const std::string &cell, const std::string &cells, int order,
                    const std::string &mesh = "") {
  return fmt::format(
      "[mesh]\nbox = {{ cells = {}, cell = \"{}\" }}\n{}\n[fields]\nu = {{ element = "
      "\"P{}\" }}\n[weak_form]\ncells.all = \"dot(grad(u), grad(test(u)))\"\n"
      "[dirichlet]\nx0 = {{ u = 0 }}\ny1 = {{ u = 0 }}\n",
      cells, cell, mesh, order);
}
std::string squares(int n) {
  return fmt::format("[{}, {}]", n, n);
}

// Iterations for meshes each of which has half the cell size of the one before: at most `most`, and
// no more than one apart.
void expect_flat(const std::vector<int> &counts, int most, const std::string &what) {
  const auto [least, largest] = std::minmax_element(counts.begin(), counts.end());
  EXPECT_LE(*largest, most) << what;
  EXPECT_LE(*largest - *least, 1) << what;
}

TEST(NestedMultigrid, IterationsDoNotDependOnTheSizeOfABox) {
  std::vector<int> counts;
  for (const int n : {16, 32, 64})
    counts.push_back(iterations(poisson("triangle", squares(n), 1), Precision::f16, true));
  expect_flat(counts, 8, "f16");
  EXPECT_LE(iterations(poisson("triangle", squares(32), 1), Precision::f64, true), counts[1]);
}

TEST(NestedMultigrid, IterationsDoNotDependOnHowOftenAMeshIsRefined) {
  std::vector<int> counts;
  for (const int refine : {2, 3}) {
    const std::string mesh = fmt::format("refine = {}", refine);
    counts.push_back(iterations(poisson("tetrahedron", "[2, 2, 2]", 1, mesh), Precision::f16));
  }
  expect_flat(counts, 10, "tetrahedra");
  std::vector<int> distorted;
  for (const int refine : {2, 3, 4}) {
    const std::string text = poisson("quadrilateral", "[3, 3]", 1);
    std::string with_refinement = text;
    with_refinement.insert(text.find("[fields]"), fmt::format("refine = {}\n", refine));
    with_refinement.insert(with_refinement.find(" }"), ", distort = 0.2");
    distorted.push_back(iterations(with_refinement, Precision::f16));
  }
  expect_flat(distorted, 7, "distorted");
}

TEST(NestedMultigrid, IterationsGrowSlowlyWithTheOrder) {
  const int most[] = {0, 6, 9, 13, 12};
  for (int order = 2; order <= (std::getenv("WEFT_TEST_ALL") ? 4 : 3); ++order) {
    std::vector<int> counts;
    for (const int n : {8, 16})
      counts.push_back(iterations(poisson("quadrilateral", squares(n), order)));
    expect_flat(counts, most[order], fmt::format("P{}", order));
  }
}

TEST(LowOrderMultigrid, IterationsHardlyDependOnSizeAndOrder) {
  std::vector<int> counts;
  for (const auto &[order, n] : {std::pair(2, 16), std::pair(2, 32), std::pair(4, 8),
                                 std::pair(4, 16), std::pair(8, 4), std::pair(8, 8)})
    counts.push_back(iterations(poisson("quadrilateral", squares(n), order), Precision::f16, false,
                                false, MultigridKind::low_order));
  EXPECT_LE(*std::max_element(counts.begin(), counts.end()), 20)
      << fmt::format("{}", fmt::join(counts, " "));
}

TEST(NestedMultigrid, AggregationGoesOnBelowTheCoarsestMesh) {
  std::vector<int> counts;
  for (const int n : {9, 18, 27}) // no coarser box, or one
    counts.push_back(iterations(poisson("triangle", squares(n), 2), Precision::f16));
  expect_flat(counts, 10, "aggregation");
}

// Those of order 2 are compiled for long.
TEST(NestedMultigrid, DoesElasticity) {
  const auto text = [](int n, int order) {
    return fmt::format(
        "[mesh]\nbox = {{ size = [4, 1], cells = [{}, {}] }}\n[fields]\nu = {{ element = \"P{}\", "
        "shape = \"vector\" }}\n[weak_form]\ncells.all = \"2*inner(sym(grad(u)), "
        "sym(grad(test(u)))) + 3*div(u)*div(test(u))\"\n[dirichlet]\nx0 = {{ u = [0, 0] }}\n",
        4 * n, n, order);
  };
  for (int order = 1; order <= (std::getenv("WEFT_TEST_ALL") ? 2 : 1); ++order) {
    std::vector<int> counts;
    for (const int n : {8, 16})
      counts.push_back(iterations(text(n, order), Precision::f16, order == 1, true));
    expect_flat(counts, 24, fmt::format("P{}", order));
  }
}

} // namespace
} // namespace weft
