#include "op/reference/interior_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace weft::reference {

namespace {

std::vector<int> vertices_on_plus_side(const Mesh &mesh, const Facet &facet) {
  const CellSet &minus = mesh.sets[facet.minus.set], &plus = mesh.sets[facet.plus.set];
  const auto first_minus = std::int64_t(facet.minus.cell) * minus.nodes_per_cell;
  const auto plus_nodes = plus.nodes.begin() + std::int64_t(facet.plus.cell) * plus.nodes_per_cell;
  std::vector<int> result;
  for (const int v : facet_vertices(minus.type, facet.minus.facet)) {
    const auto found =
        std::find(plus_nodes, plus_nodes + num_vertices(plus.type), minus.nodes[first_minus + v]);
    require(found != plus_nodes + num_vertices(plus.type),
            "both cells of a facet have its vertices");
    result.push_back(static_cast<int>(found - plus_nodes));
  }
  return result;
}

} // namespace

std::vector<InteriorGroup> interior_groups(const Mesh &mesh) {
  std::map<std::tuple<int, int, int, std::vector<int>>, InteriorGroup> groups;
  for (const auto &facet : interior_facets(mesh)) {
    const auto vertices = vertices_on_plus_side(mesh, facet);
    auto &group = groups[{facet.minus.set, facet.minus.facet, facet.plus.set, vertices}];
    group.minus_set = facet.minus.set;
    group.minus_facet = facet.minus.facet;
    group.plus_set = facet.plus.set;
    group.plus_vertices = vertices;
    group.minus_cells.push_back(facet.minus.cell);
    group.plus_cells.push_back(facet.plus.cell);
    group.classes.push_back(facet.facet_class);
  }
  std::vector<InteriorGroup> result;
  for (auto &[key, group] : groups)
    result.push_back(std::move(group));
  return result;
}

PointTable make_opposite_table(const Discretisation &d, const InteriorGroup &group) {
  const int dim = d.mesh->dim;
  const CellType type = facet_type(d.mesh->sets[group.minus_set].type, group.minus_facet);
  const auto corners = reference_vertices(d.mesh->sets[group.plus_set].type);
  const Quadrature rule = make_quadrature(type, d.facet_degree, d.line_points);
  const Element corner_element = make_element(type, 1);
  const int n = corner_element.num_nodes();
  std::vector<double> phi, dphi, points(rule.num_points() * dim, 0.0);
  corner_element.tabulate(rule.points, phi, dphi);
  for (int q = 0; q < rule.num_points(); ++q)
    for (int v = 0; v < n; ++v)
      for (int k = 0; k < dim; ++k)
        points[q * dim + k] += phi[q * n + v] * corners[group.plus_vertices[v] * dim + k];
  return make_point_table(d, group.plus_set, points);
}

} // namespace weft::reference
