// weft bench spmv: products with assembled matrices, and their assembly, beside the machine's
// limits.
#pragma once

#include <string>
#include <vector>

#include "bench/residual/bench_residual.h"

namespace weft {

struct SpmvOptions {
  std::string mesh_file; // instead of a distorted box of tetrahedra
  bool trust = false;    // in that file
  double nodes = 7e5;    // of the box, about: a matrix several times most last caches
  std::string device;
  int threads = 0;
  int repeats = 15;
  std::string form = "poisson"; // of bench_form_names()
  int order = 1;
  // Empty = all.
  std::string format, precision;
};

// Rows of a product in each format and precision, and of one assembly into the matrix, its pattern
// known. Prints a table as it goes, and what making the pattern took.
BenchResult bench_spmv(const SpmvOptions &options);

} // namespace weft
