// Small matrices that levels of multigrid are tested with.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "linalg/sparse_matrix.h"
#include "linalg/vector.h"

namespace weft {

// A Laplacian of chains with neighbours up to five rows away, whose coefficients jump between
// 1e-4 and 1e4; some rows have no neighbours, every ninth is one of the identity.
inline HostMatrix jumping_matrix(std::int32_t rows) {
  const auto is_alone = [](std::int32_t i) { return i % 9 == 4; };
  std::vector<std::map<std::int32_t, double>> entries(rows);
  for (std::int32_t i = 0; i < rows; ++i)
    entries[i][i] += is_alone(i) ? 1 : 1e-3;
  for (std::int32_t i = 0; i < rows; ++i)
    for (const std::int32_t step : {1, 2, 5}) {
      const std::int32_t j = i + step;
      if (j >= rows || is_alone(i) || is_alone(j) || (i + j) % 7 == 0)
        continue;
      const double k = (i / 20 % 2 ? 1e4 : 1e-4) * (1 + 0.3 * std::sin(i + 2.0 * step));
      entries[i][j] -= k;
      entries[j][i] -= k;
      entries[i][i] += k;
      entries[j][j] += k;
    }
  HostMatrix matrix{.row_start = {0}};
  for (const auto &row : entries) {
    for (const auto &[column, value] : row) {
      matrix.columns.push_back(column);
      matrix.values.push_back(value);
    }
    matrix.row_start.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

// The middle unknown is a neighbour of all others: a long row, and columns far from their rows.
inline HostMatrix arrow_matrix(std::int64_t rows) {
  const std::int32_t middle = static_cast<std::int32_t>(rows / 2);
  HostMatrix matrix{.row_start = {0}};
  const auto add = [&](std::int32_t column, double value) {
    matrix.columns.push_back(column);
    matrix.values.push_back(value);
  };
  for (std::int32_t i = 0; i < rows; ++i) {
    if (i == middle)
      for (std::int32_t j = 0; j < rows; ++j)
        add(j, i == j ? static_cast<double>(rows) : -1);
    else {
      add(std::min(i, middle), i < middle ? 1.5 : -1);
      add(std::max(i, middle), i < middle ? -1 : 1.5);
    }
    matrix.row_start.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

// Linear interpolation between every second unknown and its neighbours.
inline HostMatrix pairs_prolongation(std::int32_t fine) {
  const std::int32_t coarse = (fine + 1) / 2;
  HostMatrix p{.row_start = {0}};
  for (std::int32_t i = 0; i < fine; ++i) {
    p.columns.push_back(i / 2);
    p.values.push_back(i % 2 ? 0.5 : 1);
    if (i % 2 && i / 2 + 1 < coarse) {
      p.columns.push_back(i / 2 + 1);
      p.values.push_back(0.5);
    }
    p.row_start.push_back(static_cast<std::int32_t>(p.columns.size()));
  }
  return p;
}

inline SparseMatrix sparse_matrix(Device &device, const HostMatrix &a,
                                  std::optional<MatrixFormat> format = {}) {
  auto pattern = std::make_shared<CsrPattern>();
  pattern->num_rows = a.num_rows();
  pattern->row_start.assign(a.row_start.begin(), a.row_start.end());
  pattern->columns = std::vector<std::int32_t>(a.columns);
  SparseMatrix matrix(device, pattern, Precision::f64, true, format);
  Vector values{matrix.values(), pattern->num_entries(), Precision::f64};
  set_vector(device, values, a.values);
  matrix.values_changed();
  return matrix;
}

} // namespace weft
