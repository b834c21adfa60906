#include "op/problem/named_parts.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/error.h"
#include "mesh/build/assemble_cells.h"
#include "mesh/vertex_tuples.h"
#include "op/problem/discretisation.h"

namespace weft {

namespace {

// What is looked for: vertices, or pairs of them, with the names of their groups.
using PartVertices = std::vector<std::int32_t>;
using Names = std::map<PartVertices, std::vector<std::string>>;

// Of a part of a mesh: what lies on an edge goes with the vertex of the lowest number.
bool is_own(const Mesh &mesh, const PartVertices &vertices) {
  if (!mesh.share)
    return true;
  const MeshShare &share = *mesh.share;
  const std::int32_t first =
      *std::min_element(vertices.begin(), vertices.end(), [&](std::int32_t a, std::int32_t b) {
        return share.lowest(a) < share.lowest(b);
      });
  return share.vertex_owner[first] == share.part;
}

// All parts in one of the groups, with the names of all groups that they are in.
Names names_of_parts(const Mesh &mesh, Domain domain, const std::vector<std::string> &groups,
                     bool owned) {
  Names all;
  if (domain == Domain::points)
    for (const auto &[name, nodes] : mesh.point_groups)
      for (const std::int32_t node : nodes)
        all[{node}].push_back(name);
  else
    for (const auto &[name, edges] : mesh.edge_groups)
      for (const Edge &edge : edges)
        all[{edge[0], edge[1]}].push_back(name);
  std::erase_if(all, [&](const auto &part) {
    const bool is_asked = std::any_of(groups.begin(), groups.end(), [&](const std::string &group) {
      return std::find(part.second.begin(), part.second.end(), group) != part.second.end();
    });
    return !is_asked || (owned && !is_own(mesh, part.first));
  });
  return all;
}

void check(const Mesh &mesh, Domain domain, const std::vector<std::string> &groups,
           const std::string &where) {
  const bool edges = domain == Domain::edges;
  if (edges && mesh.dim < 3)
    throw Error(ErrorKind::input, {.what = "edges of a mesh in two dimensions",
                                   .where = where,
                                   .allowed = "edges in three dimensions",
                                   .remedy = "in two dimensions edges are facets: write facets"});
  for (const std::string &group : groups)
    check_group(mesh, domain, group, where);
}

std::vector<PartVertices> local_parts(CellType cell, Domain domain) {
  std::vector<PartVertices> parts;
  for (int v = 0; domain == Domain::points && v < num_vertices(cell); ++v)
    parts.push_back({v});
  for (int e = 0; domain == Domain::edges && e < num_edges(cell); ++e) {
    const auto ends = edge_vertices(cell, e);
    parts.push_back({ends[0], ends[1]});
  }
  return parts;
}

struct Found {
  int set, local;
  std::int32_t cell, part_class;
};

} // namespace

NamedParts find_named_parts(const Mesh &mesh, Domain domain, const std::vector<std::string> &groups,
                            bool owned, const std::string &where) {
  check(mesh, domain, groups, where);
  Names names = names_of_parts(mesh, domain, groups, owned);
  NamedParts result;
  std::vector<bool> is_vertex_of(mesh.num_nodes(), false);
  for (const auto &[vertices, of] : names)
    for (const std::int32_t vertex : vertices)
      is_vertex_of[vertex] = true;
  std::vector<Found> found;
  for (int s = 0; s < static_cast<int>(mesh.sets.size()); ++s) {
    const CellSet &set = mesh.sets[s];
    const std::vector<PartVertices> parts = local_parts(set.type, domain);
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
      for (int local = 0; local < static_cast<int>(parts.size()); ++local) {
        PartVertices vertices = parts[local];
        bool all = true;
        for (std::int32_t &vertex : vertices) {
          vertex = nodes[vertex];
          all = all && is_vertex_of[vertex];
        }
        if (!all)
          continue;
        std::sort(vertices.begin(), vertices.end());
        const auto part = names.find(vertices);
        if (part == names.end())
          continue;
        found.push_back(
            {s, local, static_cast<std::int32_t>(c), find_class(result.classes, part->second)});
        names.erase(part); // the first cell that has it
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Found &a, const Found &b) {
    return std::tie(a.set, a.local, a.cell) < std::tie(b.set, b.local, b.cell);
  });
  for (const Found &part : found) {
    if (result.groups.empty() || result.groups.back().set != part.set ||
        result.groups.back().facet != part.local)
      result.groups.push_back({.set = part.set, .facet = part.local});
    result.groups.back().cells.push_back(part.cell);
    result.groups.back().classes.push_back(part.part_class);
  }
  return result;
}

bool parts_lie_in(const Mesh &mesh, Domain domain, const std::vector<std::string> &groups,
                  const std::vector<bool> &classes) {
  Names names = names_of_parts(mesh, domain, groups, true);
  for (const CellSet &set : mesh.sets) {
    const std::vector<PartVertices> parts = local_parts(set.type, domain);
    for (std::int64_t c = 0; c < set.num_cells() && !names.empty(); ++c)
      for (PartVertices vertices : parts) {
        if (!classes[set.region[c]])
          continue;
        for (std::int32_t &vertex : vertices)
          vertex = set.nodes[c * set.nodes_per_cell + vertex];
        std::sort(vertices.begin(), vertices.end());
        names.erase(vertices);
      }
  }
  return names.empty();
}

FacetQuadrature make_part_quadrature(CellType cell, Domain domain, int local, int degree,
                                     LinePoints points) {
  if (domain == Domain::edges)
    return make_edge_quadrature(cell, local, degree, points);
  if (domain == Domain::points)
    return make_vertex_quadrature(cell, local);
  return make_facet_quadrature(cell, local, degree, points);
}

std::vector<int> nodes_on_part(const Element &element, Domain domain, int local) {
  if (domain == Domain::edges)
    return element.edge_nodes(local);
  if (domain == Domain::points)
    return element.order == 0 || element.nodal ? std::vector<int>{} : std::vector{local};
  return element.facet_nodes(local);
}

ClassTable resolve_part_table(const Discretisation &d, const std::vector<TableEntry> &entries,
                              const std::vector<bool> &facets) {
  ClassTable table = resolve_table(*d.mesh, Domain::facets, entries, facets);
  const auto append = [&](Domain domain, const std::vector<GroupClass> &classes) {
    const ClassTable rows = resolve_table(*d.mesh, domain, entries, classes);
    table.values.insert(table.values.end(), rows.values.begin(), rows.values.end());
  };
  append(Domain::edges, d.integrated_edges.classes);
  append(Domain::points, d.integrated_points.classes);
  return table;
}

} // namespace weft
