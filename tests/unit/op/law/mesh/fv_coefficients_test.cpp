// Cells that share facets, and two-point coefficients of diffusion.
#include "op/law/mesh/fv_coefficients.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/fv_diffusion_case.h"

namespace weft {
namespace {

struct BoxCase {
  const char *cell;
  int dim;
};
const BoxCase box_cases[] = {{"triangle", 2}, {"quadrilateral", 2}, {"tetrahedron", 3},
                             {"pyramid", 3},  {"prism", 3},         {"hexahedron", 3}};

TEST(CellGraph, NamesEachNeighbourFromBothSides) {
  for (const auto &[cell, dim] : box_cases) {
    const Mesh mesh = fv_box(cell, dim, {3, 4, dim == 3 ? 2 : 1}, 0, true);
    const CellGraph graph = make_cell_graph(mesh);
    EXPECT_EQ(graph.num_cells, mesh.num_cells());
    std::int64_t open = 0;
    for (std::int64_t c = 0; c < graph.num_cells; ++c)
      for (int s = 0; s < graph.width; ++s) {
        const std::int64_t slot = c * graph.width + s;
        if (graph.neighbour[slot] < 0) {
          ++open;
          continue;
        }
        const std::int64_t back =
            std::int64_t(graph.neighbour[slot]) * graph.width + graph.opposite[slot];
        EXPECT_EQ(graph.neighbour[back], c);
        EXPECT_EQ(graph.opposite[back], s);
      }
    // All but the boundary facets, of which those at x0 and x1 have met; and the slots that cells
    // with fewer facets do not have.
    std::int64_t expected = 0;
    for (std::int64_t f = 0; f < mesh.num_boundary_facets; ++f) {
      const auto &groups = mesh.facet_classes[mesh.facets[f].facet_class].groups;
      expected += groups.at(0) != "x0" && groups.at(0) != "x1" ? 1 : 0;
    }
    for (const CellSet &set : mesh.sets)
      expected += set.num_cells() * (graph.width - num_facets(set.type));
    EXPECT_EQ(open, expected) << cell;
  }
}

// Values of a linear field at cells' centroids and at the middles of boundary facets.
std::vector<double> linear_field(const FvCoefficients &c) {
  std::vector<double> x;
  for (const auto &centre : c.places)
    x.push_back(2 + 3 * centre[0] - centre[1] + 0.5 * centre[2]);
  return x;
}

// Where K n is parallel to the offsets the flux of a linear field is exact, so that all cells are
// in balance.
TEST(FvCoefficients, BalanceLinearFieldsOnOrthogonalBoxes) {
  for (const auto &[cell, dim] : {BoxCase{"quadrilateral", 2}, BoxCase{"hexahedron", 3}}) {
    const Mesh mesh = fv_box(cell, dim, {4, 3, 5});
    std::vector<double> tensor;
    for (std::int64_t c = 0; c < mesh.num_cells(); ++c)
      for (int d = 0; d < dim; ++d)
        for (int e = 0; e < dim; ++e)
          tensor.push_back(d == e ? 1.0 + d : 0);
    for (const std::vector<double> &conductivity : {std::vector<double>{}, tensor}) {
      const FvCoefficients c = fv_of_mesh(mesh, conductivity);
      EXPECT_EQ(c.num_negative, 0);
      for (const double y : reference::differences(c.matrix, linear_field(c)))
        EXPECT_NEAR(y, 0, 1e-12);
    }
  }
}

// A bar of two conductivities: the flux through their interface is that of resistances in series.
TEST(FvCoefficients, JoinDifferentConductivitiesInSeries) {
  const Mesh mesh = fv_box("hexahedron", 3, {2, 1, 1}); // 1 by 0.8 by 1.2
  const CellGraph graph = make_cell_graph(mesh);
  const FvCoefficients c = make_fv_coefficients(mesh, graph, {2.0, 6.0});
  const double facet = 0.8 * 1.2, transmissibility = facet / (0.25 / 2 + 0.25 / 6);
  double sum = 0;
  for (const double value : c.matrix.value)
    sum += value;
  EXPECT_NEAR(sum, 2 * transmissibility / (0.5 * facet), 1e-12);
}

TEST(FvCoefficients, GiveWhatTheyTakeOnEveryCellType) {
  for (const auto &[cell, dim] : box_cases) {
    const Mesh mesh = fv_box(cell, dim, {4, 3, 2}, 0.2, true);
    const FvCoefficients c = make_fv_coefficients(mesh, make_cell_graph(mesh));
    double volume = 0, lost = 0, moved = 0;
    const std::vector<double> y = reference::differences(c.matrix, fv_vector(c.matrix));
    for (std::int64_t i = 0; i < c.matrix.num_rows; ++i) {
      volume += c.volume[i];
      lost += c.volume[i] * y[i];
      moved += c.volume[i] * std::abs(y[i]);
    }
    EXPECT_NEAR(volume, dim == 2 ? 0.8 : 0.96, 1e-12) << cell;
    EXPECT_LT(std::abs(lost), 1e-13 * moved) << cell;
  }
}

// Centroids of the parts of a box, weighted by volume, are the box's; facets close each cell.
TEST(FvCoefficients, HaveCentroidsOfNonPlanarCells) {
  for (const auto &[cell, dim] : box_cases) {
    const FvCoefficients c = fv_of_mesh(fv_box(cell, dim, {3, 3, 3}, 0.25));
    std::array<double, 3> sum = {0, 0, 0};
    for (std::int64_t i = 0; i < c.matrix.num_rows; ++i)
      for (int d = 0; d < dim; ++d)
        sum[d] += c.volume[i] * c.places[i][d];
    const std::array<double, 3> middle = {0.5, 0.4, 0.6};
    for (int d = 0; d < dim; ++d)
      EXPECT_NEAR(sum[d] / (dim == 2 ? 0.8 : 0.96), middle[d], 1e-12) << cell;
  }
}

// With a fibre aslant, K n points away from the facet's middle in some of Kuhn's tetrahedra.
TEST(FvCoefficients, CountAndNameNegativeOnes) {
  const Mesh mesh = fv_box("tetrahedron", 3, {2, 2, 2});
  EXPECT_EQ(fv_of_mesh(mesh).negative_cells(3), "");
  std::vector<double> tensor;
  for (std::int64_t c = 0; c < mesh.num_cells(); ++c)
    for (const double entry : {1.0, -2.0, 0.0, -2.0, 5.0, 0.0, 0.0, 0.0, 1.0})
      tensor.push_back(entry);
  const FvCoefficients c = fv_of_mesh(mesh, tensor);
  ASSERT_GT(c.num_negative, 0);
  EXPECT_EQ(c.first_negative.size(), std::min<std::size_t>(c.num_negative, 5));
  EXPECT_EQ(c.negative_cells(3).find(
                fmt::format("{} cells, first {} at (", c.num_negative, c.first_negative[0])),
            0u)
      << c.negative_cells(3);
}

TEST(FvCoefficients, RefuseTensorsThatAreNone) {
  const Mesh mesh = fv_box("quadrilateral", 2, {1, 1, 1});
  for (const std::vector<double> &wrong :
       {std::vector<double>{-1}, {NAN}, {1, 0.5, 0.4, 1}, {1, 0, 0, -1}}) {
    try {
      fv_of_mesh(mesh, wrong);
      ADD_FAILURE() << "accepted " << fmt::format("{}", fmt::join(wrong, " "));
    } catch (const Error &error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
    }
  }
}

TEST(EllpackMatrix, GivesTheSameSumsInAnotherOrder) {
  const EllpackMatrix matrix = fv_matrix(97, 4);
  std::vector<std::int32_t> cells(97);
  for (int i = 0; i < 97; ++i)
    cells[i] = i * 31 % 97;
  const std::vector<double> x = fv_vector(matrix), y = reference::differences(matrix, x);
  std::vector<double> moved(x.begin() + 97, x.end());
  for (int i = 96; i >= 0; --i)
    moved.insert(moved.begin(), x[cells[i]]);
  const std::vector<double> found = reference::differences(reordered(matrix, cells), moved);
  for (int i = 0; i < 97; ++i)
    EXPECT_EQ(found[i], y[cells[i]]);
}

} // namespace
} // namespace weft
