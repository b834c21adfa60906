#include "mesh/order/cell_order.h"

#include <numeric>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/names.h"
#include "mesh/order/partition_cells.h"
#include "mesh/order/reverse_cuthill_mckee.h"
#include "mesh/order/space_filling_curve.h"
#include "mesh/order/subgraph.h"

namespace weft {

namespace {

constexpr CellOrder all_cell_orders[] = {CellOrder::natural, CellOrder::random, CellOrder::rcm,
                                         CellOrder::curve, CellOrder::blocks};

std::vector<std::int32_t> natural_order(std::int64_t num_cells) {
  std::vector<std::int32_t> cells(num_cells);
  std::iota(cells.begin(), cells.end(), 0);
  return cells;
}

// Fisher and Yates's shuffle; that of the standard library differs from one to the other.
std::vector<std::int32_t> random_order(std::int64_t num_cells) {
  std::vector<std::int32_t> cells = natural_order(num_cells);
  std::mt19937_64 random(1);
  for (std::int64_t i = num_cells - 1; i > 0; --i) {
    const auto j = static_cast<std::int64_t>((random() >> 32) * std::uint64_t(i + 1) >> 32);
    std::swap(cells[i], cells[j]);
  }
  return cells;
}

CellOrdering block_order(const CellAdjacency &adjacency, std::int64_t block_cells) {
  const CellPartition partition = partition_cells(adjacency, block_cells);
  const CellGroups blocks = group_cells(partition.part, partition.num_parts);
  const std::vector<std::int32_t> order =
      reverse_cuthill_mckee(group_adjacency(adjacency, partition.part, blocks));
  CellOrdering result;
  result.cells.reserve(adjacency.num_cells());
  result.block_offset.push_back(0);
  Subgraphs subgraphs(adjacency);
  for (const std::int32_t block : order) {
    const std::span<const std::int32_t> members = blocks.of(block);
    for (const std::int32_t local : reverse_cuthill_mckee(subgraphs.make(members)))
      result.cells.push_back(members[local]);
    result.block_offset.push_back(static_cast<std::int64_t>(result.cells.size()));
  }
  return result;
}

} // namespace

std::string to_string(CellOrder order) {
  switch (order) {
  case CellOrder::natural:
    return "natural";
  case CellOrder::random:
    return "random";
  case CellOrder::rcm:
    return "rcm";
  case CellOrder::curve:
    return "curve";
  case CellOrder::blocks:
    return "blocks";
  }
  return {};
}

std::vector<std::string> cell_order_names() {
  std::vector<std::string> names;
  for (const CellOrder order : all_cell_orders)
    names.push_back(to_string(order));
  return names;
}

CellOrder cell_order_from_name(const std::string &name) {
  for (const CellOrder order : all_cell_orders)
    if (to_string(order) == name)
      return order;
  throw Error(
      ErrorKind::input,
      {.what = "unknown order of cells", .found = name, .allowed = join_names(cell_order_names())});
}

CellOrdering cell_order(CellOrder order, const CellAdjacency &adjacency,
                        std::span<const double> centres, int dim, std::int64_t block_cells) {
  switch (order) {
  case CellOrder::natural:
    return {natural_order(adjacency.num_cells()), {}};
  case CellOrder::random:
    return {random_order(adjacency.num_cells()), {}};
  case CellOrder::rcm:
    return {reverse_cuthill_mckee(adjacency), {}};
  case CellOrder::curve:
    require(static_cast<std::int64_t>(centres.size()) == adjacency.num_cells() * dim,
            "every cell has a centre");
    return {hilbert_order(centres, dim), {}};
  case CellOrder::blocks:
    return block_order(adjacency, block_cells);
  }
  return {};
}

} // namespace weft
