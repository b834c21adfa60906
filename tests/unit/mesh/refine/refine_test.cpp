#include <cmath>
#include <map>
#include <set>

#include "mesh/build/second_order.h"
#include "mesh/cell_volume.h"
#include "mesh/refine/cell_children.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"

namespace weft {
namespace {

MeshSpec box_mesh(const BoxSpec &box, int refine, int order = 1) {
  MeshSpec spec;
  spec.box = box;
  spec.refine = refine;
  spec.order = order;
  return spec;
}

Mesh made(const MeshSpec &spec, std::vector<CoarserMesh> *coarser = nullptr) {
  Timings timings;
  return make_mesh(spec, timings, coarser);
}

// Every cell proper; the sum of the volumes of straight cells.
double checked_volume(const Mesh &mesh) {
  double sum = 0;
  for (const auto &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c) {
      const auto nodes = std::span(set.nodes).subspan(c * set.nodes_per_cell, set.nodes_per_cell);
      const double volume = cell_size(set.type, nodes, mesh.coordinates.data(), mesh.dim).volume;
      EXPECT_GT(volume, 0) << to_string(set.type);
      sum += volume;
    }
  return sum;
}

void expect_conforming(const Mesh &mesh) {
  std::int64_t facets = 0;
  for (const auto &set : mesh.sets)
    facets += set.num_cells() * num_facets(set.type);
  std::int64_t inner = 0;
  for (const auto &facet : interior_facets(mesh))
    inner += facet.plus.cell >= 0;
  EXPECT_EQ(2 * inner + mesh.num_boundary_facets, facets);
}

std::map<std::string, int> facets_of_groups(const Mesh &mesh) {
  std::map<std::string, int> count;
  for (const auto &facet : mesh.facets)
    for (const auto &group : mesh.facet_classes[facet.facet_class].groups)
      ++count[group];
  return count;
}

std::map<std::string, double> volumes_of_regions(const Mesh &mesh) {
  std::map<std::string, double> volumes;
  for (const auto &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      for (const auto &group : mesh.region_classes[set.region[c]].groups)
        volumes[group] +=
            cell_size(set.type,
                      std::span(set.nodes).subspan(c * set.nodes_per_cell, set.nodes_per_cell),
                      mesh.coordinates.data(), mesh.dim)
                .volume;
  return volumes;
}

// The largest distance of a vertex from the mean of its parents.
double distance_from_parents(const Mesh &mesh, const CoarserMesh &coarser) {
  double largest = 0;
  for (std::int64_t n = 0; n < mesh.num_nodes(); ++n) {
    const auto parents = coarser.parents.of(n);
    for (int d = 0; d < mesh.dim && !parents.empty(); ++d) {
      double mean = 0;
      for (const auto p : parents)
        mean += coarser.mesh.coordinates[std::int64_t(p) * mesh.dim + d] / double(parents.size());
      largest = std::max(largest, std::abs(mean - mesh.coordinates[n * mesh.dim + d]));
    }
  }
  return largest;
}

void expect_vertices_to_have_parents(const Mesh &mesh, const CoarserMesh &coarser) {
  ASSERT_EQ(coarser.parents.first.size(), std::size_t(mesh.num_nodes()) + 1);
  std::set<std::int32_t> kept;
  for (const auto &set : mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      for (int v = 0; v < num_vertices(set.type); ++v) {
        const auto parents = coarser.parents.of(set.nodes[c * set.nodes_per_cell + v]);
        EXPECT_GE(parents.size(), 1u);
        if (parents.size() == 1)
          kept.insert(parents[0]);
      }
  for (const auto &set : coarser.mesh.sets)
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      for (int v = 0; v < num_vertices(set.type); ++v)
        EXPECT_TRUE(kept.contains(set.nodes[c * set.nodes_per_cell + v]));
}

TEST(Refine, ChildrenFillTheReferenceCell) {
  for (const std::string name : all_cells) {
    const CellType cell = cell_type_from_name(name);
    for (int diagonal = 0; diagonal < (cell == CellType::tetrahedron ? 3 : 1); ++diagonal) {
      double volume = 0;
      for (const CellChild &child : cell_children(cell, diagonal)) {
        const std::vector<std::int32_t> nodes(child.vertices.begin(), child.vertices.end());
        const double part =
            cell_size(child.type, nodes, second_order_coordinates(cell).data(), dimension(cell))
                .volume;
        EXPECT_GT(part, 0) << name;
        volume += part;
      }
      EXPECT_NEAR(volume, reference_volume(cell), 1e-15) << name;
    }
  }
}

TEST(Refine, BasisOfOrderTwoIsNodal) {
  for (const std::string name :
       {"triangle", "quadrilateral", "tetrahedron", "prism", "hexahedron"}) {
    const CellType cell = cell_type_from_name(name);
    const auto &nodes = second_order_coordinates(cell);
    const int dim = dimension(cell), n = num_geometry_nodes(cell, 2);
    for (int i = 0; i < n; ++i) {
      const auto basis = second_order_basis(cell, &nodes[i * dim]);
      ASSERT_EQ(int(basis.size()), n);
      for (int j = 0; j < n; ++j)
        EXPECT_EQ(basis[j], i == j ? 1 : 0) << name << " " << i << " " << j;
    }
  }
}

TEST(Refine, SplitsEveryCellTypeIntoAConformingMesh) {
  const std::map<std::string, int> children = {{"triangle", 4},    {"quadrilateral", 4},
                                               {"tetrahedron", 8}, {"prism", 8},
                                               {"hexahedron", 8},  {"pyramid", 10}};
  for (const std::string cell : all_cells) {
    BoxSpec box = box_spec(cell, {2, 3, 2});
    box.distort = 0.2;
    const Mesh coarse = made(box_mesh(box, 0));
    std::vector<CoarserMesh> coarser;
    const Mesh fine = made(box_mesh(box, 1), &coarser);
    EXPECT_EQ(fine.num_cells(), coarse.num_cells() * children.at(cell)) << cell;
    EXPECT_NEAR(checked_volume(fine), 1, 1e-12) << cell;
    expect_conforming(fine);
    EXPECT_EQ(volumes_of_regions(fine).size(), 1u);
    for (const auto &[group, count] : facets_of_groups(coarse))
      EXPECT_EQ(facets_of_groups(fine)[group], count * (box.dim == 2 ? 2 : 4)) << cell << group;
    ASSERT_EQ(coarser.size(), 1u); // three cells in y are odd
    EXPECT_EQ(coarser[0].mesh.num_cells(), coarse.num_cells());
    expect_vertices_to_have_parents(fine, coarser[0]);
    EXPECT_LT(distance_from_parents(fine, coarser[0]), 1e-15) << cell;
  }
}

TEST(Refine, KeepsGroupsOfFilesAndSeveralCellTypes) {
  const TemporaryFolder folder;
  for (const bool flat : {true, false}) {
    MeshSpec spec;
    spec.file = folder.write("mixed.msh", flat ? mixed_mesh_text(5) : mixed_mesh_3d_text(3));
    const Mesh coarse = made(spec);
    spec.refine = 2;
    std::vector<CoarserMesh> coarser;
    const Mesh fine = made(spec, &coarser);
    EXPECT_EQ(fine.num_cells(), coarse.num_cells() * (flat ? 16 : 64));
    expect_conforming(fine);
    EXPECT_NEAR(checked_volume(fine), checked_volume(coarse), flat ? 1e-12 : 1e-3);
    for (const auto &[region, volume] : volumes_of_regions(coarse))
      EXPECT_NEAR(volumes_of_regions(fine)[region], volume, flat ? 1e-12 : 1e-3) << region;
    for (const auto &[group, count] : facets_of_groups(coarse))
      EXPECT_EQ(facets_of_groups(fine)[group], count * (flat ? 4 : 16)) << group;
    ASSERT_EQ(coarser.size(), 2u);
    EXPECT_EQ(coarser[1].mesh.num_cells(), coarse.num_cells());
    expect_vertices_to_have_parents(fine, coarser[0]);
    expect_vertices_to_have_parents(coarser[0].mesh, coarser[1]);
    EXPECT_LT(distance_from_parents(fine, coarser[0]), 1e-14);
  }
}

TEST(Refine, KeepsNamedPoints) {
  const TemporaryFolder folder;
  MeshSpec spec;
  spec.file = folder.write("square.msh", square_msh2);
  const auto coarse = made(spec).point_groups.at("corner");
  spec.refine = 2;
  const Mesh fine = made(spec);
  ASSERT_EQ(fine.point_groups.at("corner"), coarse);
  EXPECT_EQ(fine.coordinates[2 * coarse[0]], 0);
  EXPECT_EQ(fine.coordinates[2 * coarse[0] + 1], 0);
}

// The lower side of one triangle is the arc y = x (1 - x) over [0, 1], by its three nodes.
TEST(Refine, CurvedCellsAreSplitOnTheirGeometry) {
  const TemporaryFolder folder;
  const std::string text = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 1 0 0
3 0.5 1 0
4 0.5 0.25 0
5 0.75 0.5 0
6 0.25 0.5 0
$EndNodes
$Elements
2
1 8 2 7 1 1 2 4
2 9 2 1 1 1 2 3 4 5 6
$EndElements
)";
  MeshSpec spec;
  spec.file = folder.write("curved.msh", text);
  spec.order = 2;
  spec.refine = 2;
  const Mesh mesh = made(spec);
  EXPECT_EQ(mesh.num_cells(), 16);
  int on_arc = 0;
  for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
    const Facet &facet = mesh.facets[f];
    if (mesh.facet_classes[facet.facet_class].groups.empty())
      continue;
    ++on_arc;
    const CellSet &set = mesh.sets[facet.minus.set];
    for (const int i : facet_geometry_nodes(set.type, facet.minus.facet, 2)) {
      const double *x =
          &mesh.coordinates[2 * std::int64_t(set.nodes[facet.minus.cell * set.nodes_per_cell + i])];
      EXPECT_NEAR(x[1], x[0] * (1 - x[0]), 1e-15);
    }
  }
  EXPECT_EQ(on_arc, 4);
}

TEST(Refine, StraightCellsOfOrderTwoStayStraight) {
  for (const std::string cell :
       {"triangle", "quadrilateral", "tetrahedron", "prism", "hexahedron"}) {
    BoxSpec box = box_spec(cell, {2, 1, 1});
    const Mesh once = made(box_mesh(box, 1, 2));
    EXPECT_NEAR(checked_volume(once), 1, 1e-12) << cell;
    // Its nodes are the vertices of the next refinement.
    EXPECT_EQ(once.num_nodes(), made(box_mesh(box, 2, 1)).num_nodes()) << cell;
  }
}

TEST(Refine, PeriodicSidesStayPeriodic) {
  for (const std::string cell : all_cells)
    for (const int order : {1, 2}) {
      if (order == 2 && cell == std::string("pyramid"))
        continue;
      BoxSpec box = box_spec(cell, {3, 3, 3});
      box.periodic = {true, false, false};
      const Mesh mesh = made(box_mesh(box, 1, order));
      BoxSpec fine = box;
      fine.cells = {6, 6, 6};
      EXPECT_EQ(mesh.periodic_master.size(), made(box_mesh(fine, 0, order)).periodic_master.size())
          << cell;
      for (const auto &[node, master] : mesh.periodic_master) {
        EXPECT_EQ(mesh.coordinates[std::int64_t(node) * mesh.dim], 1);
        EXPECT_EQ(mesh.coordinates[std::int64_t(master) * mesh.dim], 0);
        for (int d = 1; d < mesh.dim; ++d)
          EXPECT_NEAR(mesh.coordinates[std::int64_t(node) * mesh.dim + d],
                      mesh.coordinates[std::int64_t(master) * mesh.dim + d], 1e-15);
      }
    }
}

TEST(Refine, PyramidsOfOrderTwoAreRefused) {
  expect_error(ErrorKind::unsupported, {"Pyramids", "order = 1"}, [] {
    made(box_mesh(box_spec("pyramid", {1, 1, 1}), 1, 2));
  });
}

TEST(CoarserBox, EveryVertexIsTheMeanOfItsParents) {
  for (const std::string cell : all_cells) {
    BoxSpec box = box_spec(cell, {8, 4, 4});
    std::vector<CoarserMesh> coarser;
    const Mesh mesh = made(box_mesh(box, 0), &coarser);
    ASSERT_EQ(coarser.size(), 2u) << cell;
    expect_vertices_to_have_parents(mesh, coarser[0]);
    expect_vertices_to_have_parents(coarser[0].mesh, coarser[1]);
    EXPECT_LT(distance_from_parents(mesh, coarser[0]), 1e-15) << cell;
    EXPECT_LT(distance_from_parents(coarser[0].mesh, coarser[1]), 1e-15) << cell;
    for (const auto &level : coarser) {
      EXPECT_NEAR(checked_volume(level.mesh), 1, 1e-12);
      EXPECT_EQ(level.mesh.facet_group_names(), mesh.facet_group_names());
    }
  }
}

TEST(CoarserBox, LiesOnTheNodesOfADistortedBox) {
  for (const std::string cell : all_cells) {
    BoxSpec box = box_spec(cell, {4, 4, 4});
    box.distort = 0.25;
    box.periodic = {false, false, false};
    std::vector<CoarserMesh> coarser;
    MeshSpec spec = box_mesh(box, 1);
    spec.scale = 3;
    const Mesh mesh = made(spec, &coarser);
    ASSERT_EQ(coarser.size(), 3u) << cell; // one refinement, two coarser boxes
    for (std::size_t l = 0; l < coarser.size(); ++l) {
      const Mesh &finer = l == 0 ? mesh : coarser[l - 1].mesh;
      checked_volume(coarser[l].mesh);
      for (std::int64_t n = 0; n < finer.num_nodes(); ++n)
        if (const auto parents = coarser[l].parents.of(n); parents.size() == 1) {
          for (int d = 0; d < mesh.dim; ++d)
            EXPECT_EQ(finer.coordinates[n * mesh.dim + d],
                      coarser[l].mesh.coordinates[std::int64_t(parents[0]) * mesh.dim + d]);
        }
    }
  }
}

TEST(CoarserBox, WhatCannotBeCoarsenedIsSaid) {
  expect_error(ErrorKind::input, {"6 x 5 cells", "even", "refine = 1"}, [] {
    require_coarser_mesh(box_mesh(box_spec("triangle", {6, 5, 1}), 0));
  });
  BoxSpec periodic = box_spec("hexahedron", {4, 4, 4});
  periodic.periodic = {true, false, false};
  expect_error(ErrorKind::input, {"4 x 4 x 4 cells", "6 or more"},
               [&] { require_coarser_mesh(box_mesh(periodic, 0)); });
  MeshSpec file;
  file.file = "part.msh";
  expect_error(ErrorKind::input, {"not refined", "refine = 1"},
               [&] { require_coarser_mesh(file); });
  file.refine = 1;
  EXPECT_NO_THROW(require_coarser_mesh(file));
  EXPECT_NO_THROW(require_coarser_mesh(box_mesh(periodic, 1)));
}

} // namespace
} // namespace weft
