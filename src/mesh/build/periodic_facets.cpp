#include "mesh/build/periodic_facets.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/error.h"
#include "mesh/position.h"

namespace weft {

namespace {

// A boundary facet all of whose vertices are periodic.
struct PeriodicFacet {
  std::vector<std::int32_t> masters;  // sorted
  std::vector<std::int32_t> vertices; // in the order of their masters
  Position normal = {0, 0, 0};        // outward, as long as the facet is large
  std::int64_t facet = 0;             // in Mesh::facets
};

// Uses the first vertices, which are in the order that faces outward.
Position outward_normal(const Mesh &mesh, const std::vector<std::int32_t> &vertices) {
  const Position a = position_of(mesh, vertices[0]);
  const Position u = difference_of(position_of(mesh, vertices[1]), a);
  if (mesh.dim == 2)
    return {u[1], -u[0], 0};
  const Position v = difference_of(position_of(mesh, vertices[2]), a);
  return cross_product(u, v);
}

std::vector<PeriodicFacet> find_candidates(const Mesh &mesh) {
  std::set<std::int32_t> masters;
  for (const auto &[node, master] : mesh.periodic_master)
    masters.insert(master);
  const auto master_of = [&](std::int32_t node) {
    const auto entry = mesh.periodic_master.find(node);
    return entry != mesh.periodic_master.end() ? entry->second : masters.contains(node) ? node : -1;
  };
  std::vector<PeriodicFacet> candidates;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const FacetRef &ref = mesh.facets[f].minus;
    const CellSet &set = mesh.sets[ref.set];
    std::vector<std::int32_t> vertices;
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const int v : facet_vertices(set.type, ref.facet)) {
      vertices.push_back(set.nodes[std::int64_t(ref.cell) * set.nodes_per_cell + v]);
      pairs.emplace_back(master_of(vertices.back()), vertices.back());
    }
    std::sort(pairs.begin(), pairs.end());
    if (pairs.front().first < 0)
      continue;
    PeriodicFacet &c = candidates.emplace_back();
    c.facet = f;
    c.normal = outward_normal(mesh, vertices);
    for (const auto &[master, vertex] : pairs) {
      c.masters.push_back(master);
      c.vertices.push_back(vertex);
    }
  }
  return candidates;
}

// One is the other moved along its normal or aslant, and faces the other way.
bool is_image(const Mesh &mesh, const PeriodicFacet &a, const PeriodicFacet &b) {
  const double size = std::sqrt(norm_of(a.normal) * norm_of(b.normal));
  if (product(a.normal, b.normal) > -(1 - 1e-6) * size * size)
    return false;
  const double scale = mesh.dim == 2 ? size : std::sqrt(size);
  const Position moved =
      difference_of(position_of(mesh, b.vertices[0]), position_of(mesh, a.vertices[0]));
  // Two vertices with one master, in meshes of one cell, may be in either order: their translation
  // is then not that of the others, and the sums over all vertices agree still.
  Position sum = {0, 0, 0};
  for (std::size_t v = 0; v < a.vertices.size(); ++v) {
    const Position other =
        difference_of(position_of(mesh, b.vertices[v]), position_of(mesh, a.vertices[v]));
    for (int d = 0; d < 3; ++d)
      sum[d] += other[d] - moved[d];
  }
  return norm_of(sum) < 1e-6 * scale && norm_of(moved) > 1e-6 * scale;
}

void check_unmatched(const Mesh &mesh, const std::vector<PeriodicFacet> &candidates,
                     const std::vector<bool> &matched) {
  std::set<std::int32_t> periodic_classes;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (matched[i])
      periodic_classes.insert(mesh.facets[candidates[i].facet].facet_class);
  std::int64_t count = 0;
  Position first = {0, 0, 0};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    // A cell of another rank may be here without the one on the other side.
    if (!is_own_cell(mesh, mesh.facets[candidates[i].facet].minus))
      continue;
    const bool of_periodic_group =
        periodic_classes.contains(mesh.facets[candidates[i].facet].facet_class) &&
        mesh.facets[candidates[i].facet].facet_class != 0;
    if (!matched[i] && of_periodic_group && count++ == 0)
      first = position_of(mesh, candidates[i].vertices[0]);
  }
  if (count > 0)
    throw Error(ErrorKind::input,
                {.what = "periodic facets without a partner on the other side",
                 .where = "[mesh] periodic",
                 .found = fmt::format("{} facets, one at ({}, {}, {})", count, first[0], first[1],
                                      first[2]),
                 .remedy = "mesh both sides alike (Gmsh: Periodic Surface {b} = {a} Translate "
                           "{...}), with two cells or more between them"});
}

} // namespace

std::vector<Facet> periodic_facets(const Mesh &mesh, Partners partners) {
  if (mesh.periodic_master.empty())
    return {};
  std::vector<PeriodicFacet> candidates = find_candidates(mesh);
  std::sort(candidates.begin(), candidates.end(),
            [](const PeriodicFacet &a, const PeriodicFacet &b) {
              return std::tie(a.masters, a.facet) < std::tie(b.masters, b.facet);
            });
  std::vector<bool> matched(candidates.size(), false);
  std::vector<Facet> pairs;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t j = i + 1;
         !matched[i] && j < candidates.size() && candidates[j].masters == candidates[i].masters;
         ++j) {
      if (matched[j] || !is_image(mesh, candidates[i], candidates[j]))
        continue;
      matched[i] = matched[j] = true;
      Facet pair = mesh.facets[candidates[i].facet];
      pair.plus = mesh.facets[candidates[j].facet].minus;
      pairs.push_back(pair);
    }
  if (partners == Partners::all)
    check_unmatched(mesh, candidates, matched);
  return pairs;
}

} // namespace weft
