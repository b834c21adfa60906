// The ways in which cells lie on themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "space/cell_symmetry.h"

namespace weft {
namespace {

const std::map<CellType, std::size_t> orders_of_groups = {
    {CellType::triangle, 6}, {CellType::quadrilateral, 8}, {CellType::tetrahedron, 24},
    {CellType::pyramid, 8},  {CellType::prism, 12},        {CellType::hexahedron, 48}};

// A basis function at the place that a symmetry takes a point to is that of another node at the
// point.
void expect_same_functions(const Element &element) {
  const int dim = dimension(element.cell), n = element.num_nodes();
  const std::vector<double> point = {0.31, 0.17, 0.23};
  std::vector<double> phi, dphi, turned;
  element.tabulate(std::span(point).first(dim), phi, dphi);
  for (const CellSymmetry &symmetry : cell_symmetries(element.cell)) {
    std::vector<double> to = symmetry.shift;
    for (int d = 0; d < dim; ++d)
      for (int e = 0; e < dim; ++e)
        to[d] += symmetry.matrix[d * dim + e] * point[e];
    element.tabulate(to, turned, dphi);
    const std::vector<int> taken = nodes_taken(element, symmetry);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(turned[i], phi[taken[i]], 1e-12) << to_string(element.cell) << element.order;
  }
}

TEST(cell_symmetry, are_as_many_as_the_groups_have) {
  for (const auto &[cell, order] : orders_of_groups) {
    const std::vector<CellSymmetry> &all = cell_symmetries(cell);
    EXPECT_EQ(all.size(), order) << to_string(cell);
    std::vector<int> same(num_vertices(cell));
    std::iota(same.begin(), same.end(), 0);
    EXPECT_EQ(all.front().vertices, same) << to_string(cell);
    for (std::size_t s = 1; s < all.size(); ++s)
      EXPECT_NE(all[s].vertices, all[s - 1].vertices);
  }
}

TEST(cell_symmetry, nodes_are_taken_to_nodes) {
  for (const auto &[cell, order] : orders_of_groups) {
    for (int p = 0; p <= (cell == CellType::pyramid ? 2 : 4); ++p)
      expect_same_functions(make_element(cell, p));
    for (int p = 0; p <= (cell == CellType::pyramid ? 0 : 4); ++p)
      expect_same_functions(make_nodal_element(cell, p));
  }
}

} // namespace
} // namespace weft
