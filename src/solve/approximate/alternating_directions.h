// Approximate inverses by tridiagonal solves along the lines of a grid, direction after direction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "linalg/vector.h"
#include "solve/tensor_grid.h"

namespace weft {

// With D the diagonal of A and T_x what A has within lines along x, of one component,
//   M = T_x D^-1 T_y D^-1 T_z,
// the factored form of alternating directions (Beam, Warming 1976, DOI
// 10.1016/0021-9991(76)90110-8) with all of the diagonal in each factor. Exact where A is a
// Kronecker product of tridiagonal matrices, as mass matrices of order 1 are, and along a single
// line. It is not symmetric, even where A is.
class AlternatingDirections {
public:
  // `precision`: of vectors and what is stored. `name_of_unknown`: in errors; null: "row 7".
  // Errors: input where A has an entry between points that are no neighbours, or the grid is not
  // that of its unknowns; numerical where a line has a pivot of 0.
  AlternatingDirections(Device &device, const HostMatrix &matrix, const TensorGrid &grid,
                        Precision precision,
                        const std::function<std::string(std::int64_t)> &name_of_unknown = {});

  // z = M^-1 r. z may be r.
  void apply(const Vector &r, Vector &z);

private:
  // Lines of one direction, [place][line].
  struct Direction {
    std::int64_t num_lines = 0, length = 0;
    Buffer unknowns, lower, inverse, upper, scale;
  };

  Device &device_;
  std::int64_t size_;
  Precision precision_;
  std::vector<Direction> directions_; // those with more than one point; at least one
  Program program_;
};

} // namespace weft
