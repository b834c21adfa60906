#include "mesh/cell_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace weft {
namespace {

const std::vector<CellType> cells_2d_3d = {CellType::triangle,    CellType::quadrilateral,
                                           CellType::tetrahedron, CellType::pyramid,
                                           CellType::prism,       CellType::hexahedron};

// Euler: V - E + F = 2 for the 3D cells, V = E = F for polygons.
TEST(CellType, CountsObeyEuler) {
  for (CellType cell : cells_2d_3d) {
    if (dimension(cell) == 3)
      EXPECT_EQ(num_vertices(cell) - num_edges(cell) + num_facets(cell), 2) << to_string(cell);
    else
      EXPECT_TRUE(num_vertices(cell) == num_edges(cell) && num_edges(cell) == num_facets(cell));
  }
}

// Sum over facets of n.x dA / dim is the volume only if every facet looks outward.
TEST(CellType, FacetsLookOutwardAndEncloseTheReferenceVolume) {
  for (CellType cell : cells_2d_3d) {
    const auto x = reference_vertices(cell);
    double volume = 0;
    for (int f = 0; f < num_facets(cell); ++f) {
      const auto v = facet_vertices(cell, f);
      ASSERT_EQ(static_cast<int>(v.size()), num_vertices(facet_type(cell, f)));
      if (dimension(cell) == 2) {
        const double *a = &x[2 * v[0]], *b = &x[2 * v[1]];
        volume += (a[0] * b[1] - a[1] * b[0]) / 2;
        continue;
      }
      for (std::size_t k = 1; k + 1 < v.size(); ++k) {
        const double *a = &x[3 * v[0]], *b = &x[3 * v[k]], *c = &x[3 * v[k + 1]];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
      }
    }
    EXPECT_NEAR(volume, reference_volume(cell), 1e-15) << to_string(cell);
  }
}

TEST(CellType, EveryEdgeBelongsToTwoFacetsAndAscends) {
  for (CellType cell : cells_2d_3d) {
    std::set<std::array<int, 2>> seen;
    for (int e = 0; e < num_edges(cell); ++e) {
      const auto edge = edge_vertices(cell, e);
      EXPECT_LT(edge[0], edge[1]);
      EXPECT_TRUE(seen.insert(edge).second);
      int facets = 0;
      for (int f = 0; f < num_facets(cell); ++f) {
        const auto v = facet_vertices(cell, f);
        for (std::size_t k = 0; k < v.size(); ++k) {
          const int a = v[k], b = v[(k + 1) % v.size()];
          facets += std::min(a, b) == edge[0] && std::max(a, b) == edge[1];
        }
      }
      EXPECT_EQ(facets, 2) << to_string(cell) << " edge " << e;
    }
  }
}

TEST(CellType, NamesReadBackAndUnknownOnesAreRefused) {
  for (CellType cell : cells_2d_3d)
    EXPECT_EQ(cell_type_from_name(to_string(cell)), cell);
  try {
    cell_type_from_name("tetraeder");
    FAIL() << "accepted";
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("hexahedron"), std::string::npos);
  }
}

} // namespace
} // namespace weft
