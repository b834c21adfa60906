// Sparse approximate inverses, on the host.
#pragma once

#include "linalg/sparse_matrix.h"

namespace weft {

// M with the entries that A has (those beside the diagonal that are 0 are none), such that
// |I - M A| is as small as it can be in the Frobenius norm: row i of M solves the least-squares
// problem min |A^T m - e_i| over its entries, by a small QR decomposition (Grote, Huckle 1997, DOI
// 10.1137/S1064827594276552, without their search for further entries). Of a symmetric matrix
// the symmetric part of that. On all host threads, the same bits on any number of them.
// Errors: unsupported where a row has too many entries for its least-squares problem to be small.
HostMatrix sparse_approximate_inverse(const HostMatrix &matrix, bool symmetric);

} // namespace weft
