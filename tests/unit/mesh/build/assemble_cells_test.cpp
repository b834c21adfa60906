// The rules of groups, orientation and dimensions of the case language.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "mesh/cell_volume.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

// An MSH 2.2 file from its lists of nodes and elements.
std::string msh2(const std::vector<std::string> &nodes, const std::vector<std::string> &elements,
                 const std::string &names = "") {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + names;
  text += fmt::format("$Nodes\n{}\n", nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text += fmt::format("{} {}\n", i + 1, nodes[i]);
  text += fmt::format("$EndNodes\n$Elements\n{}\n", elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    text += fmt::format("{} {}\n", i + 1, elements[i]);
  return text + "$EndElements\n";
}

const std::vector<std::string> square = {"0 0 0", "1 0 0", "1 1 0", "0 1 0"};
// Corners of a tetrahedron and its mirror image.
const std::vector<std::string> two_tets = {"0 0 0", "1 0 0", "0 1 0", "0 0 1", "0 0 -1"};

TEST(Assemble, UngroupedGeometryIsNamedByItsEntity) {
  const TemporaryFolder folder;
  const Mesh flat = mesh_of_file(
      folder.write("a.msh", msh2(square, {"1 2 0 7 1 2", "2 2 0 3 1 2 3", "2 2 0 4 1 3 4"})));
  EXPECT_EQ(flat.region_names(), (std::vector<std::string>{"surface_3", "surface_4"}));
  EXPECT_EQ(flat.facet_group_names(), std::vector<std::string>{"curve_7"});
  const Mesh solid = mesh_of_file(folder.write(
      "b.msh", msh2(two_tets, {"4 2 0 1 1 2 3 4", "4 2 0 1 1 3 2 5", "2 2 0 9 1 2 3"})));
  EXPECT_EQ(solid.region_names(), std::vector<std::string>{"volume_1"});
  EXPECT_EQ(solid.facet_group_names(), std::vector<std::string>{"surface_9"});
  // The surface lies between the cells: an interior facet with a group, after the boundary.
  ASSERT_EQ(solid.num_boundary_facets, 6);
  ASSERT_EQ(solid.facets.size(), 7u);
  EXPECT_GE(solid.facets[6].plus.cell, 0);
  EXPECT_EQ(solid.facet_classes[solid.facets[6].facet_class].groups[0], "surface_9");
  const auto interior = interior_facets(solid);
  ASSERT_EQ(interior.size(), 1u);
  EXPECT_EQ(interior[0].facet_class, solid.facets[6].facet_class);
}

TEST(Assemble, CellsInSeveralGroupsFormAClass) {
  const TemporaryFolder folder;
  const std::string names = "$PhysicalNames\n2\n2 1 \"a\"\n2 2 \"b\"\n$EndPhysicalNames\n";
  // MSH 2 lists the first triangle twice, once for each of its groups.
  const Mesh mesh = mesh_of_file(folder.write(
      "a.msh", msh2(square, {"2 2 1 5 1 2 3", "2 2 2 5 1 2 3", "2 2 2 6 1 3 4"}, names)));
  ASSERT_EQ(mesh.num_cells(), 2);
  EXPECT_EQ(mesh.region_names(), (std::vector<std::string>{"a", "b"}));
  std::vector<std::vector<std::string>> groups;
  for (auto region : mesh.sets[0].region)
    groups.push_back(mesh.region_classes[region].groups);
  std::sort(groups.begin(), groups.end());
  EXPECT_EQ(groups, (std::vector<std::vector<std::string>>{{"a", "b"}, {"b"}}));
}

TEST(Assemble, ReversedRegionsAreMirrored) {
  const TemporaryFolder folder;
  const Mesh mesh =
      mesh_of_file(folder.write("a.msh", msh2(two_tets, {"4 2 0 1 2 1 3 4", "4 2 0 2 1 3 2 5"})));
  const CellSet &set = mesh.sets[0];
  for (int c = 0; c < 2; ++c)
    EXPECT_NEAR(
        cell_size(set.type, std::span(set.nodes).subspan(4 * c, 4), mesh.coordinates.data(), 3)
            .volume,
        1.0 / 6, 1e-15);
}

TEST(Assemble, SecondOrderCellsAreMirroredWithTheirEdges) {
  const TemporaryFolder folder;
  // A reversed triangle with a curved edge between its vertices 2 and 3, at (0.6, 0.6).
  const Mesh mesh = mesh_of_file(
      folder.write("a.msh", msh2({"0 0 0", "0 1 0", "1 0 0", "0 0.5 0", "0.6 0.6 0", "0.5 0 0"},
                                 {"9 2 0 1 1 2 3 4 5 6"})),
      2);
  const CellSet &set = mesh.sets[0];
  for (int e = 0; e < 3; ++e) {
    const auto edge = edge_vertices(CellType::triangle, e);
    for (int d = 0; d < 2; ++d) {
      const double a = mesh.coordinates[2 * set.nodes[edge[0]] + d];
      const double b = mesh.coordinates[2 * set.nodes[edge[1]] + d];
      EXPECT_NEAR(mesh.coordinates[2 * set.nodes[3 + e] + d], (a + b) / 2, e == 1 ? 0.11 : 1e-15);
    }
  }
}

TEST(Assemble, BadCellsAreCountedAndNamed) {
  const TemporaryFolder folder;
  const auto expect_bad = [&](const std::string &text, const std::vector<std::string> &parts) {
    const std::string file = folder.write("bad.msh", text);
    expect_error(ErrorKind::input, parts, [&] { mesh_of_file(file); });
  };
  expect_bad(msh2(two_tets, {"4 2 0 1 1 2 3 4", "4 2 0 1 1 2 3 5"}),
             {"both orientations", "volume_1", "1 tetrahedron cells", "2 (of 2"});
  expect_bad(msh2(square, {"2 2 0 1 1 2 3", "2 2 0 1 1 3 3"}),
             {"zero volume", "1 triangle cells, first numbers: 2"});
  expect_bad(
      msh2({"0 0 0", "1 0 0", "1 1 0", "0 1 0", "0.3 0.3 0"}, {"3 2 0 1 1 2 3 4", "1 2 0 8 1 3"}),
      {"no facets of cells", "1 elements, first numbers: 2"});
  expect_bad(msh2({"0 0 0", "1 0 0", "1 1 0", "5 5 0"}, {"2 2 0 1 1 2 3", "1 2 0 8 1 4"}),
             {"no facets of cells"});
  expect_bad(msh2(two_tets, {"4 2 0 1 1 2 3 4", "1 2 0 1 4 5"}), {"no edges of cells"});
  expect_bad(msh2(square, {"2 2 0 1 1 2 3", "2 2 0 1 1 2 4", "2 2 0 1 1 2 3"}),
             {"More than two cells share a facet", "3 cells"});
  expect_bad(msh2(square, {"1 2 0 1 1 2"}), {"has no cells"});
}

TEST(Assemble, FlatMeshesAreTwoDimensionalWhateverTheirHeight) {
  const TemporaryFolder folder;
  const std::vector<std::string> high = {"0 0 7", "1 0 7", "1 1 7", "0 1 7", "9 9 7"};
  MeshSpec spec;
  spec.file = folder.write("a.msh", msh2(high, {"3 2 0 1 1 2 3 4"}));
  spec.scale = 1e-3;
  Timings timings;
  const Mesh mesh = make_mesh(spec, timings);
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.num_nodes(), 4); // the unused one is dropped
  EXPECT_EQ(*std::max_element(mesh.coordinates.begin(), mesh.coordinates.end()), 1e-3);
  expect_error(ErrorKind::unsupported, {"surface"}, [&] {
    mesh_of_file(folder.write("b.msh", msh2({"0 0 0", "1 0 0", "1 1 1"}, {"2 2 0 1 1 2 3"})));
  });
}

TEST(Assemble, MixedCellTypesMeetAtTheirFacets) {
  const TemporaryFolder folder;
  // A hexahedron with a pyramid on top and a prism at its side, a tetrahedron on the pyramid.
  const Mesh mesh = mesh_of_file(folder.write(
      "a.msh", msh2({"0 0 0", "1 0 0", "1 1 0", "0 1 0", "0 0 1", "1 0 1", "1 1 1", "0 1 1",
                     "0.5 0.5 2", "2 0 0", "2 0 1", "1.5 0.5 2"},
                    {"5 2 0 1 1 2 3 4 5 6 7 8", "7 2 0 1 5 6 7 8 9", "6 2 0 1 2 10 3 6 11 7",
                     "4 2 0 1 6 7 9 12", "3 2 0 5 2 3 7 6", "2 2 0 6 6 7 9"})));
  EXPECT_EQ(mesh.sets.size(), 4u);
  EXPECT_EQ(interior_facets(mesh).size(), 3u);
  EXPECT_EQ(mesh.num_boundary_facets, 6 + 5 + 5 + 4 - 2 * 3);
  EXPECT_EQ(mesh.facet_group_names(), (std::vector<std::string>{"surface_5", "surface_6"}));
  for (const auto &facet : interior_facets(mesh))
    EXPECT_NE(facet.minus.set, facet.plus.set);
}

TEST(Assemble, OrdersAreLoweredAndRaised) {
  const TemporaryFolder folder;
  const std::string second =
      folder.write("a.msh", msh2({"0 0 0", "1 0 0", "0 1 0", "0.5 0 0", "0.6 0.6 0", "0 0.5 0"},
                                 {"9 2 0 1 1 2 3 4 5 6", "8 2 0 2 1 2 4"}));
  const Mesh low = mesh_of_file(second, 1), high = mesh_of_file(second, 2);
  EXPECT_EQ(low.num_nodes(), 3);
  EXPECT_EQ(low.sets[0].nodes_per_cell, 3);
  EXPECT_EQ(high.num_nodes(), 6);
  EXPECT_EQ(high.geometry_order, 2);
  EXPECT_EQ(low.facet_group_names(), high.facet_group_names());
  expect_error(ErrorKind::input, {"order 1 and of order 2"}, [&] {
    mesh_of_file(folder.write(
        "b.msh", msh2({"0 0 0", "1 0 0", "0 1 0", "0.5 0 0", "0.6 0.6 0", "0 0.5 0", "1 1 0"},
                      {"9 2 0 1 1 2 3 4 5 6", "2 2 0 1 2 7 3"})));
  });
}

TEST(Assemble, PairsOfGroupsBecomePeriodic) {
  const TemporaryFolder folder;
  MeshSpec spec;
  BoxSpec box = box_spec("hexahedron", {3, 4, 2});
  box.origin = {-1, 0, 0};
  box.distort = 0.2;
  spec.box = box;
  spec.order = 2;
  spec.periodic = {{"x0", "x1"}, {"z0", "z1"}};
  Timings timings;
  const Mesh by_pairs = make_mesh(spec, timings);
  spec.periodic.clear();
  spec.box->periodic = {true, false, true};
  EXPECT_EQ(make_mesh(spec, timings).periodic_master, by_pairs.periodic_master);
  EXPECT_FALSE(by_pairs.periodic_master.empty());
  spec.periodic = {{"x0", "left"}};
  expect_error(ErrorKind::input, {"[mesh] periodic", "left", "x0, x1, y0"},
               [&] { make_mesh(spec, timings); });
  spec.periodic = {{"x0", "y0"}};
  expect_error(ErrorKind::input, {"do not match", "without partner"},
               [&] { make_mesh(spec, timings); });
}

} // namespace
} // namespace weft
