// weft bench residual: the speed of residuals, from global vector to assembled global vector.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/mesh_spec.h"
#include "cost/kernel_record.h"
#include "output/kernel_rows.h"

namespace weft {

struct BenchOptions {
  MeshSpec mesh;
  std::string device;
  int threads = 0;
  int repeats = 15;
  // Empty = all.
  std::string form, strategy, geometry, precision;
};

struct BenchResult {
  MachineRecord machine;
  std::vector<KernelRecord> rows;
};

// Forms (field of order p; quadrature exact to degree 2(p-1)+1):
//   poisson_P1, poisson_P2: integral of k grad u . grad v, k(x) an expression at every point
//   elasticity_P1: integral of 2 mu sym(grad u) : sym(grad v) + lambda div u div v
// Each row is a residual with zeroing and Dirichlet rows on the boundary. Prints a table as it
// goes.
BenchResult bench_residual(const BenchOptions &options);

} // namespace weft
