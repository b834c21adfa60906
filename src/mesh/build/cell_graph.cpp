#include "mesh/build/cell_graph.h"

#include <algorithm>

#include "base/parallel.h"
#include "mesh/build/topology.h"

namespace weft {

namespace {

void join(CellGraph &graph, const FacetRef &from, const FacetRef &to) {
  const std::int64_t slot = graph.slot(from);
  graph.neighbour[slot] = static_cast<std::int32_t>(graph.first_cell[to.set] + to.cell);
  graph.opposite[slot] = to.facet;
}

} // namespace

CellGraph make_cell_graph(const Mesh &mesh, Partners partners) {
  CellGraph graph;
  graph.first_cell.push_back(0);
  for (const CellSet &set : mesh.sets) {
    graph.first_cell.push_back(graph.first_cell.back() + set.num_cells());
    graph.width = std::max(graph.width, num_facets(set.type));
  }
  graph.num_cells = mesh.num_cells();
  graph.neighbour.assign(graph.num_cells * graph.width, -1);
  graph.opposite.assign(graph.num_cells * graph.width, -1);
  const FacetNumbering numbering(mesh);
  const FacetMatches matches = match_facets(mesh, numbering, {}, "[mesh]");
  parallel_ranges(numbering.count(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t facet = begin; facet < end; ++facet)
      if (matches.neighbour[facet] != FacetMatches::none)
        join(graph, numbering.ref(facet), numbering.ref(matches.neighbour[facet]));
  });
  for (const Facet &facet : periodic_facets(mesh, partners)) {
    join(graph, facet.minus, facet.plus);
    join(graph, facet.plus, facet.minus);
  }
  return graph;
}

} // namespace weft
