// What the kernels over matrices between and on levels cost, by closed formulas.
#pragma once

#include "cost/kernel_cost.h"
#include "linalg/device_sell.h"

namespace weft {

// Vectors that a launch of kernels/matrix/level_matrix or level_transfer touches beside its matrix,
// of so many systems each.
struct LevelVectors {
  int systems = 1;
  double rows = 0, columns = 0;
  double row_bytes = 0;    // of a number of vectors that are as long as there are rows
  double column_bytes = 0; // of the vector that is multiplied
  double reads = 0;        // vectors of rows, beside the one that is multiplied
  double writes = 0;
};

// Sums over the rows of a matrix, `value_bytes` each value, and `row_work` of each row after them.
KernelCost level_product_cost(const DeviceSell &layout, double value_bytes,
                              const LevelVectors &vectors, const Operations &row_work, int lanes,
                              const Launch &launch);

// Kernels over the rows of vectors alone.
KernelCost level_rows_cost(const LevelVectors &vectors, const Operations &row_work,
                           const Launch &launch);

} // namespace weft
