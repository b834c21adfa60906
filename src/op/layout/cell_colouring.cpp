#include "op/layout/cell_colouring.h"

namespace weft {

namespace {

// Calls visit(cell) for the cells within some facets of a cell, some of them several times.
template <typename Visit>
void visit_near(const CellGraph &graph, std::int64_t cell, int distance, const Visit &visit) {
  visit(cell);
  if (distance == 0)
    return;
  for (int slot = 0; slot < graph.width; ++slot)
    if (const std::int32_t next = graph.neighbour[cell * graph.width + slot]; next >= 0)
      visit_near(graph, next, distance - 1, visit);
}

} // namespace

Colouring colour_cells(const CellGraph &graph, int distance) {
  Colouring result{.colours = std::vector<std::int32_t>(graph.num_cells, -1)};
  std::vector<std::int64_t> taken_by; // [colour]: the last cell near which it is in use
  for (std::int64_t cell = 0; cell < graph.num_cells; ++cell) {
    visit_near(graph, cell, distance, [&](std::int64_t near) {
      if (const std::int32_t colour = result.colours[near]; colour >= 0)
        taken_by[colour] = cell;
    });
    std::int32_t colour = 0;
    while (colour < result.num_colours && taken_by[colour] == cell)
      ++colour;
    if (colour == result.num_colours) {
      ++result.num_colours;
      taken_by.push_back(-1);
    }
    result.colours[cell] = colour;
  }
  return result;
}

} // namespace weft
