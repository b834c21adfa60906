// What kernels over vectors cost: those that share kernels/vector/common.kernel, chunk by chunk.
#pragma once

#include <cstdint>

#include "base/precision.h"
#include "cost/kernel_cost.h"
#include "device/device.h"

namespace weft {

// WEFT_CHAINS and WEFT_HORNER_CHAINS of kernels/vector/block.kernel.
inline constexpr std::int64_t vector_chains = 4, horner_chains = 8;

// How vectors of one size are cut: a work-group a chunk.
struct VectorShape {
  std::int64_t entries = 0;
  std::int64_t chunks = 1;
  std::int64_t chunk_entries = 0; // of each but the last
  int group_size = 1;
  int lanes = 1;
  int systems = 1;                      // interleaved vectors, see kernels/vector/block.kernel
  Precision precision = Precision::f64; // of the vectors
};

// What one kernel does.
struct VectorWork {
  double reads = 0;  // vectors, each in full
  double writes = 0; // likewise
  double scalars_read = 0;
  double scalars_written = 0;
  double indices_read = 0; // lists of 32-bit numbers, as long as a vector
  Operations per_entry;    // lanes at a vector's end without an entry do them too
  Operations per_item;     // of each work-item, before its loop
  Operations once;         // by one work-item
  int partial_stores = 0;  // sums over each chunk, left as partial sums
  int partial_sums = 0;    // sums of partial sums over all chunks, each by one work-group
  std::int64_t groups = 0; // 0: one a chunk
  // What of kernels/vector/block.kernel a chunk comes to, for each system, and all chunks. They
  // add, or keep the largest.
  bool reads_coefficients = false; // one a system
  std::int64_t chains = 0;         // lanes at once; 0: one, which needs no whole steps
  bool stores_systems = false, reduces_systems = false, largest = false;
};

KernelCost vector_cost(const VectorShape &shape, const VectorWork &work);

// Adds what work-items of groups do with local memory to sum, or find the largest, `count` times:
// group_sum() and group_largest() of common.kernel.
void add_group_reductions(KernelCost &cost, const VectorShape &shape, double count);

// Adds what `launch` is to the cost of a kernel.
void count_launch(KernelCost &cost, const Launch &launch);

} // namespace weft
