// Which boundary facets are one by periodicity.
#include "mesh/build/periodic_facets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "support/mesh_files.h"

namespace weft {
namespace {

std::array<double, 3> middle_of(const Mesh &mesh, const FacetRef &ref) {
  const CellSet &set = mesh.sets[ref.set];
  const auto vertices = facet_vertices(set.type, ref.facet);
  std::array<double, 3> middle = {0, 0, 0};
  for (const int v : vertices)
    for (int d = 0; d < mesh.dim; ++d)
      middle[d] +=
          mesh.coordinates[std::int64_t(
                               set.nodes[std::int64_t(ref.cell) * set.nodes_per_cell + v]) *
                               mesh.dim +
                           d] /
          static_cast<double>(vertices.size());
  return middle;
}

Mesh periodic_box(const std::string &cell, std::array<int, 3> cells, bool along_y) {
  BoxSpec box = box_spec(cell, cells);
  box.size = {2, 3, 0.5};
  box.periodic = {true, along_y, false};
  return mesh_of_box(box);
}

bool is_in(const Mesh &mesh, const Facet &facet, const std::string &group) {
  const auto &groups = mesh.facet_classes[facet.facet_class].groups;
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

TEST(PeriodicFacets, FaceEachOtherAcrossTheBox) {
  for (const std::string cell : all_cells)
    for (const int wide : {1, 2, 3}) {
      SCOPED_TRACE(cell + " " + std::to_string(wide));
      const Mesh mesh = periodic_box(cell, {wide, 3, 2}, false);
      const std::vector<Facet> pairs = periodic_facets(mesh);
      std::int64_t on_a_side = 0;
      for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f)
        on_a_side += is_in(mesh, mesh.facets[f], "x0") ? 1 : 0;
      EXPECT_EQ(std::int64_t(pairs.size()), on_a_side);
      for (const Facet &pair : pairs) {
        const auto a = middle_of(mesh, pair.minus), b = middle_of(mesh, pair.plus);
        EXPECT_NEAR(std::abs(a[0] - b[0]), 2, 1e-12);
        EXPECT_NEAR(a[1], b[1], 1e-12);
        EXPECT_NEAR(a[2], b[2], 1e-12);
      }
    }
}

TEST(PeriodicFacets, OfTwoDirectionsAreAllOfTheBoundaryOfASquare) {
  const Mesh mesh = periodic_box("triangle", {2, 3, 1}, true);
  std::set<std::pair<int, int>> seen; // cell, facet
  for (const Facet &pair : periodic_facets(mesh))
    for (const FacetRef &ref : {pair.minus, pair.plus})
      EXPECT_TRUE(seen.insert({ref.cell, ref.facet}).second);
  EXPECT_EQ(std::int64_t(seen.size()), mesh.num_boundary_facets);
}

TEST(PeriodicFacets, WithoutPartnerAreCounted) {
  Mesh mesh = periodic_box("quadrilateral", {2, 4, 1}, false);
  // A node in the middle of the right side now has the master of its neighbour.
  std::int32_t middle = -1, neighbour = -1;
  for (const auto &[node, master] : mesh.periodic_master) {
    if (std::abs(mesh.coordinates[2 * node + 1] - 1.5) < 1e-12)
      middle = node;
    if (std::abs(mesh.coordinates[2 * node + 1] - 0.75) < 1e-12)
      neighbour = node;
  }
  ASSERT_GE(middle, 0);
  ASSERT_GE(neighbour, 0);
  mesh.periodic_master[middle] = mesh.periodic_master[neighbour];
  expect_error(ErrorKind::input, {"without a partner", "2 facets, one at (2, "},
               [&] { periodic_facets(mesh); });
}

TEST(PeriodicFacets, AreNoneWithoutPeriodicity) {
  EXPECT_TRUE(periodic_facets(mesh_of_box(box_spec("triangle", {2, 2, 1}))).empty());
}

} // namespace
} // namespace weft
