#include "op/layout/stored_geometry.h"

#include <Eigen/Dense>

#include "base/parallel.h"

namespace weft {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The geometry's element of a set tabulated at points.
struct GeometryTables {
  int dim = 0, num_nodes = 0;
  std::vector<double> phi, dphi;
  const std::int32_t *nodes = nullptr; // [cell, node]
  const double *coordinates = nullptr;

  GeometryTables(const Discretisation &d, int set, const std::vector<double> &points)
      : dim(d.mesh->dim), num_nodes(d.geometry.sets[set].element.num_nodes()),
        nodes(d.geometry.sets[set].nodes.data()), coordinates(d.geometry.coordinates.data()) {
    d.geometry.sets[set].element.tabulate(points, phi, dphi);
  }
  // J[d][e] = d x_d / d xi_e of a cell at a point.
  Matrix jacobian(std::int64_t cell, int point) const {
    Matrix j = Matrix::Zero(dim, dim);
    for (int i = 0; i < num_nodes; ++i) {
      const double *x = coordinates + std::int64_t{dim} * nodes[cell * num_nodes + i];
      const double *gradient = &dphi[(std::size_t(point) * num_nodes + i) * dim];
      for (int d = 0; d < dim; ++d)
        for (int e = 0; e < dim; ++e)
          j(d, e) += x[d] * gradient[e];
    }
    return j;
  }
  double position(std::int64_t cell, int point, int d) const {
    double x = 0;
    for (int i = 0; i < num_nodes; ++i)
      x += phi[std::size_t(point) * num_nodes + i] *
           coordinates[std::int64_t{dim} * nodes[cell * num_nodes + i] + d];
    return x;
  }
};

} // namespace

std::vector<double> stored_geometry(const Discretisation &d, int set, const LaneGroups &groups,
                                    const Quadrature &quadrature,
                                    const StoredGeometryLayout &layout) {
  const int dim = layout.dim, lanes = groups.lanes, entries = layout.entries();
  const GeometryTables tables(d, set, quadrature.points);
  std::vector<double> stored(groups.num_groups() * entries * lanes);
  parallel_ranges(groups.num_groups(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t g = begin; g < end; ++g)
      for (int l = 0; l < lanes; ++l) {
        const std::int32_t own = groups.cells[g * lanes + l];
        const std::int64_t cell = own >= 0 ? own : groups.cells[g * lanes];
        double *to = &stored[g * entries * lanes + l];
        const auto put = [&](double value) {
          *to = value;
          to += lanes;
        };
        for (int q = 0; q < layout.num_points; ++q) {
          if (!layout.affine || q == 0) {
            const Matrix j = tables.jacobian(cell, q);
            if (layout.inverse) {
              const Matrix inverse = j.inverse();
              for (int e = 0; e < dim; ++e)
                for (int k = 0; k < dim; ++k)
                  put(inverse(e, k));
            }
            put(j.determinant());
          }
          for (int k = 0; k < layout.position_entries(); ++k)
            put(tables.position(cell, q, k));
        }
      }
  });
  return stored;
}

} // namespace weft
