#include "mesh/statistics/group_measures.h"

#include <algorithm>

#include "support/mesh_files.h"

namespace weft {
namespace {

GroupMeasure measure_of(const Mesh &mesh, const std::string &name) {
  const auto all = group_measures(mesh);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const GroupMeasure &group) { return group.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? GroupMeasure{} : *found;
}

void expect_near(const Position &x, const Position &exact, const std::string &what) {
  for (int d = 0; d < 3; ++d)
    EXPECT_NEAR(x[d], exact[d], 1e-14) << what;
}

TEST(GroupMeasures, OfBoxes) {
  for (const std::string cell : all_cells) {
    BoxSpec box = box_spec(cell, {2, 3, 2});
    box.origin = {1, -1, 0.5};
    box.size = {2, 3, 0.5};
    const bool flat = box.dim == 2;
    const double z = flat ? 0 : 0.75, depth = flat ? 1 : 0.5;
    const Mesh mesh = mesh_of_box(box);
    const GroupMeasure region = measure_of(mesh, "box");
    EXPECT_EQ(region.count, mesh.num_cells()) << cell;
    EXPECT_NEAR(region.measure, 6 * depth, 1e-13) << cell;
    const GroupMeasure side = measure_of(mesh, "x1");
    EXPECT_NEAR(side.measure, 3 * depth, 1e-13) << cell;
    expect_near(side.centre, {3, 0.5, z}, cell);
    expect_near(side.normal, {1, 0, 0}, cell);
    expect_near(measure_of(mesh, "y0").normal, {0, -1, 0}, cell);
  }
}

// A tetrahedron whose file names an edge, and one whose edge has the number of its curve alone.
TEST(GroupMeasures, OfCurvesAndPointsOfAFile) {
  const TemporaryFolder folder;
  const Mesh mesh = mesh_of_file(folder.write("cell.msh", R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
0 3 "tip"
1 2 "rail"
3 1 "body"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 3 0 0
3 0 2 0
4 0 0 1
$EndNodes
$Elements
4
1 15 2 3 7 4
2 1 2 2 5 2 1
3 1 2 0 6 1 3
4 4 2 1 1 1 2 3 4
$EndElements
)"));
  EXPECT_EQ(mesh.edge_groups.at("rail"), (std::vector<Edge>{{0, 1}}));
  const GroupMeasure rail = measure_of(mesh, "rail");
  EXPECT_EQ(rail.dim, 1);
  EXPECT_EQ(rail.measure, 3);
  expect_near(rail.centre, {1.5, 0, 0}, "rail");
  EXPECT_EQ(measure_of(mesh, "curve_6").measure, 2);
  expect_near(measure_of(mesh, "tip").centre, {0, 0, 1}, "tip");
  EXPECT_EQ(measure_of(mesh, "body").measure, 1);
}

} // namespace
} // namespace weft
