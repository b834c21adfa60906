#include "space/facet_frame.h"

#include <algorithm>

#include <gtest/gtest.h>

#include <Eigen/LU>

namespace weft {
namespace {

TEST(FacetFrame, IsRightHandedAndBeginsOnTheFacet) {
  for (const CellType cell : {CellType::quadrilateral, CellType::hexahedron})
    for (int facet = 0; facet < num_facets(cell); ++facet) {
      const int dim = dimension(cell);
      const FacetFrame frame = facet_frame(cell, facet);
      Eigen::MatrixXd axes = Eigen::MatrixXd::Zero(dim, dim);
      for (int d = 0; d < dim; ++d)
        axes(frame[d].direction, d) = frame[d].reversed ? -1 : 1;
      EXPECT_EQ(axes.determinant(), 1) << to_string(cell) << " facet " << facet;
      const auto corners = reference_vertices(cell);
      const auto of_facet = facet_vertices(cell, facet);
      const FrameDirection last = frame[dim - 1];
      for (int vertex = 0; vertex < num_vertices(cell); ++vertex) {
        const double x = corners[vertex * dim + last.direction];
        const bool on_facet = std::find(of_facet.begin(), of_facet.end(), vertex) != of_facet.end();
        EXPECT_EQ(last.reversed ? 1 - x : x, on_facet ? 0 : 1)
            << to_string(cell) << " facet " << facet << " vertex " << vertex;
      }
    }
}

} // namespace
} // namespace weft
