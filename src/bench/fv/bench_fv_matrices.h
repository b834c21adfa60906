// The matrices that weft bench fv times, and the kernels made ready to run on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "linalg/ellpack_matrix.h"
#include "linalg/sparse_matrix.h"
#include "mesh/order/cell_adjacency.h"
#include "mesh/order/cell_order.h"
#include "tune/model/cache_model.h"

namespace weft {

// A matrix and what its order is like.
struct FvBenchMatrix {
  std::string name, order;
  EllpackMatrix matrix;
  CellAdjacency adjacency;
  double block = 0, outside = 0, lines = 0; // as in FvRow
};

FvBenchMatrix ideal_bench_matrix(std::int64_t rows, std::int64_t block);

// The diffusion of a mesh, before it is ordered.
struct FvBenchMesh {
  std::string name;
  int dim = 3;
  EllpackMatrix matrix;
  CellAdjacency adjacency;
  std::vector<double> centres; // [cell, dim]
};
// `file` empty: a distorted box of about `cells` tetrahedra, numbered line by line.
FvBenchMesh make_bench_mesh(const std::string &file, std::int64_t cells, bool trust);
FvBenchMatrix ordered_bench_matrix(const FvBenchMesh &mesh, CellOrder order,
                                   std::int64_t block_cells);

// The same operator as a matrix: its values and, on the diagonal, less their sum. Without ghosts.
HostMatrix difference_matrix(const EllpackMatrix &matrix);

// A kernel with its matrix on the device; apply() queues a product.
struct FvBenchKernel {
  std::function<void()> apply;
  Vector y; // what it writes
  double moved_bytes = 0;
  std::optional<NeighbourSum> model; // of kernels that the cache model is about
};
// `kernel`: of fv_kernel_names().
FvBenchKernel make_fv_bench_kernel(Device &device, const FvBenchMatrix &matrix,
                                   const std::string &kernel, Precision precision);

} // namespace weft
