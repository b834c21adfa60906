#include "space/line_basis.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace weft {

namespace {

// Positions along a line and the symmetry of matrices agree but for rounding.
constexpr double line_tolerance = 1e-10;

} // namespace

void LineBasis::tabulate(const std::vector<double> &points, std::vector<double> &values,
                         std::vector<double> &derivatives) const {
  const int n = num_nodes();
  values.clear();
  derivatives.clear();
  for (const double x : points)
    for (int i = 0; i < n; ++i) {
      double value = 1, derivative = 0;
      for (int j = 0; j < n; ++j)
        if (j != i) {
          const double scale = 1 / (nodes[i] - nodes[j]);
          derivative = (derivative * (x - nodes[j]) + value) * scale;
          value *= (x - nodes[j]) * scale;
        }
      values.push_back(value);
      derivatives.push_back(derivative);
    }
}

bool has_line_basis(const Element &element) {
  return element.order > 0 && !element.nodal &&
         (element.cell == CellType::quadrilateral || element.cell == CellType::hexahedron);
}

LineBasis line_basis(const Element &element) {
  require(has_line_basis(element), "the element is a product of lines");
  const int dim = dimension(element.cell);
  LineBasis basis;
  for (int i = 0; i < element.num_nodes(); ++i) {
    const double x = element.nodes[i * dim];
    if (std::none_of(basis.nodes.begin(), basis.nodes.end(),
                     [&](double other) { return std::abs(x - other) < line_tolerance; }))
      basis.nodes.push_back(x);
  }
  std::sort(basis.nodes.begin(), basis.nodes.end());
  const int n = basis.num_nodes();
  basis.element_nodes.assign(element.num_nodes(), -1);
  for (int i = 0; i < element.num_nodes(); ++i) {
    int place = 0;
    for (int d = dim - 1; d >= 0; --d) {
      int along = 0;
      while (along + 1 < n &&
             std::abs(element.nodes[i * dim + d] - basis.nodes[along]) >= line_tolerance)
        ++along;
      place = place * n + along;
    }
    basis.element_nodes[place] = i;
  }
  require(std::count(basis.element_nodes.begin(), basis.element_nodes.end(), -1) == 0,
          "the nodes of a product element are a grid");
  return basis;
}

FoldedMatrix fold(const std::vector<double> &matrix, int rows, int columns, bool odd) {
  FoldedMatrix folded{.rows = rows, .columns = columns, .odd = odd};
  const auto at = [&](int a, int b) { return matrix[a * columns + b]; };
  double largest = 0;
  for (const double value : matrix)
    largest = std::max(largest, std::abs(value));
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < columns; ++b)
      require(std::abs(at(rows - 1 - a, columns - 1 - b) - (odd ? -1 : 1) * at(a, b)) <=
                  line_tolerance * largest,
              "a matrix of functions along a line is symmetric about the line's middle");
  const auto even_part = [&](int a, int b) {
    return 2 * b + 1 == columns ? at(a, b) : (at(a, b) + at(a, columns - 1 - b)) / 2;
  };
  const auto odd_part = [&](int a, int b) { return (at(a, b) - at(a, columns - 1 - b)) / 2; };
  for (int a = 0; a < folded.first_rows(); ++a)
    for (int b = 0; b < folded.first_columns(); ++b)
      folded.first.push_back(odd ? odd_part(a, b) : even_part(a, b));
  for (int a = 0; a < folded.second_rows(); ++a)
    for (int b = 0; b < folded.second_columns(); ++b)
      folded.second.push_back(odd ? even_part(a, b) : odd_part(a, b));
  return folded;
}

} // namespace weft
