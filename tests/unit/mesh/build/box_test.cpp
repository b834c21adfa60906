#include <array>
#include <cmath>
#include <map>

#include "../../../../bench/peers/distorted_box.h"
#include "base/parallel.h"
#include "mesh/build/box.h"
#include "mesh/build/second_order.h"
#include "mesh/cell_volume.h"
#include "mesh/raw_mesh.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

double total_volume(const Mesh &mesh) {
  double sum = 0;
  for (const auto &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const auto nodes = std::span(set.nodes).subspan(c * set.nodes_per_cell, set.nodes_per_cell);
      const double volume = cell_size(set.type, nodes, mesh.coordinates.data(), mesh.dim).volume;
      EXPECT_GT(volume, 0);
      sum += volume;
    }
  return sum;
}

std::int64_t all_facets(const Mesh &mesh) {
  std::int64_t count = 0;
  for (const auto &set : mesh.sets)
    count += set.num_cells() * num_facets(set.type);
  return count;
}

TEST(Box, FillsItsVolumeAndIsConforming) {
  const std::map<std::string, int> cells_in_a_box = {{"triangle", 2},    {"quadrilateral", 1},
                                                     {"tetrahedron", 6}, {"pyramid", 6},
                                                     {"prism", 2},       {"hexahedron", 1}};
  for (const std::string cell : all_cells)
    for (double distort : {0.0, 0.25}) {
      BoxSpec box = box_spec(cell, {4, 3, 5});
      box.origin = {1, -2, 3};
      box.size = {2, 3, 0.5};
      box.distort = distort;
      const Mesh mesh = mesh_of_box(box);
      const int boxes = box.dim == 2 ? 12 : 60;
      EXPECT_EQ(mesh.num_cells(), boxes * cells_in_a_box.at(cell)) << cell;
      EXPECT_NEAR(total_volume(mesh), box.dim == 2 ? 6 : 3, 1e-12) << cell;
      // Only a conforming mesh has all its unmatched facets on the sides.
      EXPECT_EQ(2 * static_cast<std::int64_t>(interior_facets(mesh).size()) +
                    mesh.num_boundary_facets,
                all_facets(mesh));
      for (const auto &facet : mesh.facets)
        EXPECT_EQ(mesh.facet_classes[facet.facet_class].groups.size(), 1u) << cell;
      EXPECT_EQ(mesh.region_names(), std::vector<std::string>{"box"});
      EXPECT_EQ(mesh.facet_group_names().size(), 2u * box.dim);
    }
}

TEST(Box, SidesLieWhereTheirNamesSay) {
  for (const std::string cell : all_cells) {
    BoxSpec box = box_spec(cell, {3, 2, 2});
    box.distort = 0.2;
    const Mesh mesh = mesh_of_box(box, 2);
    for (const auto &facet : mesh.facets) {
      const std::string side = mesh.facet_classes[facet.facet_class].groups[0];
      const int d = side[0] - 'x';
      const CellSet &set = mesh.sets[facet.minus.set];
      for (int i : facet_geometry_nodes(set.type, facet.minus.facet, 2))
        EXPECT_EQ(
            mesh.coordinates[set.nodes[facet.minus.cell * set.nodes_per_cell + i] * mesh.dim + d],
            side[1] == '1' ? 1.0 : 0.0)
            << cell << " " << side;
    }
  }
}

// Other programs than Weft are timed on the same mesh.
TEST(Box, DistortionIsThatOfPeers) {
  constexpr int cells = 4;
  BoxSpec box = box_spec("hexahedron", {cells, cells, cells});
  box.distort = 0.2;
  const RawMesh mesh = make_box(box);
  std::int64_t node = 0;
  std::array<std::int64_t, 3> at = {};
  for (at[2] = 0; at[2] <= cells; ++at[2])
    for (at[1] = 0; at[1] <= cells; ++at[1])
      for (at[0] = 0; at[0] <= cells; ++at[0], ++node) {
        std::array<double, 3> x = {};
        box_corner(cells, at.data(), x.data());
        for (int d = 0; d < 3; ++d)
          EXPECT_DOUBLE_EQ(x[d], mesh.coordinates[3 * node + d]);
      }
  EXPECT_EQ(node, mesh.num_nodes());
}

TEST(Box, DistortionMovesInnerNodesReproducibly) {
  BoxSpec box = box_spec("tetrahedron", {6, 6, 6});
  const Mesh straight = mesh_of_box(box);
  box.distort = 0.2;
  const Mesh once = mesh_of_box(box), again = mesh_of_box(box);
  EXPECT_EQ(once.coordinates, again.coordinates);
  int moved = 0;
  for (std::int64_t i = 0; i < once.num_nodes(); ++i) {
    double distance = 0;
    bool inner = true;
    for (int d = 0; d < 3; ++d) {
      const double x = straight.coordinates[3 * i + d];
      inner = inner && x > 0 && x < 1;
      distance += std::pow(once.coordinates[3 * i + d] - x, 2);
    }
    distance = std::sqrt(distance);
    EXPECT_EQ(distance > 0, inner);
    EXPECT_LE(distance, 0.2 / 6 * 1.0000001);
    moved += distance > 0;
  }
  EXPECT_EQ(moved, 125);
}

TEST(Box, SecondOrderNodesAreSharedAndInTheMiddle) {
  // Nodes of a box of 2x2(x2): the grid of half the width; tetrahedra, prisms and pyramids miss
  // some of it or add apexes and their edges.
  const std::map<std::string, std::int64_t> nodes = {
      {"triangle", 25},
      {"quadrilateral", 25},
      {"tetrahedron", 125},
      {"hexahedron", 125},
      {"prism", 125},
      // vertices 27 + 8 apexes, edges 54 + 64, base faces 36
      {"pyramid", 27 + 8 + 54 + 64 + 36}};
  for (const std::string cell : all_cells) {
    const Mesh mesh = mesh_of_box(box_spec(cell, {2, 2, 2}), 2);
    EXPECT_EQ(mesh.geometry_order, 2);
    EXPECT_EQ(mesh.num_nodes(), nodes.at(cell)) << cell;
    const CellSet &set = mesh.sets[0];
    const auto &supports = second_order_supports(set.type);
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const std::int32_t *own = &set.nodes[c * set.nodes_per_cell];
      for (std::size_t s = 0; s < supports.size(); ++s)
        for (int d = 0; d < mesh.dim; ++d) {
          double mean = 0;
          for (int v : supports[s])
            mean += mesh.coordinates[own[v] * mesh.dim + d] / supports[s].size();
          EXPECT_NEAR(mesh.coordinates[own[num_vertices(set.type) + s] * mesh.dim + d], mean,
                      1e-14);
        }
    }
  }
}

TEST(Box, PeriodicNodesLeadToOneMasterAtTheSameHeight) {
  for (const std::string cell : {"triangle", "tetrahedron", "hexahedron", "pyramid"})
    for (int order : {1, 2})
      for (int cells : {1, 2, 3}) {
        BoxSpec box = box_spec(cell, {cells, cells, cells});
        box.periodic = {true, true, false};
        const Mesh mesh = mesh_of_box(box, order);
        const int dim = mesh.dim;
        std::int64_t on_high_side = 0;
        for (std::int32_t i = 0; i < mesh.num_nodes(); ++i) {
          const double *x = &mesh.coordinates[i * dim];
          const bool high = x[0] == 1 || x[1] == 1;
          on_high_side += high;
          ASSERT_EQ(mesh.periodic_master.count(i), high ? 1u : 0u) << cell << order << cells;
          if (!high)
            continue;
          const double *y = &mesh.coordinates[mesh.periodic_master.at(i) * dim];
          for (int d = 0; d < dim; ++d)
            EXPECT_NEAR(y[d], d < 2 && x[d] == 1 ? 0 : x[d], 1e-14);
          EXPECT_EQ(mesh.periodic_master.count(mesh.periodic_master.at(i)), 0u);
        }
        EXPECT_GT(on_high_side, 0);
      }
}

TEST(Box, RefusesWhatMakesNoSense) {
  const auto with = [](auto change) {
    BoxSpec box = box_spec("triangle", {2, 2, 1});
    change(box);
    return [box] { mesh_of_box(box); };
  };
  expect_error(ErrorKind::input, {"cells", "0", "from 1"},
               with([](BoxSpec &box) { box.cells[1] = 0; }));
  expect_error(ErrorKind::input, {"size", "-1"}, with([](BoxSpec &box) { box.size[0] = -1; }));
  expect_error(ErrorKind::input, {"distort", "0.5"}, with([](BoxSpec &box) { box.distort = 0.5; }));
  expect_error(ErrorKind::input, {"hexahedron", "dimension 2"},
               with([](BoxSpec &box) { box.cell = "hexahedron"; }));
  expect_error(ErrorKind::input, {"interval"}, with([](BoxSpec &box) { box.cell = "interval"; }));
  expect_error(ErrorKind::input, {"more than 1e9"}, with([](BoxSpec &box) {
                 box.cells = {2147483647, 2147483647, 1};
               }));
}

} // namespace
} // namespace weft
