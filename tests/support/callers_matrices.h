// Matrices of Eigen's as those of a caller, and some to solve with.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Sparse>

#include "weft/multigrid.h"

namespace weft::test {

using CallersMatrixOfEigen = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

// The arrays are Eigen's.
inline CsrMatrix csr_of(const CallersMatrixOfEigen &a) {
  const auto entries = static_cast<std::size_t>(a.nonZeros());
  return {.num_rows = static_cast<std::size_t>(a.rows()),
          .row_start = {a.outerIndexPtr(), static_cast<std::size_t>(a.rows() + 1)},
          .columns = {a.innerIndexPtr(), entries},
          .values = {a.valuePtr(), entries}};
}

// -lap(u) by differences on a box of points, values on whose outside are 0; `open`: none flows
// through its sides instead, so that constants are mapped to 0.
inline CallersMatrixOfEigen poisson_matrix(const std::array<int, 3> &n, bool open = false) {
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  const auto point = [&](const std::array<int, 3> &p) {
    return (p[0] * n[1] + p[1]) * n[2] + p[2];
  };
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k)
        for (int d = 0; d < 3; ++d)
          for (const int side : {-1, 1}) {
            std::array<int, 3> p = {i, j, k};
            const int row = point(p);
            p[d] += side;
            const bool is_inside = p[d] >= 0 && p[d] < n[d];
            if (is_inside)
              entries.emplace_back(row, point(p), -1.);
            if (is_inside || !open)
              entries.emplace_back(row, row, 1.);
          }
  CallersMatrixOfEigen a(n[0] * n[1] * n[2], n[0] * n[1] * n[2]);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

// An elastic bar of cubes of trilinear hexahedra (E = 1, nu = 0.3), clamped at its first end.
struct ElasticBar {
  CallersMatrixOfEigen matrix;     // [node][component]; entries of clamped dofs are zeros
  std::vector<double> coordinates; // [node][direction]
};

// [8 nodes * 3]^2: the integral of sigma(u) : eps(v) over the unit cube, by 2^3 Gauss points, which
// are exact here (Hughes 2000, section 3.8).
inline Eigen::MatrixXd elastic_cube() {
  constexpr double E = 1, nu = 0.3;
  constexpr double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(24, 24);
  for (int q = 0; q < 8; ++q) {
    std::array<double, 3> x;
    for (int d = 0; d < 3; ++d)
      x[d] = 0.5 + (q >> d & 1 ? 0.5 : -0.5) / std::sqrt(3.);
    Eigen::Matrix<double, 8, 3> grad;
    for (int a = 0; a < 8; ++a)
      for (int d = 0; d < 3; ++d) {
        grad(a, d) = a >> d & 1 ? 1 : -1;
        for (int e = 0; e < 3; ++e)
          if (e != d)
            grad(a, d) *= a >> e & 1 ? x[e] : 1 - x[e];
      }
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            stiffness(3 * a + i, 3 * b + j) +=
                (lambda * grad(a, i) * grad(b, j) + mu * grad(a, j) * grad(b, i) +
                 (i == j ? mu * grad.row(a).dot(grad.row(b)) : 0)) /
                8;
  }
  return stiffness;
}

inline ElasticBar elastic_bar(const std::array<int, 3> &cells) {
  const Eigen::MatrixXd cube = elastic_cube();
  const auto node = [&](int i, int j, int k) {
    return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k;
  };
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      for (int k = 0; k < cells[2]; ++k) {
        const auto dof = [&](int at) {
          const int a = at / 3;
          return 3 * node(i + (a & 1), j + (a >> 1 & 1), k + (a >> 2 & 1)) + at % 3;
        };
        const int num_clamped = 3 * node(1, 0, 0);
        for (int r = 0; r < 24; ++r)
          for (int c = 0; c < 24; ++c) {
            const bool is_clamped = dof(r) < num_clamped || dof(c) < num_clamped;
            entries.emplace_back(dof(r), dof(c), is_clamped && r != c ? 0. : cube(r, c));
          }
      }
  ElasticBar bar;
  const int size = 3 * node(cells[0] + 1, 0, 0);
  bar.matrix.resize(size, size);
  bar.matrix.setFromTriplets(entries.begin(), entries.end());
  for (int i = 0; i <= cells[0]; ++i)
    for (int j = 0; j <= cells[1]; ++j)
      for (int k = 0; k <= cells[2]; ++k)
        bar.coordinates.insert(bar.coordinates.end(), {double(i), double(j), double(k)});
  return bar;
}

} // namespace weft::test
