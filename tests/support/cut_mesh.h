// What holds of the parts of a mesh: together they are the whole, each has what its own cells and
// vertices need, and all agree on who owns what.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "mesh/build/cell_graph.h"
#include "mesh/mesh.h"

namespace weft {

// A mesh with its graph and its parts.
struct CutMesh {
  Mesh whole;
  CellGraph graph;
  std::vector<std::int32_t> part_of;
  std::vector<Mesh> parts;

  // `parts`: of the mesh, whose cells are in the order that the parts know as that of the whole.
  CutMesh(Mesh mesh, std::vector<Mesh> cut)
      : whole(std::move(mesh)), graph(make_cell_graph(whole)), part_of(graph.num_cells, -1),
        parts(std::move(cut)) {
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (const MeshShare::Cells &cells : parts[p].share->sets)
        for (std::int64_t c = 0; c < cells.num_owned; ++c)
          part_of.at(cells.whole[c]) = static_cast<std::int32_t>(p);
  }
  std::int32_t master(std::int32_t node) const {
    const auto found = whole.periodic_master.find(node);
    return found == whole.periodic_master.end() ? node : found->second;
  }
  // The vertices of a cell of the whole mesh.
  std::vector<std::int32_t> vertices(std::int32_t cell) const {
    std::size_t s = 0;
    while (cell >= graph.first_cell[s + 1])
      ++s;
    const CellSet &set = whole.sets[s];
    const auto first = set.nodes.begin() + (cell - graph.first_cell[s]) * set.nodes_per_cell;
    return {first, first + num_vertices(set.type)};
  }
};

// By number in the whole mesh: each cell of one part alone, as it is there.
inline void expect_whole(const CutMesh &cut, const std::string &what) {
  std::vector<int> times(cut.graph.num_cells, 0);
  for (std::size_t p = 0; p < cut.parts.size(); ++p) {
    const Mesh &part = cut.parts[p];
    ASSERT_TRUE(part.share) << what;
    EXPECT_EQ(part.share->num_whole_cells, cut.whole.num_cells()) << what;
    EXPECT_EQ(part.share->num_whole_nodes, cut.whole.num_nodes()) << what;
    EXPECT_EQ(part.region_names(), cut.whole.region_names()) << what;
    ASSERT_EQ(part.sets.size(), cut.whole.sets.size()) << what;
    for (std::size_t s = 0; s < part.sets.size(); ++s) {
      const CellSet &set = part.sets[s], &whole_set = cut.whole.sets[s];
      const MeshShare::Cells &share = part.share->sets[s];
      ASSERT_EQ(std::int64_t(share.whole.size()), set.num_cells()) << what;
      ASSERT_EQ(std::int64_t(share.owner.size()), set.num_cells() - share.num_owned) << what;
      EXPECT_EQ(set.leaf_offset.back(), set.num_cells());
      for (std::int64_t c = 0; c < set.num_cells(); ++c) {
        const std::int64_t in_whole = share.whole[c] - cut.graph.first_cell[s];
        const bool own = c < share.num_owned;
        times[share.whole[c]] += own ? 1 : 0;
        EXPECT_EQ(cut.part_of[share.whole[c]], own ? int(p) : share.owner[c - share.num_owned]);
        EXPECT_EQ(set.region[c], whole_set.region[in_whole]);
        for (int i = 0; i < set.nodes_per_cell; ++i) {
          const std::int32_t node = set.nodes[c * set.nodes_per_cell + i];
          const std::int32_t there = whole_set.nodes[in_whole * set.nodes_per_cell + i];
          ASSERT_EQ(part.share->whole_nodes[node], there) << what;
          for (int d = 0; d < part.dim; ++d)
            EXPECT_EQ(part.coordinates[node * part.dim + d],
                      cut.whole.coordinates[there * part.dim + d]);
        }
      }
    }
  }
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), cut.graph.num_cells) << what;
}

inline void expect_one_owner(const CutMesh &cut, const std::string &what) {
  std::map<std::int32_t, std::int32_t> owner; // of masters
  for (const Mesh &part : cut.parts)
    for (std::size_t node = 0; node < part.share->whole_nodes.size(); ++node) {
      const std::int32_t of = part.share->vertex_owner[node];
      const auto known = owner.emplace(cut.master(part.share->whole_nodes[node]), of).first;
      EXPECT_EQ(known->second, of) << what;
      EXPECT_LT(of, std::int32_t(cut.parts.size()));
    }
  for (std::int32_t cell = 0; cell < cut.graph.num_cells; ++cell)
    for (const std::int32_t vertex : cut.vertices(cell))
      EXPECT_GE(owner.at(cut.master(vertex)), 0) << what;
}

// Every cell that touches an own vertex is there, and every neighbour of an own cell; no ghost is
// there for nothing; inner cells see nothing of others.
inline void expect_what_is_needed(const CutMesh &cut, const std::string &what) {
  std::map<std::int32_t, std::set<std::int32_t>> touching; // cells of masters
  for (std::int32_t cell = 0; cell < cut.graph.num_cells; ++cell)
    for (const std::int32_t vertex : cut.vertices(cell))
      touching[cut.master(vertex)].insert(cell);
  for (std::size_t p = 0; p < cut.parts.size(); ++p) {
    const MeshShare &share = *cut.parts[p].share;
    std::set<std::int32_t> needed, here;
    for (std::size_t node = 0; node < share.whole_nodes.size(); ++node)
      if (share.vertex_owner[node] == int(p)) {
        const auto &cells = touching.at(cut.master(share.whole_nodes[node]));
        needed.insert(cells.begin(), cells.end());
      }
    for (std::size_t s = 0; s < share.sets.size(); ++s) {
      const MeshShare::Cells &cells = share.sets[s];
      here.insert(cells.whole.begin(), cells.whole.end());
      for (std::int64_t c = 0; c < cells.num_owned; ++c) {
        bool sees_others = false;
        for (int slot = 0; slot < cut.graph.width; ++slot) {
          const std::int32_t other = cut.graph.neighbour[cells.whole[c] * cut.graph.width + slot];
          if (other >= 0)
            needed.insert(other);
          sees_others = sees_others || (other >= 0 && cut.part_of[other] != int(p));
        }
        const CellSet &set = cut.parts[p].sets[s];
        for (int v = 0; v < num_vertices(set.type); ++v)
          sees_others =
              sees_others || share.vertex_owner[set.nodes[c * set.nodes_per_cell + v]] != int(p);
        EXPECT_EQ(sees_others, c >= cells.num_inner) << what;
        needed.insert(cells.whole[c]);
      }
      for (std::size_t g = 1; g < cells.owner.size(); ++g)
        EXPECT_LT(std::pair(cells.owner[g - 1], cells.whole[cells.num_owned + g - 1]),
                  std::pair(cells.owner[g], cells.whole[cells.num_owned + g]));
    }
    EXPECT_EQ(needed, here) << what << " part " << p;
  }
}

// Facets of own cells have the groups that they have in the whole, interior ones too.
inline void expect_facets(const CutMesh &cut, const std::string &what) {
  using Key = std::tuple<std::int32_t, int>; // cell of the whole mesh, local facet
  struct Known {
    std::vector<std::string> groups;
    Key other;
  };
  const auto groups_of = [](const Mesh &mesh, const Facet &facet) {
    return mesh.facet_classes[facet.facet_class].groups;
  };
  const auto of_whole = [&](const FacetRef &ref) {
    return ref.cell < 0 ? Key(-1, -1)
                        : Key(std::int32_t(cut.graph.first_cell[ref.set] + ref.cell), ref.facet);
  };
  const auto of_part = [](const Mesh &part, const FacetRef &ref) {
    return ref.cell < 0 ? Key(-1, -1) : Key(part.share->sets[ref.set].whole[ref.cell], ref.facet);
  };
  std::map<Key, Known> known; // by both sides
  for (const Facet &facet : cut.whole.facets) {
    const Key minus = of_whole(facet.minus), plus = of_whole(facet.plus);
    known[minus] = {groups_of(cut.whole, facet), plus};
    if (facet.plus.cell >= 0)
      known[plus] = {groups_of(cut.whole, facet), minus};
  }
  std::set<Key> found; // sides of own cells
  for (const Mesh &part : cut.parts) {
    ASSERT_EQ(part.facet_classes.size(), cut.parts[0].facet_classes.size());
    for (std::size_t c = 0; c < part.facet_classes.size(); ++c)
      EXPECT_EQ(part.facet_classes[c].groups, cut.parts[0].facet_classes[c].groups);
    for (std::size_t f = 0; f < part.facets.size(); ++f) {
      const Facet &facet = part.facets[f];
      EXPECT_EQ(facet.plus.cell < 0, std::int64_t(f) < part.num_boundary_facets) << what;
      const Key minus = of_part(part, facet.minus), plus = of_part(part, facet.plus);
      const auto there = known.find(minus);
      ASSERT_NE(there, known.end()) << what;
      EXPECT_EQ(there->second.groups, groups_of(part, facet)) << what;
      EXPECT_EQ(there->second.other, plus) << what;
      if (is_own_cell(part, facet.minus)) {
        EXPECT_TRUE(found.insert(minus).second) << what;
      }
      if (facet.plus.cell >= 0 && is_own_cell(part, facet.plus)) {
        EXPECT_TRUE(found.insert(plus).second) << what;
      }
    }
  }
  EXPECT_EQ(found.size(), known.size()) << what;
}

// Named points are where they are in the whole.
inline void expect_points(const CutMesh &cut, const std::string &what) {
  for (const auto &[group, nodes] : cut.whole.point_groups) {
    std::set<std::int32_t> found;
    for (const Mesh &part : cut.parts) {
      ASSERT_TRUE(part.point_groups.count(group)) << what;
      for (const std::int32_t node : part.point_groups.at(group))
        found.insert(part.share->whole_nodes[node]);
    }
    EXPECT_EQ(found, std::set<std::int32_t>(nodes.begin(), nodes.end())) << what << " " << group;
  }
}

// Named edges are where they are in the whole.
inline void expect_edges(const CutMesh &cut, const std::string &what) {
  for (const auto &[group, edges] : cut.whole.edge_groups) {
    std::set<Edge> found;
    for (const Mesh &part : cut.parts) {
      ASSERT_TRUE(part.edge_groups.count(group)) << what;
      for (const Edge &edge : part.edge_groups.at(group)) {
        const Edge in_whole = {part.share->whole_nodes[edge[0]], part.share->whole_nodes[edge[1]]};
        found.insert({std::min(in_whole[0], in_whole[1]), std::max(in_whole[0], in_whole[1])});
      }
    }
    EXPECT_EQ(found, std::set<Edge>(edges.begin(), edges.end())) << what << " " << group;
  }
}

// Nodes of a part that are one in the whole are one there.
inline void expect_periodic(const CutMesh &cut, const std::string &what) {
  for (const Mesh &part : cut.parts) {
    const auto master = [&](std::int32_t node) {
      const auto found = part.periodic_master.find(node);
      return found == part.periodic_master.end() ? node : found->second;
    };
    std::map<std::int32_t, std::int32_t> local; // by master in the whole
    for (std::int32_t node = 0; node < part.num_nodes(); ++node) {
      const std::int32_t whole_master = cut.master(part.share->whole_nodes[node]);
      EXPECT_EQ(local.emplace(whole_master, master(node)).first->second, master(node)) << what;
      EXPECT_EQ(master(master(node)), master(node)) << what;
    }
  }
}

inline void expect_parts_of_mesh(const CutMesh &cut, const std::string &what) {
  expect_whole(cut, what);
  expect_one_owner(cut, what);
  expect_what_is_needed(cut, what);
  expect_facets(cut, what);
  expect_points(cut, what);
  expect_edges(cut, what);
  expect_periodic(cut, what);
}

} // namespace weft
