#include "space/cell_symmetry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

#include "base/error.h"

namespace weft {

namespace {

using Matrix = Eigen::MatrixXd;

constexpr double same_place = 1e-9; // of a reference cell, whose nodes are further apart

// [dim, vertex]
Matrix vertices_of(CellType cell) {
  const auto places = reference_vertices(cell);
  return Eigen::Map<const Matrix>(places.data(), dimension(cell), num_vertices(cell));
}

// The column of `places` that is at `place`; -1: none.
int column_at(const Matrix &places, const Eigen::VectorXd &place) {
  for (Eigen::Index c = 0; c < places.cols(); ++c)
    if ((places.col(c) - place).cwiseAbs().maxCoeff() < same_place)
      return static_cast<int>(c);
  return -1;
}

// Vertices that lie in no common plane (or line), vertex 0 first.
std::vector<int> frame_of(const Matrix &places) {
  std::vector<int> frame = {0};
  for (int v = 1; v < places.cols() && static_cast<int>(frame.size()) <= places.rows(); ++v) {
    Matrix edges(places.rows(), static_cast<Eigen::Index>(frame.size()));
    for (std::size_t k = 1; k < frame.size(); ++k)
      edges.col(static_cast<Eigen::Index>(k) - 1) = places.col(frame[k]) - places.col(0);
    edges.col(edges.cols() - 1) = places.col(v) - places.col(0);
    if (Eigen::FullPivLU<Matrix>(edges).rank() == edges.cols())
      frame.push_back(v);
  }
  return frame;
}

// The map that takes the frame's vertices to `images`, if it takes all vertices to vertices.
bool find_map(const Matrix &places, const std::vector<int> &frame, const std::vector<int> &images,
              CellSymmetry &found) {
  const Eigen::Index dim = places.rows();
  Matrix from(dim, dim), to(dim, dim);
  for (Eigen::Index k = 0; k < dim; ++k) {
    from.col(k) = places.col(frame[k + 1]) - places.col(frame[0]);
    to.col(k) = places.col(images[k + 1]) - places.col(images[0]);
  }
  const Matrix map = to * from.inverse();
  if (std::abs(std::abs(map.determinant()) - 1) > same_place)
    return false;
  const Eigen::VectorXd shift = places.col(images[0]) - map * places.col(frame[0]);
  found = {};
  for (Eigen::Index v = 0; v < places.cols(); ++v) {
    found.vertices.push_back(column_at(places, map * places.col(v) + shift));
    if (found.vertices.back() < 0)
      return false;
  }
  for (Eigen::Index row = 0; row < dim; ++row) {
    for (Eigen::Index column = 0; column < dim; ++column)
      found.matrix.push_back(map(row, column));
    found.shift.push_back(shift[row]);
  }
  return true;
}

std::vector<CellSymmetry> find_symmetries(CellType cell) {
  const Matrix places = vertices_of(cell);
  const std::vector<int> frame = frame_of(places);
  std::vector<CellSymmetry> symmetries;
  std::vector<int> images(frame.size(), 0);
  CellSymmetry found;
  const auto next = [&] { // counts up, the last image fastest
    for (std::size_t k = images.size(); k-- > 0;) {
      if (++images[k] < places.cols())
        return true;
      images[k] = 0;
    }
    return false;
  };
  do
    if (find_map(places, frame, images, found))
      symmetries.push_back(found);
  while (next());
  std::vector<int> same(places.cols());
  std::iota(same.begin(), same.end(), 0);
  const auto identity = std::find_if(symmetries.begin(), symmetries.end(),
                                     [&](const auto &s) { return s.vertices == same; });
  std::rotate(symmetries.begin(), identity, identity + 1);
  return symmetries;
}

} // namespace

const std::vector<CellSymmetry> &cell_symmetries(CellType cell) {
  static const std::array<std::vector<CellSymmetry>, 6> all = [] {
    std::array<std::vector<CellSymmetry>, 6> of_types;
    for (std::size_t i = 0; i < of_types.size(); ++i)
      of_types[i] =
          find_symmetries(static_cast<CellType>(static_cast<int>(CellType::triangle) + i));
    return of_types;
  }();
  require(cell >= CellType::triangle, "symmetries are of cells");
  return all[static_cast<int>(cell) - static_cast<int>(CellType::triangle)];
}

std::vector<int> nodes_taken(const Element &element, const CellSymmetry &symmetry) {
  const int dim = dimension(element.cell), n = element.num_nodes();
  const Eigen::Map<const Matrix> places(element.nodes.data(), dim, n);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> map(symmetry.matrix.data(), dim, dim);
  const Eigen::Map<const Eigen::VectorXd> shift(symmetry.shift.data(), dim);
  std::vector<int> taken(n, -1);
  for (int i = 0; i < n; ++i) {
    const int to = column_at(places, map * places.col(i) + shift);
    require(to >= 0 && taken[to] < 0, "nodes have the symmetries of their cell");
    taken[to] = i;
  }
  return taken;
}

} // namespace weft
