#include "solve/aggregation/smoothed_aggregation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

namespace {

void check(const CsrPattern &pattern, std::span<const double> values,
           const NearNullSpace &null_space) {
  require(static_cast<std::int64_t>(values.size()) == pattern.num_entries(),
          "a value for each entry of the pattern");
  require(null_space.components > 0 && pattern.num_rows % null_space.components == 0,
          "unknowns come in whole nodes");
  require(static_cast<std::int64_t>(null_space.values.size()) ==
              null_space.num_vectors * pattern.num_rows,
          "near null vectors have a value for each unknown");
  require(null_space.functions.empty() ||
              (null_space.components == 1 && null_space.num_vectors == 0 &&
               static_cast<std::int64_t>(null_space.functions.size()) == pattern.num_rows),
          "functions of unknowns, with constants as near null vectors");
  if (pattern.num_entries() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported, {.what = "the matrix is too large for multigrid",
                                         .found = fmt::format("{} entries", pattern.num_entries()),
                                         .allowed = "fewer than 2^31",
                                         .remedy = "choose another preconditioner"});
}

// The first vectors are constants, of one component each; 0 where a value is prescribed.
bool begins_with_constants(const NearNullSpace &null_space, std::int64_t num_rows) {
  const int components = null_space.components, n = null_space.num_vectors;
  if (n < components)
    return false;
  std::vector<double> constant(components, 0);
  for (std::int64_t row = 0; row < num_rows; ++row)
    for (int k = 0; k < components; ++k) {
      const double value = null_space.values[row * n + k];
      if (value == 0)
        continue;
      if (row % components != k || (constant[k] != 0 && value != constant[k]))
        return false;
      constant[k] = value;
    }
  return true;
}

// What constants of each component are on this level: those of component k are represented by
// vector k alone, which is the k-th to be orthonormalised.
std::vector<double> constants_of(const NearNullSpace &null_space, int components,
                                 std::int64_t num_nodes) {
  std::vector<double> constants;
  if (null_space.values.empty())
    return constants;
  const int n = null_space.num_vectors;
  constants.assign(num_nodes * n, 0.);
  for (std::int64_t node = 0; node < num_nodes; ++node)
    for (int k = 0; k < components; ++k)
      constants[node * n + k] = null_space.values[(node * n + k) * n + k];
  return constants;
}

} // namespace

void make_aggregation_hierarchy(const CsrPattern &pattern, std::span<const double> values,
                                const NearNullSpace &null_space,
                                const AggregationSettings &settings, Hierarchy &hierarchy,
                                const OnLevel &on_level,
                                const std::shared_ptr<const SharedRows> &rows) {
  check(pattern, values, null_space);
  const int components = null_space.components;
  const HostArray<std::int32_t> row_start(pattern.row_start.begin(), pattern.row_start.end());
  BlockGraph graph;
  BlockView view = {.num_rows = pattern.num_rows / components,
                    .height = components,
                    .width = components,
                    .start = row_start.data(),
                    .columns = pattern.columns.data(),
                    .values = values.data()};
  if (components > 1) {
    graph =
        make_block_graph(row_start.data(), pattern.columns.data(), pattern.num_rows, components);
    view.start = graph.start.data();
    view.columns = graph.columns.data();
  }
  std::vector<HierarchyLevel> &levels = hierarchy.levels;
  levels.reserve(std::max(1, settings.max_levels)); // they stay where they are
  levels.push_back({.components = components, .rows = rows});
  std::shared_ptr<const SharedRows> nodes;
  AggregationSettings used = settings;
  used.gathered_size = std::max(settings.gathered_size, settings.coarsest_size);
  const bool has_constants = begins_with_constants(null_space, pattern.num_rows);
  NearNullSpace made_space; // of coarser levels, and of the finest where ghosts are to be fetched
  const NearNullSpace *space = &null_space;
  if (rows) {
    nodes = std::make_shared<SharedRows>(nodes_of_rows(*rows, components));
    if (!null_space.functions.empty()) {
      made_space = null_space;
      nodes->fetch(made_space.functions);
      space = &made_space;
    }
  }
  // What ranks share is not solved directly: so small a level is gathered.
  const auto is_small = [&] {
    return !nodes && view.num_rows * view.height <= settings.coarsest_size;
  };
  while (!is_small() && static_cast<int>(levels.size()) < settings.max_levels) {
    HierarchyLevel &fine = levels.back();
    CoarseLevel coarse = nodes ? make_coarse_level_of_ranks(view, *space, used, *nodes)
                               : make_coarse_level(view, *space, settings);
    if (coarse.num_nodes == 0)
      break;
    fine.largest_eigenvalue = coarse.largest_eigenvalue;
    nodes = coarse.nodes;
    const std::int64_t num_columns = nodes ? nodes->num_local() : coarse.num_nodes;
    fine.prolongation = {.entries = host_matrix(std::move(coarse.prolongation)),
                         .num_coarse = static_cast<std::int32_t>(num_columns * coarse.matrix.width),
                         .transposed = host_matrix(std::move(coarse.restriction))};
    made_space = std::move(coarse.null_space);
    space = &made_space;
    // The values stay where they are, and so do the columns of single entries.
    view = coarse.matrix.view();
    if (view.height > 1) {
      graph.start.assign(coarse.matrix.start.begin(), coarse.matrix.start.end());
      graph.columns.assign(coarse.matrix.columns.begin(), coarse.matrix.columns.end());
      view.start = graph.start.data();
      view.columns = graph.columns.data();
    }
    levels.push_back({.matrix = host_matrix(std::move(coarse.matrix)),
                      .components = view.height,
                      .constants = has_constants ? constants_of(*space, components, view.num_rows)
                                                 : std::vector<double>{}});
    if (nodes) {
      levels.back().rows = std::make_shared<SharedRows>(rows_of_nodes(*nodes, view.height));
      if (!levels.back().constants.empty())
        levels.back().rows->fetch(levels.back().constants);
    }
    if (on_level)
      on_level(levels[levels.size() - 2], levels.back());
  }
}

} // namespace weft
