#include "op/weak_form/operator_settings.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "device/lanes.h"
#include "kernel/cell/basis_tables.h"
#include "op/layout/block_plan.h"

namespace weft {

namespace {

// Cells a merged block should have: large blocks share few nodes, small ones stay in the caches.
constexpr std::int64_t target_block_cells = 8192;
// Local memory that every device has; static arrays of CUDA may have no more.
constexpr std::int64_t portable_local_bytes = 48 << 10;
// Work-items a group doing a block on GPUs: two cells each of a leaf of 256. A CPU runs them one
// after the other.
constexpr int gpu_group_threads = 128, cpu_group_threads = 16;

// Some drivers place more than the kernel asks for in local memory.
std::int64_t usable_local_bytes(const DeviceInfo &device) {
  return static_cast<std::int64_t>(device.local_memory_bytes) * 3 / 4;
}

// Sums by lines pay where a cell has many points: of few, written out, tables of points take as
// long (8 points of hexahedra, Zen 4).
bool lines_pay(const Discretisation &d) {
  constexpr int few_points = 9;
  return std::any_of(d.mesh->sets.begin(), d.mesh->sets.end(), [&](const CellSet &set) {
    return has_lines(set.type) &&
           make_quadrature(set.type, d.cell_degree, d.line_points).num_points() > few_points;
  });
}

// Whether a block of one leaf can number its nodes, even if no two cells shared one.
bool leaves_fit(const FormIntegrals &integrals) {
  const Mesh &mesh = *integrals.discretisation().mesh;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    std::int64_t nodes = 0;
    for (const NodeMap *map : integrals.families())
      nodes += map->sets[s].element.num_nodes();
    const std::vector<std::int64_t> &leaves = mesh.sets[s].leaf_offset;
    for (std::size_t leaf = 1; leaf < leaves.size(); ++leaf)
      if ((leaves[leaf] - leaves[leaf - 1]) * nodes > 65536)
        return false;
  }
  return true;
}

} // namespace

OperatorSettings with_choices(OperatorSettings settings, const FormIntegrals &integrals,
                              const DeviceInfo &device) {
  // Blocks move fewer bytes (no element vectors in memory), but each work-group waits for its own
  // slowest step, and that has been measured on no GPU yet: `cell` is the plain choice till then.
  if (!settings.strategy)
    settings.strategy = device.is_cpu && leaves_fit(integrals) ? Strategy::block : Strategy::cell;
  if (!settings.lanes)
    settings.lanes = default_lanes(device, settings.precision);
  if (!settings.sums)
    settings.sums = device.is_cpu && settings.strategy != Strategy::transposed &&
                            lines_pay(integrals.discretisation())
                        ? Summation::lines
                        : Summation::points;
  if (!settings.groups_per_item)
    settings.groups_per_item = device.is_cpu ? 64 : 1;
  if (*settings.strategy == Strategy::transposed && !settings.num_batches)
    settings.num_batches = device.is_cpu ? 16 : 4;
  if (*settings.strategy != Strategy::block)
    return settings;
  if (!settings.block_groups)
    settings.block_groups = !device.is_cpu;
  if (!settings.leaves_per_block) {
    int most_nodes = 1;
    for (const NodeMap *map : integrals.families())
      for (const NodeMapSet &set : map->sets)
        most_nodes = std::max(most_nodes, set.element.num_nodes());
    settings.leaves_per_block =
        *settings.block_groups
            ? 1 // a leaf's element vectors fit in the local memory of most devices
            : choose_merge(*integrals.discretisation().mesh, most_nodes, target_block_cells,
                           blocks_a_core * std::max(1, device.compute_units));
  }
  return settings;
}

TransposedNeed transposed_need(const CellIntegral &in, int num_blocks, const DeviceInfo &device) {
  KernelVariant variant;
  variant.num_blocks = num_blocks;
  const TransposedSizes sizes = transposed_sizes(in, variant);
  const int values = // of a component at a point, at most
      in.kind == IntegralKind::diagonal ? num_diagonal_entries(in.dim) : 1 + in.dim;
  return {.threads = sizes.threads,
          .local_bytes = std::int64_t{sizes.batch_cells} * in.num_points() * in.num_components() *
                         values * in.lanes * static_cast<std::int64_t>(size_bytes(in.precision)),
          .threads_allowed = device.max_work_group,
          .local_bytes_allowed = usable_local_bytes(device)};
}

int default_num_blocks(const CellIntegral &in, const DeviceInfo &device) {
  const TransposedNeed one = transposed_need(in, 1, device);
  const std::int64_t wanted_threads = device.is_cpu ? 32 : 128;
  const std::int64_t local_limit = std::min(usable_local_bytes(device), portable_local_bytes);
  const std::int64_t blocks = std::max<std::int64_t>(1, wanted_threads / one.threads);
  return static_cast<int>(
      std::max<std::int64_t>(1, std::min(blocks, local_limit / one.local_bytes)));
}

KernelVariant kernel_variant(const CellIntegral &in, Strategy strategy,
                             const OperatorSettings &settings, const DeviceInfo &device) {
  KernelVariant variant;
  variant.strategy = strategy;
  variant.leaves_per_block = settings.leaves_per_block.value_or(1);
  variant.groups_per_item = *settings.groups_per_item;
  variant.group_size = device.is_cpu ? 1 : 128;
  variant.ablation = settings.ablation;
  variant.cached_groups = 2 * std::max(1, device.compute_units);
  if (strategy != Strategy::transposed)
    return variant;
  variant.num_blocks = settings.num_blocks.value_or(default_num_blocks(in, device));
  variant.num_batches = *settings.num_batches;
  const TransposedNeed need = transposed_need(in, variant.num_blocks, device);
  if (!need.fits())
    throw Error(
        ErrorKind::unsupported,
        {.what = "strategy \"transposed\" for this element and quadrature on " + device.name,
         .found = fmt::format("{} work-items and {} bytes of local memory a work-group",
                              need.threads, need.local_bytes),
         .allowed =
             fmt::format("{} work-items, {} bytes", need.threads_allowed, need.local_bytes_allowed),
         .remedy = "use strategy \"cell\" or \"block\""});
  return variant;
}

std::int64_t block_group_bytes(const OperatorSettings &settings, const DeviceInfo &device) {
  const auto device_bytes = static_cast<std::int64_t>(device.local_memory_bytes);
  const std::int64_t bytes = settings.local_memory_bytes.value_or(
      static_cast<int>(std::min(portable_local_bytes, usable_local_bytes(device))));
  if (bytes > device_bytes)
    throw Error(ErrorKind::unsupported, {.what = "local memory of work-groups on " + device.name,
                                         .found = std::to_string(bytes) + " bytes",
                                         .allowed = std::to_string(device_bytes) + " bytes",
                                         .remedy = "ask for less"});
  return bytes;
}

int block_group_threads(const DeviceInfo &device) {
  return std::min(device.is_cpu ? cpu_group_threads : gpu_group_threads, device.max_work_group);
}

} // namespace weft
