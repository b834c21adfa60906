// Functions between a space and the same elements on cells of half the size.
#include "op/adjoint/refined_space.h"

#include <gtest/gtest.h>

#include "op/evaluate/field_values.h"
#include "support/levelled_problem.h"

namespace weft {
namespace {

std::string problem_text(const std::string &cell, int order, int refine) {
  return box_text(cell, 1, 0.2) + "refine = " + std::to_string(refine) +
         "\n[fields]\nu = { element = \"P" + std::to_string(order) +
         "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n"
         "[initial]\nu = \"1 + 2*x - 3*y\"\n";
}

// A function that is not linear, by its dofs.
std::vector<double> some_values(const Discretisation &d) {
  std::vector<double> values(d.num_local);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(2.3 * static_cast<double>(i));
  return values;
}

TEST(RefinedCells, FunctionsAreTheSameOnBothMeshes) {
  for (const std::string cell : {"triangle", "quadrilateral", "tetrahedron", "prism", "hexahedron"})
    for (const int order : {1, 3}) {
      const LevelledProblem fine(problem_text(cell, order, 1));
      const LevelledProblem coarse(problem_text(cell, order, 0));
      const RefinedCells cells(coarse.mesh, fine.mesh, fine.coarser.front().parents);
      const std::vector<double> values = some_values(coarse.d);
      const std::vector<double> finer = cells.interpolate(coarse.d, fine.d, values);
      // At points of space both have the same values, and so at the nodes.
      for (const std::vector<double> &at :
           {std::vector<double>{0.31, 0.62, 0.44}, std::vector<double>{0.77, 0.13, 0.91}}) {
        const std::vector<double> point(at.begin(), at.begin() + coarse.mesh.dim);
        EXPECT_NEAR(probe(fine.d, finer, point)[0], probe(coarse.d, values, point)[0], 1e-9)
            << cell << order;
      }
      const std::vector<double> back = cells.inject(fine.d, coarse.d, finer);
      for (std::size_t i = 0; i < back.size(); ++i)
        ASSERT_NEAR(back[i], values[i], 1e-9) << cell << order;
    }
}

TEST(RefinedCells, PointsAreInAPartOfTheirCell) {
  const LevelledProblem fine(problem_text("tetrahedron", 1, 1));
  const LevelledProblem coarse(problem_text("tetrahedron", 1, 0));
  const RefinedCells cells(coarse.mesh, fine.mesh, fine.coarser.front().parents);
  const std::vector<double> reference = {0.2, 0.3, 0.4};
  const RefinedCells::Point found = cells.find(0, 5, reference);
  const auto place = [](const Discretisation &d, int set, std::int32_t cell,
                        const std::vector<double> &point) {
    const PointTable table = make_point_table(d, set, point);
    const PointBatch batch(d, table, std::span(&cell, 1));
    return std::vector<double>{batch.coordinate(0)[0], batch.coordinate(1)[0],
                               batch.coordinate(2)[0]};
  };
  const std::vector<double> expected = place(coarse.d, 0, 5, reference);
  const std::vector<double> at = place(fine.d, found.set, found.cell, found.reference);
  for (int e = 0; e < 3; ++e)
    EXPECT_NEAR(at[e], expected[e], 1e-12);
}

// Eight parts of a tetrahedron.
TEST(RefinedCells, SumsAreOverTheParts) {
  const LevelledProblem fine(problem_text("tetrahedron", 1, 1));
  const LevelledProblem coarse(problem_text("tetrahedron", 1, 0));
  const RefinedCells cells(coarse.mesh, fine.mesh, fine.coarser.front().parents);
  const std::vector<double> ones(fine.mesh.num_cells(), 1.);
  for (const double sum : cells.sum_of_parts(ones))
    EXPECT_EQ(sum, 8);
}

} // namespace
} // namespace weft
