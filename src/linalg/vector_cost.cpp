#include "linalg/vector_cost.h"

#include <algorithm>

namespace weft {

namespace {

// Counts reals up to a multiple of a lane.
double whole_lanes(std::int64_t entries, int lanes) {
  return static_cast<double>((entries + lanes - 1) / lanes * lanes);
}

// Counts reals of `entries` entries that lie together, when each work-item that enters a step does
// `chains` lanes.
std::int64_t whole_steps(const VectorShape &shape, std::int64_t entries, std::int64_t chains) {
  const std::int64_t step = chains * shape.group_size * shape.lanes;
  const std::int64_t rest = entries % step;
  const std::int64_t items =
      std::min<std::int64_t>(shape.group_size, (rest + shape.lanes - 1) / shape.lanes);
  return entries - rest + chains * items * shape.lanes;
}

// The same of all chunks.
double whole_chains(const VectorShape &shape, std::int64_t chains) {
  const std::int64_t before = (shape.chunks - 1) * shape.chunk_entries; // the last chunk
  const std::int64_t reals = (shape.chunks - 1) * whole_steps(shape, shape.chunk_entries, chains) +
                             whole_steps(shape, shape.entries - before, chains);
  return static_cast<double>(reals);
}

// Sums over the lanes and work-items of groups, `count` of them: group_sum() of common.kernel.
void add_group_sums(KernelCost &cost, const VectorShape &shape, double count) {
  const double items = shape.group_size;
  cost.operations.additions += count * (items * shape.lanes + items - 1);
  add_group_reductions(cost, shape, count);
}

// systems_store() of block.kernel, once a chunk.
void add_systems_store(KernelCost &cost, const VectorShape &shape, bool largest) {
  const double chunks = static_cast<double>(shape.chunks), systems = shape.systems;
  const double items = shape.group_size;
  const double real = static_cast<double>(size_bytes(arithmetic_precision(shape.precision)));
  cost.bytes_written += chunks * systems * real;
  if (!largest)
    cost.operations.additions += chunks * (std::max<double>(items, shape.lanes) - systems);
  if (shape.group_size > 1) {
    // Each item leaves its number; a tree of joins in place; each system's is read.
    cost.local_bytes += chunks * (items + 3 * (items - systems) + systems) * real;
    cost.stage_bytes = items * real;
  }
}

// vector_reduce of block.kernel, a group a system.
void add_systems_reduce(KernelCost &cost, const VectorShape &shape, bool largest) {
  const double chunks = static_cast<double>(shape.chunks), systems = shape.systems;
  const double items = shape.group_size;
  const double real = static_cast<double>(size_bytes(arithmetic_precision(shape.precision)));
  cost.bytes_read += systems * chunks * real;
  cost.bytes_written += systems * real;
  if (!largest)
    cost.operations.additions += systems * (chunks + items - 1);
  cost.local_bytes += systems * (items + 3 * (items - 1) + 1) * real;
  cost.stage_bytes = items * real;
}

} // namespace

KernelCost vector_cost(const VectorShape &shape, const VectorWork &work) {
  const double entries = static_cast<double>(shape.entries);
  const double chunks = static_cast<double>(shape.chunks);
  const double value = static_cast<double>(size_bytes(shape.precision));
  const double real = static_cast<double>(size_bytes(arithmetic_precision(shape.precision)));
  const Launch launch{work.reduces_systems ? shape.systems
                      : work.groups > 0    ? work.groups
                                           : shape.chunks,
                      shape.group_size};
  KernelCost cost;
  cost.operations = (work.chains > 0 ? whole_chains(shape, work.chains)
                                     : whole_lanes(shape.entries, shape.lanes)) *
                    work.per_entry;
  cost.operations += static_cast<double>(launch.groups * launch.group_size) * work.per_item;
  cost.operations += work.once;
  cost.bytes_read = value * work.reads * entries +
                    real * (work.scalars_read + work.partial_sums * chunks) +
                    4 * work.indices_read * entries;
  cost.bytes_written =
      value * work.writes * entries + real * (work.scalars_written + work.partial_stores * chunks);
  add_group_sums(cost, shape, work.partial_stores * chunks + work.partial_sums);
  if (work.reads_coefficients)
    cost.bytes_read += real * shape.systems;
  if (work.stores_systems)
    add_systems_store(cost, shape, work.largest);
  if (work.reduces_systems)
    add_systems_reduce(cost, shape, work.largest);
  cost.operations.additions += work.partial_sums * whole_lanes(shape.chunks, shape.lanes);
  count_launch(cost, launch);
  return cost;
}

void add_group_reductions(KernelCost &cost, const VectorShape &shape, double count) {
  if (shape.group_size == 1)
    return;
  const double items = shape.group_size;
  // Each item leaves its number and reads the result; between, a tree of joins in place.
  const double reals = 2 * items + 3 * (items - 1);
  const double real = static_cast<double>(size_bytes(arithmetic_precision(shape.precision)));
  cost.local_bytes += count * reals * real;
  cost.stage_bytes = items * real;
}

void count_launch(KernelCost &cost, const Launch &launch) {
  cost.work_groups += static_cast<double>(launch.groups);
  cost.work_items += static_cast<double>(launch.groups * launch.group_size);
  cost.launches += 1;
}

} // namespace weft
