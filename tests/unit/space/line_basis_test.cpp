#include "space/line_basis.h"

#include <cmath>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

// Inner points of a square or cube, none on an axis of symmetry.
std::vector<double> some_points(int dim) {
  std::vector<double> points;
  for (int q = 0; q < 5; ++q)
    for (int d = 0; d < dim; ++d)
      points.push_back(std::fmod(0.137 + 0.31 * q + 0.23 * d, 1.0));
  return points;
}

class LineBasisOf : public testing::TestWithParam<CellType> {};

TEST_P(LineBasisOf, ProductsAreTheElementsFunctions) {
  const int dim = dimension(GetParam());
  const std::vector<double> points = some_points(dim);
  for (int order = 1; order <= 8; ++order) {
    const Element element = make_element(GetParam(), order);
    const LineBasis basis = line_basis(element);
    const int n = basis.num_nodes(), num_nodes = element.num_nodes();
    ASSERT_EQ(n, order + 1);
    std::vector<double> phi, dphi;
    element.tabulate(points, phi, dphi);
    for (std::size_t q = 0; q < points.size() / dim; ++q) {
      std::vector<std::vector<double>> values(dim), derivatives(dim);
      for (int d = 0; d < dim; ++d)
        basis.tabulate({points[q * dim + d]}, values[d], derivatives[d]);
      for (int place = 0; place < num_nodes; ++place) {
        const int node = basis.element_nodes[place];
        const int along[3] = {place % n, place / n % n, place / n / n};
        double product = 1;
        for (int d = 0; d < dim; ++d)
          product *= values[d][along[d]];
        EXPECT_NEAR(phi[q * num_nodes + node], product, 1e-11);
        for (int e = 0; e < dim; ++e) {
          double slope = 1;
          for (int d = 0; d < dim; ++d)
            slope *= (d == e ? derivatives : values)[d][along[d]];
          EXPECT_NEAR(dphi[(q * num_nodes + node) * dim + e], slope, 1e-9);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lines, LineBasisOf,
                         testing::Values(CellType::quadrilateral, CellType::hexahedron),
                         [](const auto &info) { return to_string(info.param); });

TEST(LineBasis, OtherElementsAreNoProducts) {
  EXPECT_FALSE(has_line_basis(make_element(CellType::triangle, 2)));
  EXPECT_FALSE(has_line_basis(make_element(CellType::hexahedron, 0)));
  EXPECT_FALSE(has_line_basis(make_nodal_element(CellType::hexahedron, 2)));
  EXPECT_THROW(line_basis(make_element(CellType::tetrahedron, 1)), Error);
}

// M u by halves, as kernels do.
std::vector<double> folded_product(const FoldedMatrix &m, const std::vector<double> &u) {
  const int half = (m.columns + 1) / 2;
  std::vector<double> even(half), odd(half);
  for (int b = 0; b < half; ++b) {
    const bool middle = 2 * b + 1 == m.columns;
    even[b] = middle ? u[b] : u[b] + u[m.columns - 1 - b];
    odd[b] = u[b] - u[m.columns - 1 - b];
  }
  std::vector<double> result(m.rows);
  for (int a = 0; a < m.first_rows(); ++a) {
    double p = 0, q = 0;
    for (int b = 0; b < m.first_columns(); ++b)
      p += m.first[a * m.first_columns() + b] * (m.odd ? odd : even)[b];
    for (int b = 0; b < m.second_columns() && a < m.second_rows(); ++b)
      q += m.second[a * m.second_columns() + b] * (m.odd ? even : odd)[b];
    result[a] = p + q;
    result[m.rows - 1 - a] = a < m.second_rows() ? p - q : p;
  }
  return result;
}

TEST(FoldedMatrix, GivesTheSameProducts) {
  for (const int rows : {1, 2, 5, 6})
    for (const int columns : {1, 2, 3, 7})
      for (const bool is_odd : {false, true}) {
        std::vector<double> matrix(rows * columns);
        const auto entry = [&](int a, int b) { return std::sin(1.3 * a + 0.7 * b * b + 0.2); };
        for (int a = 0; a < rows; ++a)
          for (int b = 0; b < columns; ++b)
            matrix[a * columns + b] =
                entry(a, b) + (is_odd ? -1 : 1) * entry(rows - 1 - a, columns - 1 - b);
        const FoldedMatrix folded = fold(matrix, rows, columns, is_odd);
        std::vector<double> u(columns);
        for (int b = 0; b < columns; ++b)
          u[b] = std::cos(0.9 * b + 0.4);
        const std::vector<double> found = folded_product(folded, u);
        for (int a = 0; a < rows; ++a) {
          double expected = 0;
          for (int b = 0; b < columns; ++b)
            expected += matrix[a * columns + b] * u[b];
          EXPECT_NEAR(found[a], expected, 1e-14) << rows << " x " << columns;
        }
      }
}

TEST(FoldedMatrix, RefusesOneWithoutTheSymmetry) {
  EXPECT_THROW(fold({1, 2, 3, 4}, 2, 2, false), Error);
}

} // namespace
} // namespace weft
