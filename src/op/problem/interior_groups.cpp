#include "op/problem/interior_groups.h"

#include <map>
#include <tuple>

#include "mesh/build/common_vertices.h"
#include "mesh/build/periodic_facets.h"
#include "space/element.h"

namespace weft {

namespace {

std::vector<int> vertices_on_plus_side(const Mesh &mesh, const Facet &facet) {
  const CellType minus = mesh.sets[facet.minus.set].type, plus = mesh.sets[facet.plus.set].type;
  const VertexPairs pairs = common_vertices(mesh, facet.minus, facet.plus);
  const auto of_plus = facet_vertices(plus, facet.plus.facet);
  std::vector<int> result;
  for (std::size_t v = 0; v < facet_vertices(minus, facet.minus.facet).size(); ++v)
    result.push_back(of_plus[pairs[v]]);
  return result;
}

} // namespace

std::vector<bool> classes_between_cells(const Mesh &mesh) {
  std::vector<bool> used(mesh.facet_classes.size(), false);
  for (auto facet = mesh.facets.begin() + mesh.num_boundary_facets; facet != mesh.facets.end();
       ++facet)
    used[facet->facet_class] = true;
  for (const Facet &facet : periodic_facets(mesh, Partners::some))
    used[facet.facet_class] = true;
  return used;
}

std::vector<InteriorGroup> interior_groups(const Mesh &mesh, const std::vector<bool> &selected) {
  std::map<std::tuple<int, int, int, std::vector<int>>, InteriorGroup> groups;
  const auto add = [&](const std::vector<Facet> &facets) {
    for (const Facet &facet : facets) {
      if (!selected[facet.facet_class])
        continue;
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
  };
  add(interior_facets(mesh));
  add(periodic_facets(mesh));
  std::vector<InteriorGroup> result;
  for (auto &[key, group] : groups)
    result.push_back(std::move(group));
  return result;
}

std::vector<double> plus_points(const Mesh &mesh, const InteriorGroup &group, int degree,
                                LinePoints points) {
  const int dim = mesh.dim;
  const CellType type = facet_type(mesh.sets[group.minus_set].type, group.minus_facet);
  const auto corners = reference_vertices(mesh.sets[group.plus_set].type);
  const Quadrature rule = make_quadrature(type, degree, points);
  const Element corner_element = make_element(type, 1);
  const int n = corner_element.num_nodes();
  std::vector<double> phi, dphi, result(rule.num_points() * dim, 0.0);
  corner_element.tabulate(rule.points, phi, dphi);
  for (int q = 0; q < rule.num_points(); ++q)
    for (int v = 0; v < n; ++v)
      for (int k = 0; k < dim; ++k)
        result[q * dim + k] += phi[q * n + v] * corners[group.plus_vertices[v] * dim + k];
  return result;
}

} // namespace weft
