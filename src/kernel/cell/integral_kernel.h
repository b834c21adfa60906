// A kernel for an integral: dialect, constants, printed functions and a kernel file joined.
#pragma once

#include "kernel/cell/block_group_arguments.h"
#include "kernel/cell/cell_integral.h"
#include "kernel/cell/plane_sizes.h"

namespace weft {

// A term of the time whose work is done twice, or for the memory not at all, so that its fraction
// can be measured; results are not those of the integral then. See kernels/fem/ablate_*.kernel.
enum class Ablation { none, memory, gather, scatter, arithmetic };
std::string to_string(Ablation ablation);

// The choices of a strategy; those of other strategies are not looked at.
struct KernelVariant {
  Strategy strategy = Strategy::block;
  int num_blocks = 4;                         // transposed: N_bl, cell blocks a batch
  int num_batches = 4;                        // transposed: N_cb, batches a chunk
  int groups_per_item = 64;                   // cell: lane groups a work-item does in turn
  int group_size = 1;                         // cell: work-items a work-group
  int cells_at_once = 1;                      // cell, by planes: lane groups a work-group shares
  int leaves_per_block = 16;                  // block: leaf blocks merged
  std::optional<BlockGroupSizes> block_group; // block: a work-group a block, not a work-item
  Ablation ablation = Ablation::none;
  int cached_groups = 1; // ablation of memory: work-groups whose data all others read
};

// "lanes=8 leaves=16", for records.
std::string to_string(const KernelVariant &variant, int lanes);

// Sizes of the transposed strategy that follow from the integral.
struct TransposedSizes {
  int batch_cells = 0; // N_bc = N_bl * N_bs
  int threads = 0;     // N_t
};
TransposedSizes transposed_sizes(const CellIntegral &integral, const KernelVariant &variant);
// Lanes from the values at one point to those at the next in its local memory: of one real each an
// odd number, so that threads which are points find theirs in different banks.
int values_apart(const CellIntegral &integral, int num_values);

// Sizes of sums by planes.
PlaneSizes plane_sizes(const CellIntegral &integral);

// `backend`: whose dialect. `stage_nodes`: room for a block's nodes by family (block strategy).
KernelSource make_integral_kernel(const CellIntegral &integral, const KernelVariant &variant,
                                  const std::string &backend,
                                  const std::vector<int> &stage_nodes = {});

// What the kernel of a strategy does for a cell: part of its source, without the rest of it.
CellCost cell_cost(const CellIntegral &integral, Strategy strategy);

// Whether its quadrature points are written out, not a loop. `cost`: of the integral's kernel.
bool unrolls_points(const CellIntegral &integral, const CellCost &cost);

} // namespace weft
