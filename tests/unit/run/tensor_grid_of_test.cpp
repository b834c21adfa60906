#include "run/tensor_grid_of.h"

#include <cmath>
#include <gtest/gtest.h>

#include "support/discrete_problem.h"

namespace weft {
namespace {

std::string case_on(const std::string &box, const std::string &element) {
  return "[mesh]\nbox = " + box + "\n[fields]\nu = { element = \"" + element +
         "\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n";
}

// Neighbours in the grid are neighbours in space, direction by direction.
TEST(TensorGridOf, PutsTheNodesOfBoxesInOrder) {
  for (const auto &[cell, size] :
       {std::pair{"{ size = [3, 1], cells = [6, 4], cell = \"triangle\" }",
                  std::array<std::int64_t, 3>{7, 5, 1}},
        std::pair{"{ cells = [3, 2, 4], cell = \"hexahedron\" }",
                  std::array<std::int64_t, 3>{4, 3, 5}}}) {
    const DiscreteProblem p(case_on(cell, "P1"), {}, 1);
    const TensorGrid grid = tensor_grid_of(p.d);
    ASSERT_EQ(grid.size, size);
    ASSERT_EQ(grid.num_unknowns(), p.d.num_global);
    const int dim = p.d.mesh->dim;
    const auto coordinate = [&](std::int64_t point, int direction) {
      return p.d.map_of_field(0).coordinates[grid.unknowns[point] * dim + direction];
    };
    std::int64_t stride = 1;
    for (int d = 0; d < dim; ++d) {
      for (std::int64_t point = 0; point < grid.num_unknowns(); ++point)
        for (int e = 0; e < dim && point / stride % size[d] + 1 < size[d]; ++e) {
          const double step = coordinate(point + stride, e) - coordinate(point, e);
          EXPECT_TRUE(e == d ? step > 0.1 : std::abs(step) < 1e-12);
        }
      stride *= size[d];
    }
  }
}

TEST(TensorGridOf, KeepsComponentsTogether) {
  const DiscreteProblem p(
      "[mesh]\nbox = { cells = [2, 3], cell = \"quadrilateral\" }\n[fields]\nu = { element = "
      "\"P1\", shape = \"vector\" }\n[weak_form]\ncells.all = \"inner(grad(u), grad(test(u)))\"\n",
      {}, 1);
  const TensorGrid grid = tensor_grid_of(p.d);
  ASSERT_EQ(grid.components, 2);
  for (std::size_t point = 0; point < grid.unknowns.size(); point += 2)
    EXPECT_EQ(grid.unknowns[point + 1], grid.unknowns[point] + 1);
}

TEST(TensorGridOf, IsNoneWhereNodesLieElsewhere) {
  const DiscreteProblem curved(
      case_on("{ cells = [3, 3], cell = \"triangle\" }", "P1"),
      [](double *x) { x[0] += 0.1 * x[1] * x[1]; }, 1);
  EXPECT_TRUE(tensor_grid_of(curved.d).unknowns.empty());
}

} // namespace
} // namespace weft
