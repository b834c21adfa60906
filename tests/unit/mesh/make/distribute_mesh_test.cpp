// Parts of meshes that ranks get or make: together they are the whole, and errors reach all.
#include "mesh/make/distribute_mesh.h"

#include <atomic>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh/parts/box_pieces.h"
#include "mesh/parts/piece_bytes.h"
#include "ranks/thread_ranks.h"
#include "support/cut_mesh.h"
#include "support/mesh_files.h"
#include "support/mixed_mesh.h"
#include "support/mixed_mesh_3d.h"
#include "support/row_mesh.h"

namespace weft {
namespace {

double nodes_of(CellType type) {
  return num_vertices(type);
}

std::vector<Mesh> distribute(const MeshSpec &spec, int size, std::int64_t least_cells) {
  std::vector<Mesh> parts(size);
  run_thread_ranks(size, [&](Communicator &ranks) {
    Timings timings;
    parts[ranks.rank()] = distribute_mesh(spec, ranks, nodes_of, timings, {}, least_cells);
  });
  return parts;
}

// Whether it is refined before or after it is handed out.
void expect_parts_of(const MeshSpec &spec, const std::string &what) {
  Timings timings;
  const Mesh whole = make_whole_mesh(spec, timings);
  for (const int size : {1, 2, 3, 5})
    for (const std::int64_t least_cells : {1, 2000})
      expect_parts_of_mesh({whole, distribute(spec, size, least_cells)},
                           fmt::format("{} in {}, {} cells at least", what, size, least_cells));
}

MeshSpec box(const std::string &cell, int order, int refine,
             std::array<bool, 3> periodic = {false, false, false}) {
  MeshSpec spec;
  spec.order = order;
  spec.refine = refine;
  const int dim = dimension(cell_type_from_name(cell));
  spec.box = BoxSpec{.dim = dim,
                     .origin = {0.1, -0.3, 2},
                     .size = {1, 0.7, 1.3},
                     .cells = dim == 2 ? std::array{12, 15, 1} : std::array{2, 6, 5},
                     .cell = cell,
                     .distort = 0.2,
                     .periodic = periodic};
  return spec;
}

TEST(DistributeMesh, BoxesAndWhatTheyAreRefinedTo) {
  for (const char *cell :
       {"triangle", "quadrilateral", "tetrahedron", "hexahedron", "prism", "pyramid"})
    for (const int order : {1, 2})
      for (int refine = 0; refine < (order == 2 && cell == std::string("pyramid") ? 1 : 2);
           ++refine)
        expect_parts_of(box(cell, order, refine),
                        fmt::format("{} order {} refined {}", cell, order, refine));
}

TEST(DistributeMesh, RefinedTwice) {
  expect_parts_of(box("triangle", 2, 3), "triangles three times");
  expect_parts_of(box("pyramid", 1, 2), "pyramids twice");
  expect_parts_of(box("tetrahedron", 1, 2), "tetrahedra twice");
}

TEST(DistributeMesh, PeriodicSides) {
  expect_parts_of(box("quadrilateral", 1, 1, {true, true, false}), "quadrilaterals");
  expect_parts_of(box("triangle", 2, 2, {false, true, false}), "triangles");
  expect_parts_of(box("tetrahedron", 2, 1, {false, true, true}), "tetrahedra");
  expect_parts_of(box("prism", 1, 1, {true, true, true}), "prisms, two layers");
  MeshSpec pairs = box("triangle", 1, 1);
  pairs.periodic = {{"x0", "x1"}};
  expect_parts_of(pairs, "pairs of groups");
}

TEST(DistributeMesh, FilesOfMixedCells) {
  const TemporaryFolder folder;
  for (const int refine : {0, 1, 2}) {
    MeshSpec spec;
    spec.file = folder.write("mixed_3d.msh", mixed_mesh_3d_text(2));
    spec.refine = refine;
    expect_parts_of(spec, fmt::format("3D refined {}", refine));
    spec.file = folder.write("mixed.msh", mixed_mesh_text(8));
    spec.order = 2;
    expect_parts_of(spec, fmt::format("2D of order 2 refined {}", refine));
    spec.order = 1;
    spec.file = folder.write("row.msh", row_text(9));
    expect_parts_of(spec, fmt::format("with groups inside refined {}", refine));
  }
}

// Tetrahedra that stand on one another, with a group of faces between them and a named point.
std::string tower_text() {
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 1 \"tip\"\n2 2 "
         "\"between\"\n3 3 \"tower\"\n$EndPhysicalNames\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
         "4 0 0 1\n5 1 1 1\n6 1 1 2\n$EndNodes\n$Elements\n6\n1 4 2 3 1 1 2 3 4\n"
         "2 4 2 3 1 2 3 4 5\n3 4 2 3 1 4 2 5 6\n4 2 2 2 1 2 3 4\n5 2 2 2 1 2 4 5\n6 15 2 1 1 6\n"
         "$EndElements\n";
}

TEST(DistributeMesh, FacesInsideAndNamedPoints) {
  const TemporaryFolder folder;
  MeshSpec spec;
  spec.file = folder.write("tower.msh", tower_text());
  for (spec.refine = 0; spec.refine < 3; ++spec.refine)
    for (spec.order = 1; spec.order <= 2; ++spec.order)
      expect_parts_of(spec, fmt::format("refined {} order {}", spec.refine, spec.order));
}

TEST(DistributeMesh, FewerCellsThanRanks) {
  MeshSpec spec;
  spec.box = box_spec("quadrilateral", {2, 1, 1});
  expect_parts_of(spec, "two cells");
  spec.refine = 1;
  expect_parts_of(spec, "two cells refined");
}

TEST(DistributeMesh, BricksAreOfAboutEqualSizeOrAreNotTaken) {
  const BoxSpec cube{.dim = 3, .cells = {40, 40, 40}, .cell = "hexahedron"};
  for (const int parts : {1, 2, 3, 4, 8}) {
    const auto bricks = cut_box(cube, parts);
    ASSERT_TRUE(bricks) << parts;
    std::int64_t sum = 0;
    for (const Brick &brick : *bricks) {
      std::int64_t boxes = 1;
      for (int d = 0; d < 3; ++d)
        boxes *= brick.high[d] - brick.low[d];
      EXPECT_NEAR(double(boxes), 64000.0 / parts, 0.03 * 64000 / parts) << parts;
      sum += boxes;
    }
    EXPECT_EQ(sum, 64000) << parts;
  }
  EXPECT_FALSE(cut_box({.dim = 3, .cells = {4, 4, 4}, .cell = "hexahedron"}, 3));
}

// What is wrong is said on all ranks, wherever it is found.
TEST(DistributeMesh, WhatCannotBeRefinedIsAnErrorOfAll) {
  const MeshSpec spec = box("pyramid", 2, 1);
  std::atomic<int> told = 0;
  run_thread_ranks(3, [&](Communicator &ranks) {
    Timings timings;
    try {
      distribute_mesh(spec, ranks, nodes_of, timings, {}, 1);
    } catch (const Error &error) {
      told += error.kind() == ErrorKind::unsupported ? 1 : 0;
    }
  });
  EXPECT_EQ(told, 3);
}

TEST(DistributeMesh, AnErrorOfTheFirstRankIsThatOfAll) {
  MeshSpec spec;
  spec.file = "/nonexistent/mesh.msh";
  std::atomic<int> told = 0;
  run_thread_ranks(3, [&](Communicator &ranks) {
    Timings timings;
    try {
      distribute_mesh(spec, ranks, nodes_of, timings);
    } catch (const Error &error) {
      told += error.kind() == ErrorKind::input || error.kind() == ErrorKind::system ? 1 : 0;
    }
  });
  EXPECT_EQ(told, 3);
}

// Every member comes back.
TEST(PieceBytes, GiveThePieceBack) {
  const TemporaryFolder folder;
  const Mesh mesh = mesh_of_file(folder.write("mixed.msh", mixed_mesh_3d_text(2)));
  std::vector<std::int32_t> part(mesh.num_cells(), 0);
  part[1] = 1;
  const MeshPiece piece = whole_piece(mesh, {{{1, 2}, {3, 4}}}, part, 2);
  const std::vector<std::byte> bytes = piece_to_bytes(piece);
  const MeshPiece back = piece_from_bytes(bytes);
  EXPECT_EQ(back.mesh.dim, mesh.dim);
  EXPECT_EQ(back.mesh.coordinates, mesh.coordinates);
  ASSERT_EQ(back.mesh.sets.size(), mesh.sets.size());
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    EXPECT_EQ(back.mesh.sets[s].type, mesh.sets[s].type);
    EXPECT_EQ(back.mesh.sets[s].nodes, mesh.sets[s].nodes);
    EXPECT_EQ(back.mesh.sets[s].region, mesh.sets[s].region);
    EXPECT_EQ(back.cells[s].whole, piece.cells[s].whole);
    EXPECT_EQ(back.cells[s].part, piece.cells[s].part);
    EXPECT_EQ(back.cells[s].num_whole, piece.cells[s].num_whole);
  }
  EXPECT_EQ(back.mesh.facets.size(), mesh.facets.size());
  EXPECT_EQ(back.mesh.num_boundary_facets, mesh.num_boundary_facets);
  EXPECT_EQ(back.mesh.region_names(), mesh.region_names());
  EXPECT_EQ(back.mesh.facet_group_names(), mesh.facet_group_names());
  EXPECT_EQ(back.mesh.periodic_master, piece.mesh.periodic_master);
  EXPECT_EQ(back.links, piece.links);
  EXPECT_EQ(back.whole_nodes, piece.whole_nodes);
  EXPECT_EQ(back.num_whole_nodes, mesh.num_nodes());
  EXPECT_EQ(back.num_parts, 2);
  EXPECT_THROW(piece_from_bytes(std::span(bytes).first(bytes.size() / 2)), Error);
}

} // namespace
} // namespace weft
