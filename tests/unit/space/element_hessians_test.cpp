// Second derivatives of basis functions against differences of gradients.
#include <cmath>
#include <gtest/gtest.h>

#include "space/element.h"

using namespace weft;

namespace {

void expect_derivatives(const Element &element) {
  const int dim = dimension(element.cell), n = element.num_nodes();
  const std::vector<double> inside = {0.31, 0.23, 0.27};
  const std::vector<double> point(inside.begin(), inside.begin() + dim);
  const std::vector<double> hessians = element.tabulate_hessians(point);
  ASSERT_EQ(hessians.size(), static_cast<std::size_t>(n) * dim * dim);
  const double h = 1e-6;
  std::vector<double> phi, right, left;
  for (int d = 0; d < dim; ++d) {
    std::vector<double> beside = point;
    beside[d] += h;
    element.tabulate(beside, phi, right);
    beside[d] -= 2 * h;
    element.tabulate(beside, phi, left);
    for (int i = 0; i < n; ++i)
      for (int e = 0; e < dim; ++e)
        ASSERT_NEAR(hessians[(i * dim + e) * dim + d],
                    (right[i * dim + e] - left[i * dim + e]) / (2 * h), 1e-6)
            << to_string(element.cell) << element.order << " function " << i;
  }
}

} // namespace

TEST(ElementHessians, AreDerivativesOfGradients) {
  for (const CellType cell :
       {CellType::interval, CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
        CellType::pyramid, CellType::prism, CellType::hexahedron})
    for (int order = 0; order <= std::min(5, highest_order(cell)); ++order)
      expect_derivatives(make_element(cell, order));
}

TEST(ElementHessians, OfNodalElementsToo) {
  for (const CellType cell : {CellType::triangle, CellType::quadrilateral, CellType::tetrahedron,
                              CellType::prism, CellType::hexahedron})
    for (const int order : {0, 1, 3})
      expect_derivatives(make_nodal_element(cell, order));
}

TEST(ElementHessians, OfPyramidsHaveNoLimitAtTheApex) {
  const std::vector<double> apex = {0.5, 0.5, 1};
  for (const double entry : make_element(CellType::pyramid, 1).tabulate_hessians(apex))
    EXPECT_FALSE(std::isfinite(entry));
}
