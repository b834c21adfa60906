#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ranks/joined.h"
#include "solve/aggregation/coarse_level.h"
#include "solve/aggregation/eigenvalue_sample.h"
#include "solve/aggregation/galerkin_product.h"
#include "solve/aggregation/rows_of_ranks.h"
#include "solve/aggregation/smoothed_prolongation.h"

namespace weft {

namespace {

// Unknowns of a level that does not coarsen among ranks, and is gathered as it is.
constexpr std::int64_t most_gathered_as_they_are = 100'000;

Aggregates each_node_alone(Aggregates aggregates) {
  aggregates.count = 0;
  for (std::int32_t &of_node : aggregates.of_node)
    if (of_node != no_aggregate)
      of_node = aggregates.count++;
  return aggregates;
}

// All: the aggregates of ghosts too, as places that are met.
Aggregates with_ghosts(const Aggregates &own, const SharedRows &nodes, MetNumbers &coarse) {
  std::vector<std::int64_t> number(own.of_node.size());
  for (std::size_t node = 0; node < number.size(); ++node)
    number[node] = own.of_node[node] == no_aggregate ? -1 : coarse.first() + own.of_node[node];
  nodes.fetch(number);
  Aggregates all = own;
  for (std::int64_t node = nodes.num_own(); node < nodes.num_local(); ++node)
    all.of_node.push_back(number[node] < 0 ? no_aggregate : coarse.place(number[node]));
  all.count = static_cast<std::int32_t>(coarse.num_met());
  return all;
}

// All: the blocks of ghosts too. Ranks that have identities write them down where others have not.
void fetch_blocks(TentativeProlongation &tentative, const SharedRows &nodes) {
  if (!any(nodes.ranks, !tentative.blocks.empty()))
    return;
  const int height = tentative.components, width = tentative.num_vectors;
  if (tentative.blocks.empty()) {
    tentative.blocks.assign(nodes.num_own() * height * width, 0.);
    for (std::int64_t node = 0; node < nodes.num_own(); ++node)
      for (int k = 0; k < std::min(height, width); ++k)
        tentative.blocks[(node * height + k) * width + k] = 1;
  }
  nodes.fetch(tentative.blocks, std::size_t(height) * width);
}

// All: of the coarse nodes of all ranks, one rank after another.
NearNullSpace joined_space(Communicator &ranks, const NearNullSpace &own) {
  return {.num_vectors = own.num_vectors,
          .components = own.components,
          .values = joined(ranks, own.values),
          .functions = joined(ranks, own.functions)};
}

// All: every rank gets the whole of the coarse matrix.
void gather(CoarseLevel &level, const MetNumbers &coarse, const BlockView &product,
            const ReturnedRows &returned) {
  std::vector<std::int32_t> number(coarse.num_met());
  for (std::int64_t place = 0; place < coarse.num_met(); ++place)
    number[place] = static_cast<std::int32_t>(coarse.number(place));
  level.matrix =
      joined_rows(coarse.ranks(), moved_rows(product, coarse.num_own(), returned, number));
  move_columns(level.prolongation, static_cast<std::int64_t>(level.prolongation.start.size()) - 1,
               number);
  level.null_space = joined_space(coarse.ranks(), level.null_space);
}

// All: every rank keeps the rows of its own coarse nodes.
void share(CoarseLevel &level, const MetNumbers &coarse, const BlockView &product,
           const ReturnedRows &returned) {
  std::vector<std::uint8_t> is_looked_at(coarse.num_met(), 0);
  const auto look = [&](const auto &columns, std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k)
      is_looked_at[columns[k]] = 1;
  };
  look(product.columns, product.start[coarse.num_own()]);
  look(returned.columns, static_cast<std::int64_t>(returned.columns.size()));
  look(level.prolongation.columns, static_cast<std::int64_t>(level.prolongation.columns.size()));
  LookedAt looked_at = find_looked_at(coarse, is_looked_at);
  level.matrix = moved_rows(product, coarse.num_own(), returned, looked_at.place_of);
  move_columns(level.prolongation, static_cast<std::int64_t>(level.prolongation.start.size()) - 1,
               looked_at.place_of);
  level.nodes = std::make_shared<SharedRows>(
      share_rows(coarse.ranks(), coarse.num_own(), std::move(looked_at.ghosts)));
  if (!level.null_space.functions.empty())
    level.nodes->fetch(level.null_space.functions);
}

} // namespace

CoarseLevel make_coarse_level_of_ranks(const BlockView &matrix, const NearNullSpace &space,
                                       const AggregationSettings &settings,
                                       const SharedRows &nodes) {
  Communicator &ranks = *nodes.ranks;
  const double strength = settings.strength.value_or(default_strength(matrix.height));
  Couplings couplings;
  together(&ranks, [&] { couplings = measure_couplings(matrix); });
  nodes.fetch(couplings.scales);
  Aggregates own = make_aggregates(matrix, couplings, strength, space.functions);
  const std::int64_t num_aggregates = sum(&ranks, std::int64_t{own.count});
  // A few nodes of each of many ranks have nothing to join.
  const bool stalls = static_cast<double>(num_aggregates) >
                      slowest_coarsening * static_cast<double>(nodes.num_all());
  if (num_aggregates == 0 || (stalls && num_aggregates * matrix.height > most_gathered_as_they_are))
    return {};
  if (stalls)
    own = each_node_alone(own);
  MetNumbers coarse(ranks, own.count);
  const EigenvalueSample eigenvalues = sample_largest_eigenvalue(matrix, &ranks);
  TentativeProlongation tentative = make_tentative_prolongation(own, couplings.decoupled, space);
  const Aggregates aggregates = with_ghosts(own, nodes, coarse);
  fetch_blocks(tentative, nodes);
  CoarseLevel level = {.num_nodes = coarse.num_all(), .largest_eigenvalue = eigenvalues.largest};
  level.null_space = std::move(tentative.coarse);
  const int width = tentative.num_vectors;
  require(coarse.num_all() * width <= std::numeric_limits<std::int32_t>::max(),
          "coarse unknowns have numbers of 32 bits");

  // Rows of P^T A P are made of own rows of A, for own and for other ranks' coarse nodes. P has one
  // ring of ghosts, rows of ghosts lead to a second one.
  const bool smoothed = settings.smoothing && !stalls;
  level.prolongation = smoothed ? smooth_prolongation(matrix, couplings, aggregates, tentative,
                                                      {.strength = strength,
                                                       .function = space.functions,
                                                       .of_row_sums = eigenvalues.of_row_sums})
                                : plain_prolongation(own, tentative);
  const BlockMatrix with_ghosts = with_rows_of_ghosts(nodes, level.prolongation, coarse);
  tentative.dropped.resize(coarse.num_met() * width, 0); // an owner's own matter
  const BlockMatrix product = galerkin_product(
      matrix, with_ghosts.view(), transposed(level.prolongation.view(), coarse.num_met()).view(),
      tentative.dropped);
  const ReturnedRows returned = return_rows(product.view(), coarse);

  level.restriction = transposed(with_ghosts.view(), coarse.num_met());
  level.restriction.start.resize(coarse.num_own() + 1);
  level.restriction.columns.resize(level.restriction.start.back());
  level.restriction.values.resize(std::int64_t{level.restriction.start.back()} * matrix.height *
                                  width);
  if (stalls || coarse.num_all() * width <= settings.gathered_size)
    gather(level, coarse, product.view(), returned);
  else
    share(level, coarse, product.view(), returned);
  return level;
}

} // namespace weft
