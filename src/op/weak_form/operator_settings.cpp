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
// Work-items of a group that serve points.
constexpr std::int64_t gpu_wanted_threads = 128, cpu_wanted_threads = 32;
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

// Sums by planes share a cell among many work-items: more than a cell of first order has work for.
bool planes_pay(const FormIntegrals &integrals, const OperatorSettings &settings,
                const DeviceInfo &device) {
  const Discretisation &d = integrals.discretisation();
  const bool high = std::any_of(d.field_map.begin(), d.field_map.end(),
                                [&](int map) { return d.maps[map].order >= 2; });
  return high && planes_fit(integrals, settings, device);
}

// What has no tables of second derivatives.
void check_second_derivatives(const FormIntegrals &integrals, const OperatorSettings &settings) {
  const auto refuse = [](const std::string &what, const std::string &allowed) {
    throw Error(ErrorKind::unsupported, {.what = what + " of a form with second derivatives",
                                         .where = "[device]",
                                         .allowed = allowed,
                                         .remedy = "take that, or leave it open"});
  };
  if (!integrals.has_second_derivatives(Domain::cells))
    return;
  if (settings.sums && *settings.sums != Summation::points)
    refuse("sums by " + to_string(*settings.sums), "sums by points");
  for (const CellSet &set : integrals.discretisation().mesh->sets)
    if (settings.geometry == GeometrySource::stored && !integrals.is_straight(set.type))
      refuse(fmt::format("stored geometry of {}s that are not straight simplices,",
                         to_string(set.type)),
             "geometry on the fly");
}

// Where they are not by planes.
Summation default_sums(const FormIntegrals &integrals, const OperatorSettings &settings,
                       const DeviceInfo &device) {
  if (integrals.has_second_derivatives(Domain::cells))
    return Summation::points;
  return device.is_cpu && settings.strategy != Strategy::transposed &&
                 lines_pay(integrals.discretisation())
             ? Summation::lines
             : Summation::points;
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

// Whether local memory holds the element vectors of as many cells as a warp has threads.
bool vectors_fit(const FormIntegrals &integrals, const OperatorSettings &settings,
                 const DeviceInfo &device) {
  constexpr std::int64_t warp = 32;
  const Discretisation &d = integrals.discretisation();
  for (std::size_t set = 0; set < d.mesh->sets.size(); ++set) {
    std::int64_t rows = 0;
    for (std::size_t f = 0; f < d.form.fields.size(); ++f)
      rows += std::int64_t{d.map_of_field(static_cast<int>(f)).sets[set].element.num_nodes()} *
              d.form.fields[f].components();
    if (rows * warp * *settings.lanes * static_cast<std::int64_t>(size_bytes(settings.precision)) >
        block_group_bytes(settings, device))
      return false;
  }
  return true;
}

// Blocks move the fewest bytes: no element vectors in memory, and what cells share is read once.
// Of a GPU that is counted, not measured: on an H100 the model gives a product with the Jacobian a
// half to a quarter of the time that it gives `cell` (P1 to P3, triangles and tetrahedra, scalars
// and vectors; weft explain --device model:h100).
Strategy default_strategy(const FormIntegrals &integrals, const OperatorSettings &settings,
                          const DeviceInfo &device) {
  if (settings.sums == Summation::planes || !leaves_fit(integrals))
    return Strategy::cell;
  if (!settings.block_groups.value_or(!device.is_cpu))
    return device.is_cpu ? Strategy::block : Strategy::cell;
  return vectors_fit(integrals, settings, device) ? Strategy::block : Strategy::cell;
}

} // namespace

OperatorSettings with_choices(OperatorSettings settings, const FormIntegrals &integrals,
                              const DeviceInfo &device) {
  check_second_derivatives(integrals, settings);
  if (!settings.lanes)
    settings.lanes = default_lanes(device, settings.precision);
  const bool planes_may = !settings.sums && !device.is_cpu &&
                          !integrals.has_second_derivatives(Domain::cells) &&
                          settings.strategy.value_or(Strategy::cell) == Strategy::cell;
  if (planes_may && planes_pay(integrals, settings, device))
    settings.sums = Summation::planes;
  const bool planes = settings.sums == Summation::planes;
  if (!settings.strategy)
    settings.strategy = default_strategy(integrals, settings, device);
  if (planes && settings.strategy != Strategy::cell)
    throw Error(ErrorKind::input, {.what = "sums by planes are of strategy \"cell\"",
                                   .found = "strategy \"" + to_string(*settings.strategy) + "\"",
                                   .remedy = "leave one of them open"});
  if (!settings.sums)
    settings.sums = default_sums(integrals, settings, device);
  if (!settings.groups_per_item)
    settings.groups_per_item = device.is_cpu && settings.sums != Summation::planes ? 64 : 1;
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

GroupNeed transposed_need(const CellIntegral &in, int num_blocks, const DeviceInfo &device) {
  KernelVariant variant;
  variant.num_blocks = num_blocks;
  const TransposedSizes sizes = transposed_sizes(in, variant);
  const int values = // of a component at a point, at most
      in.kind == IntegralKind::diagonal ? num_diagonal_entries(in.num_entries()) : in.num_entries();
  return {.threads = sizes.threads,
          .local_bytes = std::int64_t{sizes.batch_cells} * in.num_points() * in.num_components() *
                         values * in.lanes * static_cast<std::int64_t>(size_bytes(in.precision)),
          .threads_allowed = device.max_work_group,
          .local_bytes_allowed = usable_local_bytes(device)};
}

GroupNeed planes_need(const CellIntegral &in, int cells_at_once, const DeviceInfo &device) {
  const PlaneSizes sizes = plane_sizes(in);
  const std::int64_t reals =
      std::int64_t{sizes.exchange_reals} * cells_at_once * in.lanes + sizes.table_reals;
  return {.threads = std::int64_t{sizes.threads()} * cells_at_once,
          .local_bytes = reals * static_cast<std::int64_t>(size_bytes(in.precision)),
          .threads_allowed = device.max_work_group,
          .local_bytes_allowed = std::min(usable_local_bytes(device), portable_local_bytes)};
}

bool planes_fit(const FormIntegrals &integrals, OperatorSettings settings,
                const DeviceInfo &device) {
  const Discretisation &d = integrals.discretisation();
  settings.strategy = Strategy::cell;
  settings.sums = Summation::planes;
  bool any = false;
  for (int set = 0; integrals.has_cells() && set < static_cast<int>(d.mesh->sets.size()); ++set) {
    if (!has_lines(d.mesh->sets[set].type))
      continue;
    any = true;
    for (const IntegralKind kind :
         {IntegralKind::residual, IntegralKind::linearised, IntegralKind::diagonal})
      if (kind == IntegralKind::residual || d.form.c_text.empty()) // by differences
        if (!planes_need(integrals.describe(kind, {.set = set}, settings), 1, device).fits())
          return false;
  }
  return any;
}

int default_num_blocks(const CellIntegral &in, const DeviceInfo &device) {
  const GroupNeed one = transposed_need(in, 1, device);
  const std::int64_t wanted_threads = device.is_cpu ? cpu_wanted_threads : gpu_wanted_threads;
  const std::int64_t local_limit = std::min(usable_local_bytes(device), portable_local_bytes);
  const std::int64_t blocks = std::max<std::int64_t>(1, wanted_threads / one.threads);
  return static_cast<int>(
      std::max<std::int64_t>(1, std::min(blocks, local_limit / one.local_bytes)));
}

namespace {

// Cells whose planes fill a work-group and fit; planes of half of that and more are alone.
int default_cells_at_once(const CellIntegral &in, const DeviceInfo &device) {
  const std::int64_t wanted_threads = device.is_cpu ? cpu_wanted_threads : gpu_wanted_threads;
  int cells = static_cast<int>(
      std::max<std::int64_t>(1, wanted_threads / planes_need(in, 1, device).threads));
  while (cells > 1 && !planes_need(in, cells, device).fits())
    --cells;
  return cells;
}

void require_fit(const GroupNeed &need, const std::string &what, const std::string &remedy,
                 const DeviceInfo &device) {
  if (need.fits())
    return;
  throw Error(ErrorKind::unsupported,
              {.what = what + " for this element and quadrature on " + device.name,
               .found = fmt::format("{} work-items and {} bytes of local memory a work-group",
                                    need.threads, need.local_bytes),
               .allowed = fmt::format("{} work-items, {} bytes", need.threads_allowed,
                                      need.local_bytes_allowed),
               .remedy = remedy});
}

} // namespace

KernelVariant kernel_variant(const CellIntegral &in, Strategy strategy,
                             const OperatorSettings &settings, const DeviceInfo &device) {
  KernelVariant variant;
  variant.strategy = strategy;
  variant.leaves_per_block = settings.leaves_per_block.value_or(1);
  variant.groups_per_item = *settings.groups_per_item;
  variant.group_size = device.is_cpu ? 1 : 128;
  variant.ablation = settings.ablation;
  variant.cached_groups = 2 * std::max(1, device.compute_units);
  if (in.by_planes()) {
    variant.cells_at_once = default_cells_at_once(in, device);
    const GroupNeed need = planes_need(in, variant.cells_at_once, device);
    require_fit(need, "sums by planes", "use sums by \"points\" or \"lines\"", device);
    variant.group_size = static_cast<int>(need.threads);
  }
  if (strategy != Strategy::transposed)
    return variant;
  variant.num_blocks = settings.num_blocks.value_or(default_num_blocks(in, device));
  variant.num_batches = *settings.num_batches;
  require_fit(transposed_need(in, variant.num_blocks, device), "strategy \"transposed\"",
              "use strategy \"cell\" or \"block\"", device);
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
