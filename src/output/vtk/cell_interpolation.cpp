#include "output/vtk/cell_interpolation.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "output/vtk/vtk_cells.h"
#include "space/line_basis.h"

namespace weft {

namespace {

// Sums over the middle one of three indices: out[o][point][i] = sum over n of matrix[point][n]
// in[o][n][i].
void sum_over_line(const std::vector<double> &matrix, int nodes, int outer, int inner,
                   const std::vector<double> &in, std::vector<double> &out) {
  const int points = static_cast<int>(matrix.size()) / nodes;
  out.assign(static_cast<std::size_t>(outer) * points * inner, 0);
  for (int o = 0; o < outer; ++o)
    for (int point = 0; point < points; ++point) {
      double *to = &out[(static_cast<std::size_t>(o) * points + point) * inner];
      for (int n = 0; n < nodes; ++n) {
        const double weight = matrix[static_cast<std::size_t>(point) * nodes + n];
        const double *from = &in[(static_cast<std::size_t>(o) * nodes + n) * inner];
        for (int i = 0; i < inner; ++i)
          to[i] += weight * from[i];
      }
    }
}

} // namespace

CellInterpolation::CellInterpolation(const Element &element, int vtk_order)
    : dim_(dimension(element.cell)), num_nodes_(element.num_nodes()) {
  const std::vector<double> places = vtk_nodes(element.cell, vtk_order);
  num_points_ = static_cast<int>(places.size()) / dim_;
  std::vector<double> derivatives;
  if (!has_line_basis(element)) {
    element.tabulate(places, matrix_, derivatives);
    return;
  }
  const LineBasis line = line_basis(element);
  element_nodes_ = line.element_nodes;
  std::vector<double> points;
  for (int i = 0; i <= vtk_order; ++i)
    points.push_back(static_cast<double>(i) / vtk_order);
  line.tabulate(points, matrix_, derivatives);
  vtk_nodes_.resize(num_points_);
  for (int v = 0; v < num_points_; ++v) {
    int place = 0;
    for (int k = dim_ - 1; k >= 0; --k)
      place = place * (vtk_order + 1) +
              static_cast<int>(std::lround(places[std::size_t(v) * dim_ + k] * vtk_order));
    vtk_nodes_[place] = v;
  }
}

void CellInterpolation::apply(const double *at_nodes, int components, double *at_points) const {
  if (!element_nodes_.empty())
    return apply_lines(at_nodes, components, at_points);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows>(at_points, num_points_, components).noalias() =
      Eigen::Map<const Rows>(matrix_.data(), num_points_, num_nodes_) *
      Eigen::Map<const Rows>(at_nodes, num_nodes_, components);
}

void CellInterpolation::apply_lines(const double *at_nodes, int components,
                                    double *at_points) const {
  thread_local std::vector<double> values, sums;
  values.resize(static_cast<std::size_t>(num_nodes_) * components);
  for (int i = 0; i < num_nodes_; ++i)
    std::copy_n(at_nodes + static_cast<std::size_t>(element_nodes_[i]) * components, components,
                &values[static_cast<std::size_t>(i) * components]);
  const int nodes = static_cast<int>(std::lround(std::pow(num_nodes_, 1. / dim_)));
  const int points = static_cast<int>(matrix_.size()) / nodes;
  int outer = num_nodes_, inner = components;
  for (int k = 0; k < dim_; ++k) { // x first, the fastest
    outer /= nodes;
    sum_over_line(matrix_, nodes, outer, inner, values, sums);
    std::swap(values, sums);
    inner *= points;
  }
  for (int i = 0; i < num_points_; ++i)
    std::copy_n(&values[static_cast<std::size_t>(i) * components], components,
                at_points + static_cast<std::size_t>(vtk_nodes_[i]) * components);
}

} // namespace weft
