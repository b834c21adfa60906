// Boundary facets that lie on one another: along cracks, and where parts were meshed apart.
#include "mesh/build/unjoined_facets.h"

#include <algorithm>

#include "mesh/position.h"
#include "support/mesh_files.h"

namespace weft {
namespace {

constexpr const char *six_cells[] = {"triangle", "quadrilateral", "tetrahedron",
                                     "pyramid",  "prism",         "hexahedron"};

// Both meshes as one, which shares no node between them.
Mesh beside(Mesh a, const Mesh &b) {
  const auto first_node = static_cast<std::int32_t>(a.num_nodes());
  const auto first_set = static_cast<std::int32_t>(a.sets.size());
  a.coordinates.insert(a.coordinates.end(), b.coordinates.begin(), b.coordinates.end());
  for (CellSet set : b.sets) {
    for (std::int32_t &node : set.nodes)
      node += first_node;
    a.sets.push_back(std::move(set));
  }
  a.facets.resize(a.num_boundary_facets);
  for (std::int64_t f = 0; f < b.num_boundary_facets; ++f) {
    Facet facet = b.facets[f];
    facet.minus.set += first_set;
    facet.facet_class = 0;
    a.facets.push_back(facet);
  }
  a.num_boundary_facets += b.num_boundary_facets;
  return a;
}

// The unit box, and one of the same size beside it in x, with other cells.
Mesh two_boxes(const std::string &cell, std::array<int, 3> cells, std::array<int, 3> other_cells,
               double at = 1) {
  BoxSpec other = box_spec(cell, other_cells);
  other.origin[0] = at;
  return beside(mesh_of_box(box_spec(cell, cells)), mesh_of_box(other));
}

std::int64_t facets_of_side(const std::string &cell, std::array<int, 3> cells) {
  const Mesh box = mesh_of_box(box_spec(cell, cells));
  return std::count_if(box.facets.begin(), box.facets.end(), [&](const Facet &f) {
    return box.facet_classes[f.facet_class].groups == std::vector<std::string>{"x1"};
  });
}

TEST(UnjoinedFacets, OneBoxHasNone) {
  for (const std::string cell : six_cells) {
    SCOPED_TRACE(cell);
    BoxSpec box = box_spec(cell, {3, 2, 2});
    box.distort = 0.2;
    for (const bool periodic : {false, true}) {
      box.periodic[0] = periodic;
      const UnjoinedFacets found = find_unjoined_facets(mesh_of_box(box));
      EXPECT_TRUE(found.doubled.empty() && found.double_nodes.empty());
      EXPECT_TRUE(found.overlapping.empty() && found.hanging_nodes.empty());
    }
  }
}

TEST(UnjoinedFacets, PartsMeshedAlikeAreDoubled) {
  for (const std::string cell : six_cells) {
    SCOPED_TRACE(cell);
    const Mesh mesh = two_boxes(cell, {2, 3, 4}, {1, 3, 4});
    const UnjoinedFacets found = find_unjoined_facets(mesh);
    EXPECT_EQ(std::ssize(found.doubled), facets_of_side(cell, {2, 3, 4}));
    EXPECT_EQ(found.double_nodes.size(), mesh.dim == 2 ? 4u : 20u);
    for (const std::int32_t node : found.double_nodes)
      EXPECT_DOUBLE_EQ(position_of(mesh, node)[0], 1);
    EXPECT_TRUE(found.overlapping.empty() && found.hanging_nodes.empty());
  }
}

TEST(UnjoinedFacets, AGapIsNone) {
  for (const double at : {1 + 1e-4, 1.5}) {
    const UnjoinedFacets found =
        find_unjoined_facets(two_boxes("triangle", {2, 3, 1}, {2, 3, 1}, at));
    EXPECT_TRUE(found.doubled.empty() && found.overlapping.empty());
    const UnjoinedFacets other =
        find_unjoined_facets(two_boxes("hexahedron", {2, 3, 1}, {2, 2, 1}, at));
    EXPECT_TRUE(other.doubled.empty() && other.overlapping.empty());
  }
}

TEST(UnjoinedFacets, PeriodicNodesAreJoined) {
  Mesh mesh = two_boxes("quadrilateral", {2, 3, 1}, {2, 3, 1});
  for (const std::int32_t node : find_unjoined_facets(mesh).double_nodes)
    for (std::int32_t other = 0; other < node; ++other)
      if (position_of(mesh, node) == position_of(mesh, other))
        mesh.periodic_master[node] = other;
  ASSERT_EQ(mesh.periodic_master.size(), 4u);
  EXPECT_TRUE(find_unjoined_facets(mesh).doubled.empty());
  EXPECT_TRUE(find_unjoined_facets(mesh).double_nodes.empty());
}

TEST(UnjoinedFacets, HangingNodesBesideFinerCells) {
  for (const std::string cell : six_cells) {
    SCOPED_TRACE(cell);
    // Twice as many cells in each direction: nodes in the middle of edges and, in 3D, of squares.
    const UnjoinedFacets found = find_unjoined_facets(two_boxes(cell, {2, 2, 2}, {2, 4, 4}));
    EXPECT_TRUE(found.doubled.empty());
    EXPECT_FALSE(found.overlapping.empty());
    EXPECT_EQ(found.hanging_nodes.size(), dimension(cell_type_from_name(cell)) == 2 ? 2u : 16u);
  }
}

TEST(UnjoinedFacets, HangingNodesOfMeshesThatDoNotMatch) {
  const UnjoinedFacets found = find_unjoined_facets(two_boxes("triangle", {2, 3, 1}, {2, 5, 1}));
  EXPECT_EQ(found.overlapping.size(), 3u + 5u);
  EXPECT_EQ(found.hanging_nodes.size(), 2u + 4u);
}

TEST(UnjoinedFacets, CellsOfVeryDifferentSize) {
  const UnjoinedFacets found = find_unjoined_facets(two_boxes("triangle", {1, 1, 1}, {2, 500, 1}));
  EXPECT_EQ(found.hanging_nodes.size(), 499u);
  const UnjoinedFacets solid =
      find_unjoined_facets(two_boxes("hexahedron", {1, 1, 1}, {1, 40, 30}));
  EXPECT_EQ(solid.hanging_nodes.size(), 41u * 31 - 4);
}

} // namespace
} // namespace weft
