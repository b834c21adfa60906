// The reference loops on a sample give the rows of the reference loops on the whole.
#include "op/reference/sampled.h"

#include <gtest/gtest.h>

#include "op/reference/reference.h"
#include "support/discrete_problem.h"

namespace weft {
namespace {

void expect_rows_of_whole(const DiscreteProblem &problem, std::int64_t most_rows) {
  const Discretisation &d = problem.d;
  std::vector<double> u(d.num_owned), x(d.num_owned);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = 0.3 + 0.01 * static_cast<double>(i * 37 % 101);
    x[i] = -0.4 + 0.01 * static_cast<double>(i * 53 % 97);
  }
  const reference::Sampled sampled(d, 5, 3);
  ASSERT_GT(sampled.dofs().size(), 0u);
  EXPECT_LE(static_cast<std::int64_t>(sampled.dofs().size()), most_rows);
  const std::vector<double> residual = reference::residual(d, u), apply = reference::apply(d, u, x);
  const std::vector<double> rows = sampled.residual(u), products = sampled.apply(u, x);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(rows[i], residual[sampled.dofs()[i]], 1e-12);
    EXPECT_NEAR(products[i], apply[sampled.dofs()[i]], 1e-12);
  }
}

std::string problem_text(const std::string &box) {
  return "[mesh]\nbox = { " + box +
         ", distort = 0.1 }\n[parameters]\nk = 3\n[fields]\nu = { element = \"P2\" }\np = { "
         "element = \"P1\" }\n[weak_form]\ncells.all = \"(k + u^2)*inner(grad(u), grad(test(u))) - "
         "x*test(u) + p*test(p)/cell_size\"\nfacets.x0 = \"k*u*test(u)\"\n[dirichlet]\nx1.u = 1\n";
}

TEST(SampledReference, HasTheRowsOfTheWhole) {
  const DiscreteProblem problem(problem_text("cells = [12, 10, 8], cell = \"tetrahedron\""));
  expect_rows_of_whole(problem, 7 * 14);
}

TEST(SampledReference, HasFacetsToCellsBeside) {
  for (const auto &[element, most_rows] : {std::pair{"DG1", 7 * 4}, {"P1", 7 * 4}}) {
    const DiscreteProblem problem(
        "[mesh]\nbox = { cells = [10, 10, 8], cell = \"tetrahedron\", periodic = [\"x\"] }\n"
        "[fields]\nu = { element = \"" +
        std::string(element) +
        "\" }\n[weak_form]\ncells.all = \"u*test(u)\"\ninterior.all = \"avg(u^2)*jump(test(u)) + "
        "dot(jump(grad(u)), n)*avg(test(u))\"\n");
    expect_rows_of_whole(problem, most_rows);
  }
}

TEST(SampledReference, TakesSmallMeshesWhole) {
  const DiscreteProblem problem(problem_text("cells = [5, 4], cell = \"quadrilateral\""));
  expect_rows_of_whole(problem, problem.d.num_owned);
  EXPECT_EQ(reference::Sampled(problem.d, 1, 1).dofs().size(),
            static_cast<std::size_t>(problem.d.num_owned));
}

} // namespace
} // namespace weft
