#include "op/law/dg_inputs.h"

#include "base/error.h"
#include "op/evaluate/expression_values.h"

namespace weft {

std::vector<double> dg_node_positions(const Discretisation &d, const DgMesh &mesh) {
  std::vector<double> positions(mesh.size_with_ghosts(mesh.dim));
  to_dg_order(mesh, false, d.map_of_field(0).coordinates, 0, mesh.dim, 0, mesh.dim, positions);
  return positions;
}

std::vector<double> dg_known_values(const Discretisation &d, const DgMesh &mesh) {
  const std::vector<FieldSpec> &known = d.law->auxiliary;
  Graph graph;
  std::vector<NodeId> symbols;
  for (std::size_t a = 0; a < known.size(); ++a) {
    if (d.auxiliary[a].depends_on_time)
      throw Error(ErrorKind::unsupported,
                  {.what = "a known field of a conservation law that depends on time",
                   .where = "[auxiliary] " + known[a].name,
                   .remedy = "write it as a parameter"});
    for (int k = 0; k < known[a].components(); ++k)
      symbols.push_back(graph.symbol(
          {.kind = SymbolKind::auxiliary, .index = static_cast<int>(a), .component = k}));
  }
  const int count = static_cast<int>(symbols.size());
  std::vector<double> values(mesh.size_with_ghosts(count));
  if (count == 0)
    return values;
  const ResolvedExpression all{.expression = {.function = extract(graph, symbols)}};
  to_dg_order(mesh, false, values_at_nodes(d, all, d.map_of_field(0), nullptr), 0, count, 0, count,
              values);
  return values;
}

std::vector<double> dg_cell_sizes(const Discretisation &d, const DgMesh &mesh, const DgSet &set) {
  std::vector<double> sizes;
  for (std::size_t slot = 0; slot < set.groups.cells.size(); ++slot) {
    const std::int32_t cell = set.groups.cells[slot];
    sizes.push_back(cell >= 0 ? cell_size(d, set.set, cell)
                              : sizes[slot / mesh.lanes * mesh.lanes]);
  }
  return sizes;
}

} // namespace weft
