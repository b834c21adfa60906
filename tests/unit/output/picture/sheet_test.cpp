// Surfaces and slices of boxes have the areas of the box, whatever its cells.
#include "output/picture/sheet.h"

#include <cmath>
#include <gtest/gtest.h>

#include "output/picture/cell_pieces.h"
#include "support/temporary_folder.h"
#include "support/written_box.h"

namespace weft {
namespace {

struct Kind {
  const char *cell;
  int order;
  bool apart;
};

int highest_order(const std::string &cell) {
  return cell == "pyramid" || cell == "prism" ? 2 : 3;
}

std::vector<Kind> kinds(const std::vector<const char *> &cells) {
  std::vector<Kind> result;
  for (const char *cell : cells)
    for (int order = 1; order <= highest_order(cell); ++order)
      for (const bool apart : {false, true})
        result.push_back({cell, order, apart});
  return result;
}

const std::vector<const char *> solids = {"tetrahedron", "pyramid", "prism", "hexahedron"};

VtuGrid grid_of(const Kind &kind, double distort = 0) {
  const TemporaryFolder folder;
  write_box(
      folder.file("fields.vtu"),
      {.cell = kind.cell, .order = kind.order, .discontinuous = kind.apart, .distort = distort},
      [](const double *x) { return std::vector{x[0]}; });
  return read_vtu(folder.file("fields.vtu"));
}

std::array<double, 3> place(const VtuGrid &grid, const SheetVertex &v) {
  std::array<double, 3> x{};
  for (int d = 0; d < 3; ++d)
    x[d] = (1 - v.t) * grid.points[3 * v.a + d] + v.t * grid.points[3 * v.b + d];
  return x;
}

double area_of(const VtuGrid &grid, const Sheet &sheet) {
  double sum = 0;
  for (const auto &triangle : sheet.triangles) {
    const auto a = place(grid, sheet.vertices[triangle[0]]),
               b = place(grid, sheet.vertices[triangle[1]]),
               c = place(grid, sheet.vertices[triangle[2]]);
    std::array<double, 3> u{}, v{};
    for (int d = 0; d < 3; ++d) {
      u[d] = b[d] - a[d];
      v[d] = c[d] - a[d];
    }
    sum += std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                      u[0] * v[1] - u[1] * v[0]) /
           2;
  }
  return sum;
}

// The length of the sides that are edges of the mesh; those of two triangles count twice.
double outline_of(const VtuGrid &grid, const Sheet &sheet) {
  double sum = 0;
  for (std::size_t t = 0; t < sheet.triangles.size(); ++t)
    for (int e = 0; e < 3; ++e)
      if ((sheet.outlines[t] >> e & 1) != 0) {
        const auto a = place(grid, sheet.vertices[sheet.triangles[t][e]]),
                   b = place(grid, sheet.vertices[sheet.triangles[t][(e + 1) % 3]]);
        sum += std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      }
  return sum;
}

TEST(CellPieces, FillTheReferenceCell) {
  for (const auto &[cell, order] : {std::pair{CellType::tetrahedron, 3},
                                    {CellType::hexahedron, 2},
                                    {CellType::prism, 2},
                                    {CellType::pyramid, 1}}) {
    const CellPieces pieces = make_cell_pieces(cell, order);
    const std::vector<double> nodes = vtk_nodes(cell, order);
    double volume = 0;
    for (const TetrahedronPiece &piece : pieces.tetrahedra) {
      double m[3][3];
      for (int v = 0; v < 3; ++v)
        for (int d = 0; d < 3; ++d)
          m[v][d] = nodes[3 * piece.nodes[v + 1] + d] - nodes[3 * piece.nodes[0] + d];
      volume += std::abs(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) /
                6;
    }
    EXPECT_NEAR(volume, reference_volume(cell), 1e-12) << to_string(cell);
  }
  EXPECT_EQ(make_cell_pieces(CellType::tetrahedron, 3).tetrahedra.size(), 27U);
  EXPECT_EQ(make_cell_pieces(CellType::triangle, 4).faces[0].triangles.size(), 16U);
}

// 1.5 by 1 by 2, in 3 by 2 by 2 cells.
TEST(Sheet, SurfaceOfABoxHasItsArea) {
  for (const Kind &kind : kinds(solids)) {
    const VtuGrid grid = grid_of(kind);
    EXPECT_NEAR(area_of(grid, surface_of(grid)), 2 * (1.5 * 1 + 1 * 2 + 2 * 1.5), 1e-12)
        << kind.cell << kind.order << kind.apart;
  }
  for (const Kind &kind : kinds({"triangle", "quadrilateral"})) {
    const VtuGrid grid = grid_of(kind);
    EXPECT_EQ(dimension(grid), 2);
    EXPECT_NEAR(area_of(grid, surface_of(grid)), 1.5, 1e-12) << kind.cell << kind.order;
  }
}

TEST(Sheet, OutlinesOfHexahedraAreTheirEdges) {
  for (const int order : {1, 3}) {
    const VtuGrid grid = grid_of({"hexahedron", order, false});
    // Each quadrilateral of the surface has its four sides, and no diagonal.
    const double faces = 2 * (3 * 2 * (1 + 1) + 2 * 2 * (1 + 2) + 3 * 2 * (1 + 2));
    EXPECT_NEAR(outline_of(grid, surface_of(grid)), faces, 1e-12);
  }
}

TEST(Sheet, SlicesOfABoxHaveItsSections) {
  for (const Kind &kind : kinds(solids)) {
    SCOPED_TRACE(std::string(kind.cell) + std::to_string(kind.order));
    const VtuGrid grid = grid_of(kind);
    for (const double x : {0.7, 0.75, 1.0}) // within cells, and between them
      EXPECT_NEAR(area_of(grid, slice_of(grid, 0, x)), 1 * 2, 1e-9);
    EXPECT_NEAR(area_of(grid, slice_of(grid, 2, 1.3)), 1.5 * 1, 1e-9);
    EXPECT_TRUE(slice_of(grid, 1, 1.5).triangles.empty());
  }
  // Of other cells distorted faces are bent, and cut into flat pieces.
  const VtuGrid distorted = grid_of({"tetrahedron", 1, false}, 0.2);
  EXPECT_NEAR(area_of(distorted, slice_of(distorted, 0, 0.7)), 1 * 2, 1e-9);
}

// Of a hexahedron cut across, the square's sides are edges of the mesh and its diagonals are none.
TEST(Sheet, OutlinesOfSlicesAreThoseOfCells) {
  const VtuGrid grid = grid_of({"hexahedron", 2, false});
  const double squares = 2 * 2 * (2 * 0.5 + 2 * 1.0); // 2 by 2 of 0.5 by 1
  EXPECT_NEAR(outline_of(grid, slice_of(grid, 0, 0.6)), squares, 1e-9);
}

} // namespace
} // namespace weft
