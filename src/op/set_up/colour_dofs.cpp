#include "op/set_up/colour_dofs.h"

#include <algorithm>

#include "op/layout/gather_lists.h"
#include "op/problem/dof_layout.h"

namespace weft {

namespace {

// The nodes of each cell, cells of all sets counted together.
struct CellNodes {
  std::vector<std::int32_t> nodes;
  std::vector<std::int64_t> first_node = {0}; // [cell + 1]

  explicit CellNodes(const NodeMap &map) {
    for (const NodeMapSet &set : map.sets) {
      nodes.insert(nodes.end(), set.nodes.begin(), set.nodes.end());
      while (first_node.back() < static_cast<std::int64_t>(nodes.size()))
        first_node.push_back(first_node.back() + set.element.num_nodes());
    }
  }
  std::int64_t num_cells() const { return static_cast<std::int64_t>(first_node.size()) - 1; }
};

GatherLists find_cells_of_nodes(const NodeMap &map, const CellNodes &cells) {
  return make_gather_lists(map.num_local, [&](const auto &visit) {
    for (std::int64_t c = 0; c < cells.num_cells(); ++c)
      for (std::int64_t i = cells.first_node[c]; i < cells.first_node[c + 1]; ++i)
        visit(cells.nodes[i], static_cast<std::uint32_t>(c));
  });
}

// Gives own nodes colours next to those that are known; -1: none yet.
void colour_own_nodes(const NodeMap &map, const CellNodes &cells, const GatherLists &cells_of_node,
                      std::vector<double> &colours) {
  double most = -1;
  for (const double colour : colours)
    most = std::max(most, colour);
  // [colour]: the last row where a neighbour has it.
  std::vector<std::int32_t> taken_at(static_cast<std::size_t>(most + 1), -1);
  for (std::size_t row = 0; row < cells_of_node.nodes.size(); ++row) {
    const std::int32_t node = cells_of_node.nodes[row];
    if (node >= map.num_owned)
      continue;
    for (std::int32_t e = cells_of_node.first_entry[row]; e < cells_of_node.first_entry[row + 1];
         ++e) {
      const std::int64_t c = cells_of_node.entries[e];
      for (std::int64_t i = cells.first_node[c]; i < cells.first_node[c + 1]; ++i)
        if (const double colour = colours[cells.nodes[i]]; colour >= 0)
          taken_at[static_cast<std::size_t>(colour)] = static_cast<std::int32_t>(row);
    }
    std::size_t colour = 0;
    while (colour < taken_at.size() && taken_at[colour] == static_cast<std::int32_t>(row))
      ++colour;
    if (colour == taken_at.size())
      taken_at.push_back(-1);
    colours[node] = static_cast<double>(colour);
  }
}

// All: [node], whole numbers; rank by rank, each next to the colours of those before it.
std::vector<double> colour_nodes(const Discretisation &d, int which) {
  const NodeMap &map = d.maps[which];
  const CellNodes cells(map);
  const GatherLists cells_of_node = find_cells_of_nodes(map, cells);
  std::vector<double> colours(map.num_local, -1);
  if (!d.ranks)
    colour_own_nodes(map, cells, cells_of_node, colours);
  for (int rank = 0; d.ranks && rank < d.ranks->size(); ++rank) {
    if (rank == d.ranks->rank())
      colour_own_nodes(map, cells, cells_of_node, colours);
    fetch_ghosts(d, which, 1, colours);
  }
  return colours;
}

} // namespace

Colouring colour_dofs(const Discretisation &d) {
  Colouring result{.colours = std::vector<std::int32_t>(d.num_owned, -1)};
  for (int field = 0; field < static_cast<int>(d.form.fields.size()); ++field) {
    const int components = d.form.fields[field].components();
    const NodeMap &map = d.map_of_field(field);
    const std::vector<double> nodes = colour_nodes(d, d.field_map[field]);
    double most = -1;
    for (std::int64_t n = 0; n < map.num_owned; ++n) {
      most = std::max(most, nodes[n]);
      for (int k = 0; nodes[n] >= 0 && k < components; ++k)
        result.colours[vector_dof(d, field, n, k)] =
            result.num_colours + static_cast<std::int32_t>(nodes[n]) * components + k;
    }
    result.num_colours += static_cast<int>(largest(d.ranks, most) + 1) * components;
  }
  return result;
}

} // namespace weft
