// Parts of meshes: together they are the whole, each has what its own cells and vertices need, and
// all agree on who owns what.
#include "mesh/parts/mesh_parts.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh/make/make_mesh.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh_3d.h"

namespace weft {
namespace {

Mesh make(const MeshSpec &spec) {
  Timings timings;
  return make_mesh(spec, timings);
}

MeshSpec box(const std::string &cell, bool flat, int order = 1,
             std::array<bool, 3> periodic = {false, false, false}) {
  MeshSpec spec;
  spec.order = order;
  spec.box = BoxSpec{.dim = flat ? 2 : 3,
                     .cells = flat ? std::array{12, 9, 1} : std::array{5, 4, 4},
                     .cell = cell,
                     .distort = 0.2,
                     .periodic = periodic};
  return spec;
}

// A mesh with its graph, parts of which are looked at.
struct Cut {
  Mesh whole;
  CellGraph graph;
  std::vector<std::int32_t> part_of;
  std::vector<Mesh> parts;

  Cut(Mesh mesh, int num_parts) : whole(std::move(mesh)), graph(make_cell_graph(whole)) {
    part_of = partition_mesh(graph, std::vector<double>(whole.sets.size(), 1.0), num_parts);
    const MeshParts cut(whole, graph, part_of, num_parts);
    for (int part = 0; part < num_parts; ++part)
      parts.push_back(cut.part(part, 16));
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
void expect_whole(const Cut &cut, const std::string &what) {
  std::vector<int> times(cut.graph.num_cells, 0);
  for (std::size_t p = 0; p < cut.parts.size(); ++p) {
    const Mesh &part = cut.parts[p];
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

void expect_one_owner(const Cut &cut, const std::string &what) {
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
void expect_what_is_needed(const Cut &cut, const std::string &what) {
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

// Facets of own cells have the classes that they have in the whole.
void expect_facets(const Cut &cut, const std::string &what) {
  using Key = std::tuple<std::int32_t, int>; // cell of the whole mesh, local facet
  std::map<Key, std::int32_t> classes;
  const auto key_of = [](const Mesh &mesh, const CellGraph *graph, const FacetRef &ref) {
    return Key(graph ? std::int32_t(graph->first_cell[ref.set] + ref.cell)
                     : mesh.share->sets[ref.set].whole[ref.cell],
               ref.facet);
  };
  for (std::int64_t f = 0; f < cut.whole.num_boundary_facets; ++f)
    classes[key_of(cut.whole, &cut.graph, cut.whole.facets[f].minus)] =
        cut.whole.facets[f].facet_class;
  std::size_t found = 0;
  for (const Mesh &part : cut.parts) {
    EXPECT_EQ(part.facet_classes.size(), cut.whole.facet_classes.size());
    for (std::int64_t f = 0; f < part.num_boundary_facets; ++f) {
      const Facet &facet = part.facets[f];
      const auto known = classes.find(key_of(part, nullptr, facet.minus));
      ASSERT_NE(known, classes.end()) << what;
      EXPECT_EQ(known->second, facet.facet_class);
      EXPECT_LT(facet.plus.cell, 0);
      found += facet.minus.cell < part.share->sets[facet.minus.set].num_owned ? 1 : 0;
    }
  }
  EXPECT_EQ(found, classes.size()) << what;
}

// Nodes of a part that are one in the whole are one there.
void expect_periodic(const Cut &cut, const std::string &what) {
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

void expect_all(const Cut &cut, const std::string &what) {
  expect_whole(cut, what);
  expect_one_owner(cut, what);
  expect_what_is_needed(cut, what);
  expect_facets(cut, what);
  expect_periodic(cut, what);
}

const int numbers_of_parts[] = {1, 2, 3, 5, 8};

TEST(MeshParts, AreTheWholeOnAllCellTypes) {
  for (const auto &[cell, flat] : {std::pair("triangle", true), std::pair("quadrilateral", true),
                                   std::pair("tetrahedron", false), std::pair("hexahedron", false),
                                   std::pair("prism", false), std::pair("pyramid", false)})
    for (const int parts : numbers_of_parts)
      for (const int order : {1, 2})
        expect_all(Cut(make(box(cell, flat, order)), parts),
                   fmt::format("{} order {} in {}", cell, order, parts));
}

TEST(MeshParts, KnowPeriodicSides) {
  for (const int parts : numbers_of_parts) {
    expect_all(Cut(make(box("quadrilateral", true, 1, {true, true, false})), parts),
               fmt::format("quadrilaterals in {}", parts));
    expect_all(Cut(make(box("tetrahedron", false, 2, {true, false, true})), parts),
               fmt::format("tetrahedra in {}", parts));
  }
}

TEST(MeshParts, KnowMixedCells) {
  const TemporaryFolder folder;
  for (const int refine : {0, 1}) {
    MeshSpec spec;
    spec.file = folder.write("mixed.msh", mixed_mesh_3d_text(1));
    spec.refine = refine;
    for (const int parts : numbers_of_parts)
      expect_all(Cut(make(spec), parts), fmt::format("mixed, refined {}, in {}", refine, parts));
  }
}

TEST(MeshParts, MayBeEmpty) {
  MeshSpec spec;
  spec.box = BoxSpec{.dim = 2, .cells = {2, 1, 1}, .cell = "quadrilateral"};
  const Cut cut(make(spec), 5);
  expect_all(cut, "two cells in five parts");
  int empty = 0;
  for (const Mesh &part : cut.parts)
    empty += part.num_cells() == 0 ? 1 : 0;
  EXPECT_EQ(empty, 3);
}

TEST(PartitionMesh, BalancesCosts) {
  const TemporaryFolder folder;
  MeshSpec spec;
  spec.file = folder.write("mixed.msh", mixed_mesh_3d_text(1));
  spec.refine = 3;
  const Mesh mesh = make(spec);
  const CellGraph graph = make_cell_graph(mesh);
  std::vector<double> cost;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s)
    cost.push_back(1.0 + 2.0 * double(s));
  for (const int parts : {2, 3, 8}) {
    const std::vector<std::int32_t> part = partition_mesh(graph, cost, parts);
    std::vector<double> sums(parts, 0.0);
    double all = 0;
    for (std::size_t s = 0; s < mesh.sets.size(); ++s)
      for (std::int64_t c = graph.first_cell[s]; c < graph.first_cell[s + 1]; ++c) {
        sums[part[c]] += cost[s];
        all += cost[s];
      }
    EXPECT_LT(*std::max_element(sums.begin(), sums.end()), 1.06 * all / parts) << parts;
    EXPECT_EQ(part, partition_mesh(graph, cost, parts));
  }
}

} // namespace
} // namespace weft
