// Numberings conform, follow the tree of leaves, and count what Euler's formula says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "mesh/make/make_mesh.h"
#include "space/node_map.h"

using namespace weft;

namespace {

Mesh box(const std::string &cell, std::array<int, 3> cells, int order = 1,
         std::array<bool, 3> periodic = {false, false, false}, int leaf_cells = 5) {
  MeshSpec spec;
  spec.box = BoxSpec{.dim = dimension(cell_type_from_name(cell)),
                     .cells = cells,
                     .cell = cell,
                     .distort = periodic[0] ? 0 : 0.2,
                     .periodic = periodic};
  spec.order = order;
  spec.leaf_cells = leaf_cells;
  Timings timings;
  return make_mesh(spec, timings);
}

const char *cell_names[] = {"triangle", "quadrilateral", "tetrahedron",
                            "pyramid",  "prism",         "hexahedron"};

int highest_order(const std::string &cell) {
  return cell == "pyramid" ? 2 : cell == "prism" || cell == "triangle" ? 6 : 4;
}

// Position of a node of a cell on the geometry.
std::vector<double> position(const Mesh &mesh, std::size_t s, std::int64_t c, const double *xi) {
  const CellSet &set = mesh.sets[s];
  std::vector<double> phi, dphi, x(mesh.dim, 0.0);
  make_element(set.type, mesh.geometry_order).tabulate(std::span(xi, mesh.dim), phi, dphi);
  for (int g = 0; g < set.nodes_per_cell; ++g)
    for (int d = 0; d < mesh.dim; ++d)
      x[d] += phi[g] * mesh.coordinates[set.nodes[c * set.nodes_per_cell + g] * mesh.dim + d];
  return x;
}

// Every cell sees each of its nodes where the map says it is; different nodes are apart.
void expect_conforming(const Mesh &mesh, const NodeMap &map, const std::string &name) {
  ASSERT_EQ(map.coordinates.size(), static_cast<std::size_t>(map.num_local * mesh.dim));
  std::set<std::int32_t> used;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const auto &e = map.sets[s].element;
    for (std::int64_t c = 0; c < mesh.sets[s].num_cells(); ++c)
      for (int i = 0; i < e.num_nodes(); ++i) {
        const std::int32_t node = map.sets[s].nodes[c * e.num_nodes() + i];
        used.insert(node);
        const auto x = position(mesh, s, c, &e.nodes[i * mesh.dim]);
        for (int d = 0; d < mesh.dim; ++d)
          ASSERT_NEAR(map.coordinates[node * mesh.dim + d], x[d], 1e-12) << name;
      }
  }
  EXPECT_EQ(static_cast<std::int64_t>(used.size()), map.num_local) << name;
  std::set<std::vector<long>> positions;
  for (std::int64_t n = 0; n < map.num_local; ++n) {
    std::vector<long> position;
    for (int d = 0; d < mesh.dim; ++d)
      position.push_back(std::lround(map.coordinates[n * mesh.dim + d] * 1e9));
    EXPECT_TRUE(positions.insert(position).second) << name << ": two nodes at one place";
  }
}

// For every merge of 2^m leaves, the nodes touched only inside a merged block are contiguous.
void expect_tree_order(const Mesh &mesh, const NodeMap &map, const std::string &name) {
  const auto first = first_leaves(mesh);
  std::vector<std::pair<std::int64_t, std::int64_t>> leaves(map.num_local, {1 << 30, -1});
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const auto &offset = mesh.sets[s].leaf_offset;
    const int n = map.sets[s].element.num_nodes();
    for (std::size_t leaf = 0; leaf + 1 < offset.size(); ++leaf)
      for (std::int64_t k = offset[leaf] * n; k < offset[leaf + 1] * n; ++k) {
        auto &[low, high] = leaves[map.sets[s].nodes[k]];
        low = std::min<std::int64_t>(low, first[s] + leaf);
        high = std::max<std::int64_t>(high, first[s] + leaf);
      }
  }
  for (int m = 0; m <= 6; ++m) {
    std::map<std::int64_t, std::vector<std::int64_t>> inner;
    for (std::int64_t n = 0; n < map.num_local; ++n)
      if (leaves[n].first >> m == leaves[n].second >> m)
        inner[leaves[n].first >> m].push_back(n);
    std::int64_t before = -1;
    for (const auto &[block, nodes] : inner) {
      EXPECT_EQ(nodes.back() - nodes.front() + 1, static_cast<std::int64_t>(nodes.size()))
          << name << ": merge " << m << " block " << block;
      EXPECT_GT(nodes.front(), before) << name << ": blocks follow one another";
      before = nodes.back();
    }
  }
}

} // namespace

TEST(node_map, conforms_on_every_cell_and_order) {
  for (const std::string cell : cell_names)
    for (int geometry = 1; geometry <= 2; ++geometry) {
      const Mesh mesh = box(cell, {3, 2, 2}, geometry);
      for (int order = 0; order <= highest_order(cell); ++order) {
        const std::string name =
            cell + " order " + std::to_string(order) + " geometry " + std::to_string(geometry);
        const NodeMap map = make_node_map(mesh, order);
        expect_conforming(mesh, map, name);
        expect_tree_order(mesh, map, name);
      }
    }
}

TEST(node_map, conforms_between_cells_of_different_types) {
  Mesh mesh;
  mesh.dim = 3;
  mesh.coordinates = {0, 0, 0, 1, 0, 0, 1,   1,   0, 0, 1,   0, 0, 0,   1, 1, 0,   1,
                      1, 1, 1, 0, 1, 1, 0.5, 0.5, 2, 2, 0.5, 0, 2, 0.5, 1, 2, 0.5, 2};
  const auto add = [&](CellType type, std::vector<std::int32_t> nodes) {
    const int n = static_cast<int>(nodes.size());
    mesh.sets.push_back({type, n, std::move(nodes), {0}, {0, 1}});
  };
  add(CellType::hexahedron, {0, 1, 2, 3, 4, 5, 6, 7});
  add(CellType::pyramid, {4, 5, 6, 7, 8});
  add(CellType::prism, {1, 9, 2, 5, 10, 6});
  add(CellType::tetrahedron, {5, 6, 8, 11});
  add(CellType::tetrahedron, {5, 10, 6, 11});
  for (int order = 1; order <= 2; ++order) {
    const NodeMap map = make_node_map(mesh, order);
    expect_conforming(mesh, map, "mixed order " + std::to_string(order));
    expect_tree_order(mesh, map, "mixed");
  }
  EXPECT_EQ(make_node_map(mesh, 1).num_local, 12);
  // 12 vertices; edges: 12 of the hexahedron, 4, 5, 3 and 1 more; quadrilaterals: 6 and 2 more; the
  // middle of the hexahedron.
  EXPECT_EQ(make_node_map(mesh, 2).num_local, 12 + 25 + 8 + 1);
}

TEST(node_map, counts) {
  // Lattice points of tensor cells and of Kuhn's tetrahedra: (p n + 1) in each direction.
  for (int p = 1; p <= 4; ++p) {
    const std::int64_t count = (3 * p + 1) * (2 * p + 1);
    EXPECT_EQ(make_node_map(box("triangle", {3, 2, 1}), p).num_local, count);
    EXPECT_EQ(make_node_map(box("quadrilateral", {3, 2, 1}), p).num_local, count);
    EXPECT_EQ(make_node_map(box("tetrahedron", {3, 2, 2}), p).num_local, count * (2 * p + 1));
    EXPECT_EQ(make_node_map(box("hexahedron", {3, 2, 2}), p).num_local, count * (2 * p + 1));
  }
  EXPECT_EQ(make_node_map(box("prism", {3, 2, 2}), 2).num_local, 7 * 5 * 5);
  EXPECT_EQ(make_node_map(box("hexahedron", {3, 2, 2}), 0).num_local, 12);
  // Pyramids, six in each of 12 boxes: nodes of the box lattice with face centres, and in each box
  // the apex and the middles of its 8 edges. Edge middles and vertices: lattice of order 2 less
  // the box centres, which are the apices.
  EXPECT_EQ(make_node_map(box("pyramid", {3, 2, 2}), 2).num_local, 7 * 5 * 5 + 12 * 8);
}

TEST(node_map, order_1_knows_its_mesh_nodes) {
  const Mesh mesh = box("tetrahedron", {3, 2, 2}, 2);
  const NodeMap map = make_node_map(mesh, 1);
  ASSERT_EQ(map.mesh_nodes.size(), static_cast<std::size_t>(map.num_local));
  for (std::int64_t n = 0; n < map.num_local; ++n)
    for (int d = 0; d < 3; ++d)
      EXPECT_EQ(map.coordinates[3 * n + d], mesh.coordinates[3 * map.mesh_nodes[n] + d]);
  EXPECT_TRUE(make_node_map(mesh, 2).mesh_nodes.empty());
}

TEST(node_map, geometry_map_is_the_mesh_renumbered) {
  for (const std::string cell : cell_names)
    for (int order = 1; order <= 2; ++order) {
      const Mesh mesh = box(cell, {3, 3, 3}, order);
      const NodeMap map = make_geometry_map(mesh);
      EXPECT_EQ(map.num_local, mesh.num_nodes()) << cell;
      for (std::size_t k = 0; k < mesh.sets[0].nodes.size(); ++k)
        for (int d = 0; d < mesh.dim; ++d)
          ASSERT_EQ(map.coordinates[map.sets[0].nodes[k] * mesh.dim + d],
                    mesh.coordinates[mesh.sets[0].nodes[k] * mesh.dim + d]);
    }
}

TEST(node_map, periodic_sides_share_their_nodes) {
  for (const std::string cell : cell_names) {
    const bool flat = dimension(cell_type_from_name(cell)) == 2;
    const Mesh mesh = box(cell, {3, 4, flat ? 1 : 3}, 1, {true, true, false});
    for (int p = 1; p <= highest_order(cell); ++p) {
      const NodeMap map = make_node_map(mesh, p);
      expect_tree_order(mesh, map, cell);
      if (cell != "pyramid") {
        EXPECT_EQ(map.num_local, 3 * p * 4 * p * (flat ? 1 : 3 * p + 1)) << cell << p;
      }
      EXPECT_EQ(make_geometry_map(mesh).num_local, mesh.num_nodes());
      // Cells agree on a shared node up to a period, which shows wrong orientations.
      const auto &e = map.sets[0].element;
      for (std::size_t k = 0; k < map.sets[0].nodes.size(); ++k) {
        const auto x =
            position(mesh, 0, k / e.num_nodes(), &e.nodes[(k % e.num_nodes()) * mesh.dim]);
        for (int d = 0; d < mesh.dim; ++d) {
          const double apart = x[d] - map.coordinates[map.sets[0].nodes[k] * mesh.dim + d];
          ASSERT_NEAR(apart, d < 2 ? std::round(apart) : 0, 1e-12) << cell << p;
        }
      }
    }
  }
  EXPECT_THROW(make_node_map(box("triangle", {2, 4, 1}, 1, {true, false, false}), 2), Error);
}

TEST(node_map, nodes_on_facets_are_those_of_the_side) {
  for (const std::string cell : cell_names) {
    const Mesh mesh = box(cell, {3, 2, 2});
    const NodeMap map = make_node_map(mesh, 2);
    std::vector<bool> selected;
    for (const auto &facet_class : mesh.facet_classes)
      selected.push_back(std::count(facet_class.groups.begin(), facet_class.groups.end(), "x1"));
    const auto nodes = nodes_on_facets(mesh, map, selected);
    std::vector<std::int32_t> expected;
    for (std::int64_t n = 0; n < map.num_local; ++n)
      if (map.coordinates[n * mesh.dim] > 1 - 1e-12)
        expected.push_back(n);
    EXPECT_EQ(nodes, expected) << cell;
    EXPECT_EQ(nodes.size(), mesh.dim == 2 ? 5u : 25u);
  }
}

TEST(node_map, discontinuous_maps_give_each_cell_its_nodes_on_the_geometry) {
  for (const std::string cell : cell_names)
    for (int geometry = 1; geometry <= 2; ++geometry) {
      const Mesh mesh = box(cell, {3, 3, 3}, geometry, {geometry == 1, false, false});
      if (cell == "pyramid") {
        EXPECT_THROW(make_discontinuous_map(mesh, 1), Error);
        continue;
      }
      for (const int order : {0, 3, 9}) {
        const NodeMap map = make_discontinuous_map(mesh, order);
        const Element &e = map.sets[0].element;
        const int n = e.num_nodes();
        EXPECT_TRUE(map.discontinuous && e.nodal && map.mesh_nodes.empty());
        EXPECT_EQ(map.order, order);
        ASSERT_EQ(map.num_local, mesh.num_cells() * n);
        ASSERT_EQ(static_cast<std::int64_t>(map.coordinates.size()), map.num_local * mesh.dim);
        for (std::int64_t i = 0; i < map.num_local; ++i)
          ASSERT_EQ(map.sets[0].nodes[i], i);
        for (const std::int64_t c : {std::int64_t(0), mesh.num_cells() - 1})
          for (int i = 0; i < n; ++i) {
            const auto x = position(mesh, 0, c, &e.nodes[i * mesh.dim]);
            for (int d = 0; d < mesh.dim; ++d)
              ASSERT_NEAR(map.coordinates[(c * n + i) * mesh.dim + d], x[d], 1e-13) << cell;
          }
      }
    }
}

TEST(node_map, all_cells_share_the_node_of_the_whole_domain) {
  Mesh mesh;
  mesh.dim = 2;
  mesh.coordinates = {0, 0, 1, 0, 1, 1, 0, 1, 2, 0.5};
  mesh.sets = {{CellType::quadrilateral, 4, {0, 1, 2, 3}, {0}, {0, 1}},
               {CellType::triangle, 3, {1, 4, 2}, {0}, {0, 1}}};
  const NodeMap map = make_whole_domain_map(mesh);
  EXPECT_TRUE(map.whole_domain && !map.discontinuous && map.order == 0);
  EXPECT_EQ(map.num_owned, 1);
  EXPECT_EQ(map.num_local, 1);
  EXPECT_EQ(map.sets[0].nodes, std::vector<std::int32_t>{0});
  EXPECT_EQ(map.sets[1].nodes, std::vector<std::int32_t>{0});
  EXPECT_EQ(map.coordinates, (std::vector<double>{0.5, 0.5}));
}

TEST(node_map, discontinuous_maps_number_one_set_after_the_other) {
  Mesh mesh;
  mesh.dim = 2;
  mesh.coordinates = {0, 0, 1, 0, 1, 1, 0, 1, 2, 0.5};
  mesh.sets = {{CellType::quadrilateral, 4, {0, 1, 2, 3}, {0}, {0, 1}},
               {CellType::triangle, 3, {1, 4, 2}, {0}, {0, 1}}};
  const NodeMap map = make_discontinuous_map(mesh, 3);
  EXPECT_EQ(map.num_local, 16 + 10);
  EXPECT_EQ(map.sets[1].nodes.front(), 16);
  EXPECT_EQ(map.sets[1].nodes.back(), 25);
  // Gauss points of the square, Gauss-Lobatto points on the triangle's side at x = 1.
  EXPECT_NEAR(map.coordinates[0], 0.5 - 0.8611363115940526 / 2, 1e-15);
  EXPECT_NEAR(map.coordinates[1], 0.5 - 0.8611363115940526 / 2, 1e-15);
  const auto side = map.sets[1].element.facet_nodes(2);
  const double heights[] = {1, 0.5 + std::sqrt(0.05), 0.5 - std::sqrt(0.05), 0};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(map.coordinates[(16 + side[i]) * 2], 1, 1e-15);
    EXPECT_NEAR(map.coordinates[(16 + side[i]) * 2 + 1], heights[i], 1e-15);
  }
}
