// The building blocks of linear algebra that weft bench linalg times, each made ready to run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "linalg/band_matrix.h"
#include "linalg/sparse_matrix.h"

namespace weft {

//   axpy          y + a x                          2 operations an unknown
//   axpy_entries  y_i + d_i x_i                    2
//   dot           x.y                              2
//   norm          x.x                              2
//   axpy_dot      y + a x, then y.y, in one        4
//   largest       max |x_i|                        1
//   band9         A x, nine bands                  18
//   csr, sell     A x, a matrix of 15 entries in most rows; 2 an entry
//   sell32        sell with columns of 32 bits everywhere
std::vector<std::string> linalg_block_names();
bool is_matrix_block(const std::string &block);

struct LinalgCase {
  std::string block;
  Precision storage = Precision::f64; // of a matrix's values
  Precision vectors = Precision::f64;
  int systems = 1;           // interleaved
  std::int64_t unknowns = 0; // of all systems, about
};

struct LinalgBlock {
  std::function<void()> work; // one run, queued
  std::int64_t unknowns = 0;
  double flops = 0; // of one run; the operations above
  double bytes = 0; // counted, without what is read to be overwritten
  bool only_reads = false;
};

// The host's matrices of about so many rows.
struct LinalgMatrices {
  HostBands bands;   // Q1 on a patch that is about square
  HostMatrix sparse; // the pattern of P1 on a cube of tetrahedra, six of them a cell
};
LinalgMatrices make_linalg_matrices(std::int64_t rows);

// Most rows that a block is timed with: matrices take much more memory than vectors.
std::int64_t most_rows(const std::string &block);

// `matrices` are read by blocks with a matrix and may go afterwards.
LinalgBlock make_linalg_block(Device &device, const LinalgCase &c, const LinalgMatrices &matrices);

// x_i = x_i + x_i^2 + ... + x_i^degree by Horner's rule, written back: 2 degree - 1 operations an
// unknown, as Goeddeke's experiment of arithmetic intensity has it.
LinalgBlock make_horner_block(Device &device, Precision precision, std::int64_t unknowns,
                              int degree);

// A patch of Q1 elements for -div(k grad u) with k between 1 and 3 from cell to cell, u = 0 around
// it. `shift`: the diagonal is 1 + shift times what the elements give; 0: the stencil as it is.
HostBands q1_patch(std::int64_t width, std::int64_t height, double shift);

} // namespace weft
