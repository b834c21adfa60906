#include "solve/aggregation/smoothed_aggregation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "solve/aggregation/eigenvalue_sample.h"
#include "solve/aggregation/galerkin_product.h"
#include "solve/aggregation/smoothed_prolongation.h"

namespace weft {

namespace {

// Above this share of nodes that stay, coarser levels cost more than they help.
constexpr double slowest_coarsening = 0.8;

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

// The next coarser level: its prolongation, matrix and near null space.
struct CoarseLevel {
  BlockMatrix prolongation, restriction, matrix;
  std::int32_t num_aggregates = 0; // 0: nothing to coarsen
  NearNullSpace null_space;
};

CoarseLevel make_coarse_level(const BlockView &matrix, const NearNullSpace &null_space,
                              const AggregationSettings &settings, double &largest_eigenvalue) {
  const double strength = settings.strength.value_or(matrix.height > 1 ? 0.08 : 0.28);
  const Couplings couplings = measure_couplings(matrix);
  const Aggregates aggregates = make_aggregates(matrix, couplings, strength, null_space.functions);
  if (aggregates.count == 0 ||
      aggregates.count > slowest_coarsening * static_cast<double>(matrix.num_rows))
    return {};
  const EigenvalueSample eigenvalues = sample_largest_eigenvalue(matrix);
  largest_eigenvalue = eigenvalues.largest;
  TentativeProlongation tentative =
      make_tentative_prolongation(aggregates, couplings.decoupled, null_space);
  CoarseLevel level = {.num_aggregates = aggregates.count};
  level.prolongation = settings.smoothing
                           ? smooth_prolongation(matrix, couplings, aggregates, tentative,
                                                 {.strength = strength,
                                                  .function = null_space.functions,
                                                  .of_row_sums = eigenvalues.of_row_sums})
                           : plain_prolongation(aggregates, tentative);
  level.restriction = transposed(level.prolongation.view(), aggregates.count);
  level.matrix = galerkin_product(matrix, level.prolongation.view(), level.restriction.view(),
                                  tentative.dropped);
  level.null_space = std::move(tentative.coarse);
  return level;
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
                                const OnLevel &on_level) {
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
  levels.push_back({.components = components});
  NearNullSpace coarse_space;
  while (view.num_rows * view.height > settings.coarsest_size &&
         static_cast<int>(levels.size()) < settings.max_levels) {
    HierarchyLevel &fine = levels.back();
    CoarseLevel coarse = make_coarse_level(view, levels.size() == 1 ? null_space : coarse_space,
                                           settings, fine.largest_eigenvalue);
    if (coarse.num_aggregates == 0)
      break;
    fine.prolongation = {.entries = host_matrix(std::move(coarse.prolongation)),
                         .num_coarse = coarse.num_aggregates * coarse.matrix.width,
                         .transposed = host_matrix(std::move(coarse.restriction))};
    coarse_space = std::move(coarse.null_space);
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
                      .constants = constants_of(coarse_space, components, view.num_rows)});
    if (on_level)
      on_level(levels[levels.size() - 2], levels.back());
  }
}

} // namespace weft
