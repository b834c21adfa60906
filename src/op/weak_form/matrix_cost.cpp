#include "op/weak_form/matrix_cost.h"

#include "kernel/cell/argument_list.h"
#include "kernel/text/block_layout.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

constexpr double map_bytes = 2; // entries of the entry map

using Kind = NodalInput::Kind;

// What lane groups read of their cells.
void add_reads(KernelCost &cost, const CellIntegral &in, const MatrixVariant &variant,
               const PartCounts &n, double slots, double real) {
  const std::vector<bool> used =
      families_in_use(in, variant.destination == MatrixDestination::diagonal);
  for (std::size_t f = 0; f < used.size(); ++f)
    if (used[f]) {
      const double numbers = slots * in.families[f].element.num_nodes();
      cost.bytes_read += numbers * index_bytes;
      if (variant.coalesced_reading) // written and read; by gathers of coordinates too
        cost.local_bytes += numbers * index_bytes;
    }
  for (const NodalInput &input : in.inputs) {
    if (input.family < 0) {
      cost.bytes_read += slots * input.components * real;
      continue;
    }
    if (!is_read(in, input))
      continue;
    const double nodes = nodes_read(in, input, n);
    const double reads = slots * in.nodes_of(input);
    if (input.kind == Kind::coordinates) {
      cost.bytes_read += nodes * image_reals * real;
      cost.stage_reads4 += reads;
    } else {
      cost.bytes_read += nodes * input.components * real;
      cost.memory_reads1 += reads * input.components;
      cost.memory_places1 += nodes * input.components;
    }
  }
  if (!in.reads_coordinates())
    cost.bytes_read += slots * in.stored_geometry_entries() * real;
  add_tables(cost, in, n, slots, 1);
  if (in.on_facets)
    cost.bytes_read += static_cast<double>(in.sides().size() * n.groups) * index_bytes;
}

} // namespace

void take_groups(MatrixVariant &variant, const DeviceInfo &device) {
  constexpr int gpu_work_items = 64, cpu_lane_groups = 16;
  variant.group_size = device.is_cpu ? 1 : gpu_work_items;
  variant.groups_per_item = device.is_cpu ? cpu_lane_groups : 1;
}

Launch matrix_launch(const MatrixVariant &variant, const PartCounts &counts) {
  if (variant.destination == MatrixDestination::csr)
    return {counts.blocks, 1};
  const std::int64_t groups = std::int64_t{variant.group_size} * variant.groups_per_item;
  return {(counts.groups + groups - 1) / groups, variant.group_size};
}

KernelCost matrix_cost(const CellIntegral &in, const MatrixVariant &variant,
                       const PartCounts &counts, const StageCounts &stage, const CellCost &cell) {
  const double real = static_cast<double>(size_bytes(in.precision));
  const double slots = static_cast<double>(counts.groups) * in.lanes;
  const double rows = in.num_rows(), entries = slots * num_matrix_entries(in);
  KernelCost cost;
  cost.operations = slots * cell.performed;
  cost.slots = slots;
  cost.lanes = in.lanes;
  cost.private_values = rows * rows;
  add_reads(cost, in, variant, counts, slots, real);
  switch (variant.destination) {
  case MatrixDestination::csr: {
    cost.bytes_read +=
        entries * map_bytes + static_cast<double>(counts.blocks) * index_bytes *
                                  matrix_block_row_entries(static_cast<int>(in.tests.size()));
    cost.operations.additions += entries;
    cost.stage_adds1 = entries;
    cost.stage_bytes = stage.stage_bytes;
    cost.bytes_streamed = static_cast<double>(stage.streamed_values) * real;
    cost.bytes_written = static_cast<double>(stage.entries - stage.streamed_values) * real;
    break;
  }
  case MatrixDestination::interleaved:
  case MatrixDestination::per_cell:
    (variant.stream ? cost.bytes_streamed : cost.bytes_written) += entries * real;
    break;
  case MatrixDestination::applied:
    cost.operations.multiply_adds += slots * rows * rows;
    cost.bytes_streamed += slots * rows * real;
    break;
  case MatrixDestination::diagonal:
    cost.operations.additions += static_cast<double>(counts.equal_rows);
    cost.bytes_streamed += slots * rows * real;
    break;
  }
  count_launch(cost, matrix_launch(variant, counts));
  return cost;
}

} // namespace weft
