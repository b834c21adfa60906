#include "mesh/order/partition_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <metis.h>
#include <numeric>
#include <string>

#include "base/error.h"
#include "mesh/order/subgraph.h"

namespace weft {

namespace {

// Parts cut out of one at once: METIS's time grows faster than their number where they are many.
constexpr std::int64_t most_parts_at_once = 32;

// [cell] of num_parts >= 2 parts, some of which may be empty. `weights`: [cell]; none: all are
// equal.
std::vector<std::int32_t> run_metis(const CellAdjacency &adjacency, std::int32_t num_parts,
                                    std::vector<idx_t> weights = {}) {
  static_assert(sizeof(idx_t) == sizeof(std::int32_t));
  std::vector<idx_t> offset(adjacency.offset.begin(), adjacency.offset.end());
  std::vector<idx_t> neighbours = adjacency.neighbours;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t num_cells = static_cast<idx_t>(adjacency.num_cells()), num_constraints = 1, cut = 0;
  std::vector<idx_t> part(num_cells);
  const int status =
      METIS_PartGraphKway(&num_cells, &num_constraints, offset.data(), neighbours.data(),
                          weights.empty() ? nullptr : weights.data(), nullptr, nullptr, &num_parts,
                          nullptr, nullptr, options, &cut, part.data());
  if (status != METIS_OK)
    throw Error(ErrorKind::system,
                {.what = "METIS could not partition the cells.",
                 .found = std::to_string(num_cells) + " cells, " + std::to_string(num_parts) +
                          " parts, status " + std::to_string(status),
                 .remedy = "status -3 is too little memory: choose a smaller mesh"});
  return part;
}

// Gives parts their numbers anew, by ascending old ones, so that none is empty.
CellPartition without_empty(std::vector<std::int32_t> part) {
  const std::int32_t highest = part.empty() ? -1 : *std::max_element(part.begin(), part.end());
  std::vector<std::int32_t> number(highest + 1, 0);
  for (const std::int32_t p : part)
    number[p] = 1;
  std::exclusive_scan(number.begin(), number.end(), number.begin(), 0);
  for (std::int32_t &p : part)
    p = number[p];
  CellPartition result{0, std::move(part)};
  for (const std::int32_t p : result.part)
    result.num_parts = std::max(result.num_parts, p + 1);
  return result;
}

CellPartition partition_at_once(const CellAdjacency &adjacency, std::int64_t part_cells) {
  const std::int64_t cells = adjacency.num_cells();
  const std::int64_t parts = std::clamp<std::int64_t>((cells + part_cells / 2) / part_cells, 1,
                                                      std::max<std::int64_t>(1, cells));
  if (parts == 1)
    return without_empty(std::vector<std::int32_t>(cells, 0));
  return without_empty(run_metis(adjacency, static_cast<std::int32_t>(parts)));
}

void check_size(const CellAdjacency &adjacency) {
  if (adjacency.num_entries() > std::numeric_limits<idx_t>::max())
    throw Error(ErrorKind::unsupported,
                {.what = "The mesh is too large to be partitioned.",
                 .found = std::to_string(adjacency.num_entries()) + " neighbours of cells",
                 .allowed = "2147483647"});
}

// Costs as whole numbers, to a sixteenth of the smallest; none where all are equal.
std::vector<idx_t> weights_of(std::span<const double> cost) {
  const auto [least, most] = std::minmax_element(cost.begin(), cost.end());
  if (cost.empty() || *least == *most)
    return {};
  constexpr double parts_of_least = 16, largest_weight = 4096;
  std::vector<idx_t> weights(cost.size());
  std::transform(cost.begin(), cost.end(), weights.begin(), [&, unit = *least](double c) {
    return static_cast<idx_t>(std::lround(std::min(largest_weight, parts_of_least * c / unit)));
  });
  return weights;
}

} // namespace

std::vector<std::int32_t> partition_into(const CellAdjacency &adjacency,
                                         std::span<const double> cost, std::int32_t num_parts) {
  const std::int64_t cells = adjacency.num_cells();
  require(num_parts >= 1 && static_cast<std::int64_t>(cost.size()) == cells,
          "parts, and a cost of each cell");
  check_size(adjacency);
  std::vector<std::int32_t> part(cells, 0);
  if (cells <= num_parts) // METIS wants more
    std::iota(part.begin(), part.end(), 0);
  else if (num_parts > 1)
    part = run_metis(adjacency, num_parts, weights_of(cost));
  return part;
}

CellPartition partition_cells(const CellAdjacency &adjacency, std::int64_t part_cells) {
  require(part_cells >= 1, "parts have cells");
  check_size(adjacency);
  const std::int64_t cells = adjacency.num_cells();
  if (cells / part_cells <= most_parts_at_once)
    return partition_at_once(adjacency, part_cells);
  const CellPartition coarse = partition_cells(adjacency, most_parts_at_once * part_cells);
  const CellGroups groups = group_cells(coarse.part, coarse.num_parts);
  CellPartition result;
  result.part.resize(cells);
  Subgraphs subgraphs(adjacency);
  for (std::int32_t p = 0; p < coarse.num_parts; ++p) {
    const std::span<const std::int32_t> members = groups.of(p);
    const CellPartition fine = partition_at_once(subgraphs.make(members), part_cells);
    for (std::size_t i = 0; i < members.size(); ++i)
      result.part[members[i]] = result.num_parts + fine.part[i];
    result.num_parts += fine.num_parts;
  }
  return result;
}

} // namespace weft
