#include "mesh/statistics/quality.h"

#include <cmath>

#include "support/mesh_files.h"

namespace weft {
namespace {

TEST(Quality, CubesAndSquaresAreIdeal) {
  for (const char *cell : {"quadrilateral", "hexahedron"}) {
    const Mesh mesh = mesh_of_box(box_spec(cell, {2, 2, 2}));
    const MeshQuality quality = mesh_quality(mesh, 3);
    EXPECT_NEAR(quality.scaled_jacobian.minimum, 1, 1e-14);
    EXPECT_NEAR(quality.aspect_ratio.maximum, 1, 1e-14);
    EXPECT_NEAR(quality.volume.mean, mesh.dim == 2 ? 0.25 : 0.125, 1e-15);
    EXPECT_EQ(quality.volume.worst.size(), 3u);
  }
}

// A right isosceles triangle: longest edge sqrt(2), inradius 1 - sqrt(2)/2, smallest sine at the
// legs' ends 1/sqrt(2). Kuhn's tetrahedra: longest edge sqrt(3), area (1 + sqrt(2))/1, volume 1/6.
TEST(Quality, SimplicesOfABoxByHand) {
  const double root2 = std::sqrt(2.0), root3 = std::sqrt(3.0);
  const MeshQuality triangles = mesh_quality(mesh_of_box(box_spec("triangle", {3, 3, 1})), 1);
  EXPECT_NEAR(triangles.aspect_ratio.maximum, root2 / (2 * root3 * (1 - root2 / 2)), 1e-12);
  EXPECT_NEAR(triangles.scaled_jacobian.minimum, 2 / root3 / root2, 1e-12);
  const MeshQuality tets = mesh_quality(mesh_of_box(box_spec("tetrahedron", {1, 1, 1})), 1);
  EXPECT_NEAR(tets.aspect_ratio.mean, root3 * (1 + root2) * 2 / (2 * std::sqrt(6.0)), 1e-12);
  // The smallest corner: edges 1, sqrt(2), sqrt(3) or 1, sqrt(2), sqrt(3): det 1.
  EXPECT_NEAR(tets.scaled_jacobian.minimum, root2 / (root2 * root3), 1e-12);
}

TEST(Quality, TheWorstCellsAreFoundWorstFirst) {
  BoxSpec box = box_spec("pyramid", {4, 4, 4});
  box.distort = 0.25;
  const Mesh mesh = mesh_of_box(box);
  const MeshQuality quality = mesh_quality(mesh, 5);
  const auto &worst = quality.scaled_jacobian.worst;
  ASSERT_EQ(worst.size(), 5u);
  EXPECT_EQ(worst[0].value, quality.scaled_jacobian.minimum);
  for (std::size_t i = 0; i < worst.size(); ++i) {
    EXPECT_EQ(cell_quality(mesh, mesh.sets[worst[i].set], worst[i].cell).scaled_jacobian,
              worst[i].value);
    EXPECT_TRUE(i == 0 || worst[i - 1].value <= worst[i].value);
  }
  EXPECT_LT(quality.scaled_jacobian.maximum, 1.0 + 1e-12);
  EXPECT_GT(quality.aspect_ratio.minimum, 1.0 - 1e-12);
}

} // namespace
} // namespace weft
