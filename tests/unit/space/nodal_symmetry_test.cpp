// Orbits, combinations and classes of the nodes of simplices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "space/nodal_element.h"
#include "space/nodal_symmetry.h"

using namespace weft;

namespace {

struct Simplex {
  CellType cell;
  LineNodes edges = LineNodes::lobatto;
};
constexpr Simplex simplices[] = {
    {CellType::triangle}, {CellType::triangle, LineNodes::gauss}, {CellType::tetrahedron}};

// The largest entry of a matrix between points that combines different classes.
double largest_between_classes(const std::vector<double> &matrix, const SymmetricPoints &to,
                               const SymmetricPoints &from) {
  double largest = 0;
  for (int i = 0; i < to.size(); ++i)
    for (int j = 0; j < from.size(); ++j)
      if (to.classes[i] != from.classes[j])
        largest = std::max(largest, std::abs(between_combinations(matrix, to, i, from, j)));
  return largest;
}

double largest_of(const std::vector<double> &values) {
  double largest = 0;
  for (const double v : values)
    largest = std::max(largest, std::abs(v));
  return largest;
}

void expect_orbits(const SymmetricPoints &points, int num_points) {
  ASSERT_EQ(points.size(), num_points);
  std::vector<int> sorted = points.points, all(num_points);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  for (int index = 0; index < points.size(); index += points.orbit_size(index))
    for (int i = 0; i < points.orbit_size(index); ++i) {
      EXPECT_EQ(points.orbit_first(index + i), index);
      EXPECT_EQ(points.sign(index, index + i), 1) << "the first is the sum";
    }
}

} // namespace

TEST(NodalSymmetry, EachPointIsInOneOrbit) {
  for (const auto &[cell, edges] : simplices)
    for (int order = 1; order <= 9; ++order) {
      SCOPED_TRACE(to_string(cell) + " of order " + std::to_string(order));
      const NodalOperators in = make_nodal_operators(make_nodal_element(cell, order), edges);
      const NodalSymmetry s = make_nodal_symmetry(in);
      expect_orbits(s.nodes, in.element.num_nodes());
      expect_orbits(s.facet_points, in.num_facet_points());
    }
}

TEST(NodalSymmetry, MatricesStayInClasses) {
  for (const auto &[cell, edges] : simplices)
    for (const int order : {1, 2, 3, 4, 5, 7}) {
      SCOPED_TRACE(to_string(cell) + " of order " + std::to_string(order));
      const NodalOperators in = make_nodal_operators(make_nodal_element(cell, order), edges);
      const NodalSymmetry s = make_nodal_symmetry(in);
      EXPECT_EQ(s.classes, 1 << (dimension(cell) - 1));
      const std::vector<double> lift = in.whole_lift();
      EXPECT_LT(largest_between_classes(lift, s.nodes, s.facet_points), 1e-12 * largest_of(lift));
      EXPECT_LT(largest_between_classes(in.mass, s.nodes, s.nodes), 1e-12 * largest_of(in.mass));
      // An axis's coordinate, from the middle, changes as its class says: so does the derivative.
      const auto dim = static_cast<int>(s.axis_class.size());
      for (int a = 0; a < dim; ++a)
        for (int index = 0; index < s.nodes.size(); ++index) {
          double sum = 0;
          const int first = s.nodes.orbit_first(index);
          for (int i = first; i < first + s.nodes.orbit_size(index); ++i)
            for (int d = 0; d < dim; ++d)
              sum += s.nodes.sign(index, i) * s.axes[a * dim + d] *
                     (in.element.nodes[s.nodes.points[i] * dim + d] - 1.0 / (dim + 1));
          if (s.nodes.classes[index] != s.axis_class[a]) {
            EXPECT_NEAR(sum, 0, 1e-12);
          }
        }
    }
}
