#include "mesh/gmsh/read_gmsh.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "base/system/run_program.h"
#include "mesh/build/second_order.h"
#include "mesh/gmsh/write_gmsh.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

void run_gmsh(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), find_program("gmsh").string());
  ASSERT_FALSE(arguments[0].empty()) << "gmsh is not installed (apt-get install gmsh)";
  ASSERT_EQ(run_program({.arguments = arguments}).status, 0);
}

std::string replaced(std::string text, const std::string &old, const std::string &fresh) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

TEST(ReadGmsh, SquareInBothVersions) {
  const TemporaryFolder folder;
  for (const auto &text : {square_msh2, square_msh4}) {
    const Mesh mesh = mesh_of_file(folder.write("square.msh", text));
    EXPECT_EQ(mesh.dim, 2);
    EXPECT_EQ(mesh.num_nodes(), 4);
    EXPECT_EQ(mesh.num_cells(), 2);
    EXPECT_EQ(mesh.region_names(), (std::vector<std::string>{"lower", "upper"}));
    EXPECT_EQ(mesh.facet_group_names(), std::vector<std::string>{"bottom"});
    EXPECT_EQ(mesh.point_groups.at("corner"), std::vector<std::int32_t>{0});
    EXPECT_EQ(mesh.num_boundary_facets, 4);
    EXPECT_EQ(interior_facets(mesh).size(), 1u);
    int bottom = 0;
    for (const auto &facet : mesh.facets)
      bottom += !mesh.facet_classes[facet.facet_class].groups.empty();
    EXPECT_EQ(bottom, 1);
  }
}

// Gmsh's own second-order numbering of every cell type: the nodes it adds to straight cells lie in
// the middle of what our numbering says.
TEST(ReadGmsh, SecondOrderNodesOfEveryCellType) {
  const TemporaryFolder folder;
  for (const std::string cell : all_cells) {
    BoxSpec box = box_spec(cell, {2, 2, 2});
    box.distort = 0.15;
    write_gmsh(mesh_of_box(box), folder.file("linear.msh"), true);
    run_gmsh({folder.file("linear.msh"), "-o", folder.file("second.msh"), "-format", "msh41",
              "-bin", "-setnumber", "Mesh.ElementOrder", "2", "-setnumber",
              "Mesh.HighOrderOptimize", "0", box.dim == 2 ? "-2" : "-3"});
    const RawMesh raw = read_gmsh(folder.file("second.msh"));
    int cells = 0;
    for (const auto &elements : raw.elements) {
      if (dimension(elements.type) < box.dim)
        continue;
      ASSERT_EQ(elements.order, 2) << cell;
      cells += elements.size();
      const auto &supports = second_order_supports(elements.type);
      for (std::int64_t c = 0; c < elements.size(); ++c) {
        const std::int32_t *nodes = &elements.nodes[c * elements.nodes_per_element];
        for (std::size_t s = 0; s < supports.size(); ++s)
          for (int d = 0; d < 3; ++d) {
            double mean = 0;
            for (int v : supports[s])
              mean += raw.coordinates[3 * nodes[v] + d] / supports[s].size();
            EXPECT_NEAR(raw.coordinates[3 * nodes[num_vertices(elements.type) + s] + d], mean, 1e-9)
                << cell << " node " << s;
          }
      }
    }
    EXPECT_GT(cells, 0);
  }
}

struct Summary {
  std::int64_t cells, nodes, facets;
  std::vector<std::string> regions, groups;
  std::size_t periodic, corner;
  bool operator==(const Summary &) const = default;
};

Summary summary(const Mesh &mesh) {
  const auto corner = mesh.point_groups.find("corner");
  return {mesh.num_cells(),
          mesh.num_nodes(),
          static_cast<std::int64_t>(mesh.facets.size()),
          mesh.region_names(),
          mesh.facet_group_names(),
          mesh.periodic_master.size(),
          corner == mesh.point_groups.end() ? 0 : corner->second.size()};
}

const char *const periodic_geo = R"(
lc = 0.4;
Point(1) = {0,0,0,lc}; Point(2) = {1,0,0,lc}; Point(3) = {1,1,0,lc}; Point(4) = {0,1,0,lc};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {4,3}; Line(4) = {1,4};
Curve Loop(1) = {1,2,-3,-4}; Plane Surface(1) = {1};
Periodic Curve{2} = {4} Translate{1,0,0};
Physical Curve("left") = {4}; Physical Curve("right") = {-2}; Physical Curve(99) = {1};
Physical Surface("box") = {1}; Physical Surface("other", 7) = {1}; Physical Point("corner") = {1};
)";

TEST(ReadGmsh, AllFormatsOfGmshGiveTheSameMesh) {
  const TemporaryFolder folder;
  const std::string geo = folder.write("periodic.geo", periodic_geo);
  for (const char *order : {"1", "2"}) {
    std::vector<Summary> found;
    for (const std::string format : {"msh22", "msh41"})
      for (bool binary : {false, true}) {
        const std::string file = folder.file(format + (binary ? "b" : "a") + order + ".msh");
        std::vector<std::string> arguments = {geo,       "-2",   "-order", order,
                                              "-format", format, "-o",     file};
        if (binary)
          arguments.push_back("-bin");
        run_gmsh(arguments);
        const Mesh mesh = mesh_of_file(file, order[0] - '0');
        found.push_back(summary(mesh));
        for (const auto &[node, master] : mesh.periodic_master) {
          EXPECT_NEAR(mesh.coordinates[2 * node], 1, 1e-9);
          EXPECT_NEAR(mesh.coordinates[2 * master], 0, 1e-9);
          EXPECT_NEAR(mesh.coordinates[2 * node + 1], mesh.coordinates[2 * master + 1], 1e-9);
        }
      }
    for (const auto &each : found)
      EXPECT_TRUE(each == found[0]);
    EXPECT_EQ(found[0].regions, (std::vector<std::string>{"box", "other"}));
    EXPECT_EQ(found[0].groups, (std::vector<std::string>{"left", "physical_99", "right"}));
    EXPECT_EQ(found[0].corner, 1u);
    // All nodes of the right side: 1 + edges, and as many again less one for order 2.
    EXPECT_GE(found[0].periodic, 3u);
    EXPECT_EQ(found[0].periodic % 2, order[0] == '1' ? found[0].periodic % 2 : 1);
  }
}

TEST(ReadGmsh, WhatIsWrittenReadsBack) {
  const TemporaryFolder folder;
  for (const std::string cell : all_cells)
    for (int order : {1, 2})
      for (bool binary : {false, true}) {
        BoxSpec box = box_spec(cell, {3, 2, 2});
        box.distort = 0.2;
        box.periodic = {true, false, false};
        const Mesh mesh = mesh_of_box(box, order);
        write_gmsh(mesh, folder.file("box.msh"), binary);
        const Mesh back = mesh_of_file(folder.file("box.msh"), order);
        EXPECT_EQ(back.coordinates, mesh.coordinates) << cell; // bit for bit, in ASCII too
        EXPECT_TRUE(summary(back) == summary(mesh)) << cell << order << binary;
        EXPECT_EQ(back.periodic_master, mesh.periodic_master);
      }
}

TEST(ReadGmsh, ErrorsNameFileLineAndFinding) {
  const TemporaryFolder folder;
  // Old text, new text, the line of the error, what its message holds.
  struct Case {
    const std::string &mesh;
    const char *old, *fresh;
    int line;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {square_msh2, "1 1 1 2 3\n", "1 1 1 2 7\n", 22, {"node number has no node", "7"}},
      {square_msh2, "2 1 0 0", "2 1 zero 0", 14, {"coordinate", "zero"}},
      {square_msh2, "2 1 0 0", "2 1 nan 0", 14, {"finite"}},
      {square_msh2, "2 1 0 0", "1 1 0 0", 16, {"given twice", "1"}},
      {square_msh2, "$Nodes\n4", "$Nodes\n400000000", 12, {"number of nodes", "400000000"}},
      {square_msh2, "$Nodes\n4", "$Nodes\n3", 16, {"$Nodes does not end", "4"}},
      {square_msh2, "2.2 0 8", "2.2 0 4", 2, {"format line", "0 4"}},
      {square_msh2, "\"bottom\"", "\"boundary\"", 7, {"reserved word", "boundary"}},
      {square_msh2, "\"bottom\"", "bottom", 7, {"no name in quotes"}},
      {square_msh2, "$EndElements\n", "", 24, {"$Elements does not end", "$EndElements"}},
      {square_msh4, "2 1 2 1\n", "3 1 2 1\n", 36, {"another dimension", "triangle"}},
      {square_msh4, "2 1 2 1\n", "2 1 2 99999\n", 36, {"number of elements"}},
  };
  for (const auto &bad : cases) {
    std::vector<std::string> parts = bad.parts;
    parts.push_back(fmt::format("bad.msh:{}", bad.line));
    const std::string file = folder.write("bad.msh", replaced(bad.mesh, bad.old, bad.fresh));
    expect_error(ErrorKind::input, parts, [&] { mesh_of_file(file); });
  }
  expect_error(ErrorKind::input, {"missing.msh", "does not exist"},
               [&] { mesh_of_file(folder.file("missing.msh")); });
  expect_error(ErrorKind::input, {"no Gmsh mesh"},
               [&] { mesh_of_file(folder.write("empty.msh", "")); });
}

TEST(ReadGmsh, WhatIsNotReadIsRefusedByName) {
  const TemporaryFolder folder;
  const auto expect_unsupported = [&](const std::string &text, std::vector<std::string> parts) {
    const std::string file = folder.write("bad.msh", text);
    expect_error(ErrorKind::unsupported, parts, [&] { mesh_of_file(file); });
  };
  expect_unsupported(replaced(square_msh4, "4.1 0 8", "4.0 0 8"), {"version", "2.2, 4.1"});
  expect_unsupported(replaced(square_msh2, "3 2 2 1 1 1 2 3", "3 16 2 1 1 1 2 3 4 1 2 3 4"),
                     {"type 16", "complete order 2"});
  expect_unsupported(replaced(square_msh4, "$Nodes", "$PartitionedEntities\n1\n$Nodes"),
                     {"partitioned"});
  std::string other_order = "$MeshFormat\n4.1 1 8\n";
  other_order += std::string("\0\0\0\1", 4) + "\n$EndMeshFormat\n";
  expect_unsupported(other_order, {"byte order"});
}

TEST(ReadGmsh, BinaryErrorsNameTheByte) {
  const TemporaryFolder folder;
  write_gmsh(mesh_of_box(box_spec("tetrahedron", {2, 2, 2})), folder.file("box.msh"), true);
  std::ifstream in(folder.file("box.msh"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const auto nodes = bytes.find("$Elements");
  ASSERT_NE(nodes, std::string::npos);
  const std::string file = folder.write("cut.msh", bytes.substr(0, nodes + 500));
  expect_error(ErrorKind::input, {"cut.msh, byte ", "number of elements"},
               [&] { mesh_of_file(file); });
}

TEST(ReadGmsh, SparseNodeNumbersAreFound) {
  const TemporaryFolder folder;
  std::string text = square_msh2;
  text = replaced(text, "\n4 0 1 0", "\n4000000000000 0 1 0");
  text = replaced(text, "2 2 1 3 4", "2 2 1 3 4000000000000");
  const Mesh mesh = mesh_of_file(folder.write("sparse.msh", text));
  EXPECT_EQ(mesh.num_cells(), 2);
}

} // namespace
} // namespace weft
