// What the kernels of a form cost, by closed formulas of a few counts: nothing is made or compiled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/device.h"
#include "kernel/cell/integral_kernel.h"

namespace weft {

// What one launch works on: the cells of a set, or facets of one type of a set.
struct PartCounts {
  std::int64_t cells = 0;  // or facets
  std::int64_t groups = 0; // lane groups; groups * lanes = slots, with a cell or without
  // [family], on facets between two cells [side][family]: that the cells have, each counted once;
  // [family]: of the plus side's those that no cell of the minus side has.
  std::vector<std::int64_t> nodes, plus_alone;
  std::int64_t cell_classes = 0; // that occur among the cells
  std::int64_t facet_classes = 0;
  // Between two cells: pairs of rows of an element matrix that are of one dof, of all slots.
  std::int64_t equal_rows = 0;

  // Blocks:
  std::int64_t blocks = 0;
  std::int64_t padded_blocks = 0;         // blocks with slots that have no cell
  std::vector<std::int64_t> inner_nodes;  // [family], of all blocks
  std::vector<std::int64_t> shared_nodes; // [family], of all blocks: once for each block
  std::vector<int> stage_nodes;           // [family]: room for the largest block's nodes
  // Blocks by work-groups, see kernel/cell/block_group_arguments.h. Of the passes of all blocks:
  std::vector<std::int64_t> list_nodes; // [family]: nodes that a pass contributes to
  std::vector<std::int64_t> list_bytes; // [family]: of lists that are not empty
};

constexpr double index_bytes = 4; // global node numbers, classes, entries of tables of blocks

// Nodes whose values an input reads: on the plus side of facets between two cells, without those
// that it reads on the minus side.
double nodes_read(const CellIntegral &integral, const NodalInput &input, const PartCounts &counts);
// Adds what slots read of tables of parameters. `readers`: work-items that read those of a slot.
void add_tables(KernelCost &cost, const CellIntegral &integral, const PartCounts &counts,
                double slots, double readers);

// Work-groups and work-items of the launch.
Launch integral_launch(const CellIntegral &integral, const KernelVariant &variant,
                       const PartCounts &counts);

// What the launch does. Slots without a cell count like others: their operations are done too.
// Operations of C text of a case are not known.
KernelCost integral_cost(const CellIntegral &integral, const KernelVariant &variant,
                         const PartCounts &counts, const CellCost &cell);
KernelCost integral_cost(const CellIntegral &integral, const KernelVariant &variant,
                         const PartCounts &counts);

// What the integral needs, however it is computed: the operations that flop rates count. Cells
// count, not slots; sums over cells that the launch does are in it.
Operations integral_operations(const CellIntegral &integral, const KernelVariant &variant,
                               const PartCounts &counts, const CellCost &cell);

// A launch of assemble_gather.
struct GatherCounts {
  std::int64_t nodes = 0;
  std::int64_t entries = 0; // contributions, of all components together
  int components = 1;
  bool add = false; // to what is there
};
KernelCost gather_cost(const GatherCounts &counts, Precision precision, const Launch &launch);
// Of kernels that go through a list: nodes that assemble_gather sums, dofs of constrain.
int list_entries_an_item(const DeviceInfo &device);
Launch list_launch(std::int64_t entries, const DeviceInfo &device);

// A kernel of kernels/fem/constrain.kernel over so many dofs; constrain_set with one value for all.
// Throws `invariant` for an unknown name.
KernelCost constrain_cost(const std::string &kernel, std::int64_t dofs, Precision precision,
                          const Launch &launch);
// The launches of constrain that one residual(), apply() or diagonal() takes; none without dofs.
std::vector<NamedCost> constrain_costs(IntegralKind kind, std::int64_t dofs, Precision precision,
                                       const DeviceInfo &device);

} // namespace weft
