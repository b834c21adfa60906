#include <Eigen/Dense>

#include "space/basis.h"
#include "space/element.h"

namespace weft {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

std::vector<double> of_pyramid(const Element &element, std::span<const double> points) {
  const int n = element.num_nodes();
  std::vector<double> result;
  for (std::size_t q = 0; q < points.size(); q += 3) {
    const std::vector<double> modes = pyramid_mode_hessians(element.order, &points[q]);
    for (int i = 0; i < n; ++i)
      for (int entry = 0; entry < 9; ++entry) {
        double sum = 0;
        for (int m = 0; m < n; ++m)
          sum += element.basis_coefficients[m * n + i] * modes[m * 9 + entry];
        result.push_back(sum);
      }
  }
  return result;
}

} // namespace

// Derivatives of the functions are functions of the element, but on pyramids: they are interpolated
// from the nodes, and the interpolation differentiated.
std::vector<double> Element::tabulate_hessians(std::span<const double> points) const {
  const int dim = dimension(cell);
  if (cell == CellType::pyramid && order > 0)
    return of_pyramid(*this, points);
  std::vector<double> phi, at_nodes, at_points;
  tabulate(nodes, phi, at_nodes);
  tabulate(points, phi, at_points);
  const Eigen::Index n = num_nodes();
  const Eigen::Index num_points = static_cast<Eigen::Index>(phi.size()) / n;
  std::vector<double> result(num_points * n * dim * dim);
  // The derivatives along a direction: [row, node].
  const auto along = [&](const std::vector<double> &gradients, Eigen::Index rows, int d) {
    return RowMatrix(Eigen::Map<const RowMatrix, 0, Stride>(gradients.data() + d, rows, n,
                                                            Stride(n * dim, dim)));
  };
  for (int d = 0; d < dim; ++d)
    for (int d2 = 0; d2 < dim; ++d2)
      Eigen::Map<RowMatrix, 0, Stride>(result.data() + d * dim + d2, num_points, n,
                                       Stride(n * dim * dim, dim * dim)) =
          along(at_points, num_points, d2) * along(at_nodes, n, d);
  return result;
}

} // namespace weft
