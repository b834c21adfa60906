#include "op/set_up/colour_dofs.h"

#include <algorithm>

#include "op/layout/gather_lists.h"

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

Colouring colour_nodes(const NodeMap &map) {
  const CellNodes cells(map);
  const GatherLists cells_of_node = make_gather_lists(map.num_local, [&](const auto &visit) {
    for (std::int64_t c = 0; c < cells.num_cells(); ++c)
      for (std::int64_t i = cells.first_node[c]; i < cells.first_node[c + 1]; ++i)
        visit(cells.nodes[i], static_cast<std::uint32_t>(c));
  });
  Colouring result{.colours = std::vector<std::int32_t>(map.num_local, -1)};
  std::vector<std::int32_t> taken_at; // [colour]: the last row where a neighbour has it
  for (std::size_t row = 0; row < cells_of_node.nodes.size(); ++row) {
    for (std::int32_t e = cells_of_node.first_entry[row]; e < cells_of_node.first_entry[row + 1];
         ++e) {
      const std::int64_t c = cells_of_node.entries[e];
      for (std::int64_t i = cells.first_node[c]; i < cells.first_node[c + 1]; ++i)
        if (const std::int32_t colour = result.colours[cells.nodes[i]]; colour >= 0)
          taken_at[colour] = static_cast<std::int32_t>(row);
    }
    std::int32_t colour = 0;
    while (colour < result.num_colours && taken_at[colour] == static_cast<std::int32_t>(row))
      ++colour;
    if (colour == result.num_colours) {
      ++result.num_colours;
      taken_at.push_back(-1);
    }
    result.colours[cells_of_node.nodes[row]] = colour;
  }
  return result;
}

} // namespace

Colouring colour_dofs(const Discretisation &d) {
  Colouring result{.colours = std::vector<std::int32_t>(d.num_local, -1)};
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const int components = d.form.fields[field].components();
    const NodeMap &map = d.map_of_field(static_cast<int>(field));
    const Colouring nodes = colour_nodes(map);
    for (std::int64_t n = 0; n < map.num_local; ++n)
      for (int k = 0; nodes.colours[n] >= 0 && k < components; ++k)
        result.colours[d.field_offset[field] + n * components + k] =
            result.num_colours + nodes.colours[n] * components + k;
    result.num_colours += nodes.num_colours * components;
  }
  return result;
}

} // namespace weft
