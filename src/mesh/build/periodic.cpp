#include "mesh/build/periodic.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "mesh/build/node_grid.h"
#include "mesh/build/second_order.h"
#include "mesh/vertex_tuples.h"

namespace weft {

namespace {

// Nodes with the same root are one; the root is the master that the pairs lead to.
class Masters {
public:
  void join(std::int32_t node, std::int32_t master) {
    const std::int32_t a = root(node), b = root(master);
    if (a != b)
      master_[a] = b;
  }
  std::int32_t root(std::int32_t node) const {
    for (auto next = master_.find(node); next != master_.end(); next = master_.find(node))
      node = next->second;
    return node;
  }
  // node -> its root, for all nodes that have one.
  std::map<std::int32_t, std::int32_t> roots() const {
    std::map<std::int32_t, std::int32_t> all;
    for (const auto &[node, master] : master_)
      all[node] = root(master);
    return all;
  }

private:
  std::map<std::int32_t, std::int32_t> master_;
};

// Vertices of the boundary facets of a group, each once.
std::vector<std::int32_t> vertices_of_group(const Mesh &mesh, const std::string &group) {
  std::vector<std::int32_t> nodes;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const auto &groups = mesh.facet_classes[mesh.facets[f].facet_class].groups;
    if (std::find(groups.begin(), groups.end(), group) == groups.end())
      continue;
    const FacetRef &ref = mesh.facets[f].minus;
    const CellSet &set = mesh.sets[ref.set];
    for (int v : facet_vertices(set.type, ref.facet))
      nodes.push_back(set.nodes[static_cast<std::int64_t>(ref.cell) * set.nodes_per_cell + v]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty())
    throw Error(ErrorKind::input,
                {"A periodic pair names a group without boundary facets.", "[mesh] periodic", group,
                 join_names(mesh.facet_group_names()), ""});
  return nodes;
}

struct Bounds {
  Position low, high;
};

Bounds bounds(const Mesh &mesh, const std::vector<std::int32_t> &nodes) {
  Bounds box = {position_of(mesh, nodes[0]), position_of(mesh, nodes[0])};
  for (auto node : nodes) {
    const Position x = position_of(mesh, node);
    for (int d = 0; d < 3; ++d) {
      box.low[d] = std::min(box.low[d], x[d]);
      box.high[d] = std::max(box.high[d], x[d]);
    }
  }
  return box;
}

// The second group's vertices and, as their masters, those of the first.
PeriodicLink link_groups(const Mesh &mesh, const std::string &first, const std::string &second) {
  const auto from = vertices_of_group(mesh, first), to = vertices_of_group(mesh, second);
  const Bounds a = bounds(mesh, from), b = bounds(mesh, to);
  PeriodicLink link;
  double extent = 0;
  for (int d = 0; d < 3; ++d)
    extent = std::max({extent, std::abs(b.high[d] - a.low[d]), std::abs(a.high[d] - b.low[d])});
  NodeGrid grid(mesh, 1e-7 * extent);
  for (auto node : from)
    grid.add(node);
  std::int64_t unmatched = from.size() == to.size() ? 0 : 1;
  std::string example;
  for (auto node : to) {
    Position x = position_of(mesh, node);
    for (int d = 0; d < 3; ++d)
      x[d] -= (b.low[d] + b.high[d]) / 2 - (a.low[d] + a.high[d]) / 2;
    const std::int32_t master = grid.find(x);
    if (master >= 0) {
      link.emplace_back(node, master);
    } else if (unmatched++ == 0) {
      const Position at = position_of(mesh, node);
      example = fmt::format(", one at ({}, {}, {})", at[0], at[1], at[2]);
    }
  }
  if (std::all_of(link.begin(), link.end(), [](const auto &p) { return p.first == p.second; }) &&
      unmatched == 0)
    throw Error(ErrorKind::input,
                {fmt::format("The groups {} and {} are the same facets.", first, second),
                 "[mesh] periodic", fmt::format("{} vertices in both", to.size()),
                 "the second group is the first moved by a translation", "name the other side"});
  if (unmatched > 0)
    throw Error(ErrorKind::input,
                {fmt::format("The groups {} and {} do not match node for node.", first, second),
                 "[mesh] periodic",
                 fmt::format("{} and {} vertices, {} without partner{}", from.size(), to.size(),
                             unmatched, example),
                 "the second group is the first moved by a translation, mesh and all",
                 "mesh them alike (Gmsh: Periodic Surface {b} = {a} Translate {...})"});
  return link;
}

// The nodes of order 2 on edges and faces between vertices that a link knows.
VertexTuples
second_order_nodes(const Mesh &mesh, const std::vector<PeriodicLink> &links,
                   std::vector<std::pair<std::vector<std::int32_t>, std::int32_t>> &all) {
  std::vector<bool> involved(mesh.num_nodes(), false);
  for (const auto &link : links)
    for (const auto &[node, master] : link)
      involved[node] = involved[master] = true;
  VertexTuples tuples(mesh.num_nodes());
  std::vector<std::int32_t> on;
  for (const auto &set : mesh.sets) {
    const auto &supports = second_order_supports(set.type);
    const int vertices = num_vertices(set.type);
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const std::int32_t *nodes = &set.nodes[c * set.nodes_per_cell];
      for (std::size_t s = 0; s < supports.size(); ++s) {
        on.clear();
        for (int v : supports[s])
          if (involved[nodes[v]])
            on.push_back(nodes[v]);
        const bool interior = static_cast<int>(supports[s].size()) == vertices;
        if (interior || on.size() != supports[s].size() || tuples.find(on) >= 0)
          continue;
        tuples.find_or_add(on, nodes[vertices + s]);
        all.emplace_back(on, nodes[vertices + s]);
      }
    }
  }
  return tuples;
}

} // namespace

std::vector<PeriodicLink> with_second_order(const Mesh &mesh, std::vector<PeriodicLink> links) {
  std::vector<std::pair<std::vector<std::int32_t>, std::int32_t>> all;
  const VertexTuples tuples = second_order_nodes(mesh, links, all);
  for (auto &link : links) {
    const std::map<std::int32_t, std::int32_t> moved(link.begin(), link.end());
    for (auto [vertices, node] : all) {
      std::size_t found = 0;
      for (auto &vertex : vertices) {
        const auto entry = moved.find(vertex);
        if (entry == moved.end())
          break;
        vertex = entry->second;
        ++found;
      }
      const std::int32_t master = found == vertices.size() ? tuples.find(vertices) : -1;
      if (master >= 0)
        link.emplace_back(node, master);
    }
  }
  return links;
}

std::vector<PeriodicLink>
periodic_links(const Mesh &mesh, const RawMesh &raw,
               const std::vector<std::pair<std::string, std::string>> &pairs) {
  std::vector<PeriodicLink> links = raw.periodic;
  for (const auto &[first, second] : pairs)
    links.push_back(link_groups(mesh, first, second));
  return links;
}

std::map<std::int32_t, std::int32_t> joined_nodes(const std::vector<PeriodicLink> &links) {
  Masters masters;
  for (const auto &link : links)
    for (const auto &[node, master] : link)
      masters.join(node, master);
  return masters.roots();
}

std::map<std::int32_t, std::int32_t> joined_nodes(const Mesh &mesh,
                                                  const std::vector<PeriodicLink> &links) {
  const bool has_more = mesh.geometry_order == 2 && !links.empty();
  return joined_nodes(has_more ? with_second_order(mesh, links) : links);
}

} // namespace weft
