// The largest eigenvalue of a matrix on the host, estimated from some of its rows.
#pragma once

#include "linalg/block_matrix.h"
#include "ranks/communicator.h"

namespace weft {

struct EigenvalueSample {
  double largest = 1; // in modulus, of D^-1 A
  // `largest` over the mean of sum_j |a_ij| / |a_ii|, the bound of Gershgorin row by row: what that
  // is to be multiplied by for an estimate near row i. At most 1.
  double of_row_sums = 1;
};

// Ten steps of Arnoldi's method on D^-1 A, restricted to each of 16 patches of 512 neighbouring
// nodes spread over the matrix: highest frequencies are local. From below, as a rule within some
// percent. On all host threads; the same bits whatever their number.
// Among ranks that share the rows, all call it: of the rows of each, without what leads to those of
// others.
EigenvalueSample sample_largest_eigenvalue(const BlockView &matrix, Communicator *ranks = nullptr);

} // namespace weft
