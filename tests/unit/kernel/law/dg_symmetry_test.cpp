// Products by classes of symmetry, done as the kernel does them, against whole matrices.
#include "kernel/law/dg_symmetry.h"

#include <cmath>
#include <gtest/gtest.h>

namespace weft {
namespace {

double value(std::size_t i, double phase) {
  return std::sin(0.7 * static_cast<double>(i) + phase);
}

std::vector<double> values(std::size_t count, double phase) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(value(i, phase));
  return result;
}

// Combinations of values at points, put at `indices`.
void combine(const SymmetricPoints &points, const std::vector<double> &at_points,
             const int *indices, std::vector<double> &to) {
  for (int index = 0; index < points.size(); ++index) {
    const int first = points.orbit_first(index);
    double sum = 0;
    for (int i = first; i < first + points.orbit_size(index); ++i)
      sum += points.sign(index, i) * at_points[points.points[i]];
    to[indices[index]] = sum;
  }
}

// The rates of fluxes along the reference directions [direction][node] and on facets.
std::vector<double> rates_by_classes(DgStage stage, const NodalOperators &in, int rows,
                                     const std::vector<std::vector<double>> &fluxes,
                                     const std::vector<double> &on_facets) {
  const DgClasses classes = dg_classes(stage, in, rows);
  const NodalSymmetry &s = classes.symmetry;
  const std::vector<double> matrix = dg_class_matrix(classes, in, rows);
  const std::size_t dim = fluxes.size(), n = fluxes[0].size();
  std::vector<double> x(classes.inputs), y(classes.blocks.size() * rows), result(n);
  for (std::size_t a = 0; classes.has_derivative && a < dim; ++a) {
    std::vector<double> along(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t r = 0; r < dim; ++r)
        along[i] += s.axes[a * dim + r] * fluxes[r][i];
    combine(s.nodes, along, classes.derivative_index.data() + a * n, x);
  }
  if (classes.has_lift)
    combine(s.facet_points, on_facets, classes.lift_index.data(), x);
  for (std::size_t b = 0; b < classes.blocks.size(); ++b)
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < classes.blocks[b].inputs; ++j)
        y[b * rows + r] += matrix[classes.blocks[b].first_entry + j * rows + r] *
                           x[classes.blocks[b].first_input + j];
  for (int index = 0; index < s.nodes.size(); ++index) {
    const int first = s.nodes.orbit_first(index);
    for (int i = first; i < first + s.nodes.orbit_size(index); ++i)
      result[s.nodes.points[i]] += s.nodes.sign(index, i) * y[classes.rate_index[index]];
  }
  return result;
}

TEST(DgSymmetry, ProductsAreThoseOfWholeMatrices) {
  for (const CellType cell : {CellType::triangle, CellType::tetrahedron})
    for (const int order : {1, 2, 3, 4, 6, 9})
      for (const int rows : {1, 3, 5})
        for (const DgStage stage : {DgStage::fused, DgStage::differentiate, DgStage::lift}) {
          SCOPED_TRACE(to_string(cell) + " of order " + std::to_string(order) + ", " +
                       to_string(stage) + ", " + std::to_string(rows) + " rows");
          const NodalOperators in = make_nodal_operators(make_nodal_element(cell, order));
          const std::size_t n = in.element.num_nodes(), m = in.num_facet_points();
          std::vector<std::vector<double>> fluxes;
          for (int r = 0; r < dimension(cell); ++r)
            fluxes.push_back(values(n, 1.3 * r));
          const std::vector<double> on_facets = values(m, 0.4), lift = in.whole_lift();
          const std::vector<double> found = rates_by_classes(stage, in, rows, fluxes, on_facets);
          for (std::size_t i = 0; i < n; ++i) {
            double expected = 0, size = 0;
            const auto add = [&](double entry, double at) {
              expected += entry * at;
              size += std::abs(entry * at);
            };
            if (stage != DgStage::lift)
              for (std::size_t r = 0; r < fluxes.size(); ++r)
                for (std::size_t j = 0; j < n; ++j)
                  add(in.directions[r].weak_derivative[i * n + j], fluxes[r][j]);
            if (stage != DgStage::differentiate)
              for (std::size_t k = 0; k < m; ++k)
                add(lift[i * m + k], on_facets[k]);
            ASSERT_NEAR(found[i], expected, 1e-12 * size) << "node " << i;
          }
        }
}

// Between points a stage on tetrahedra takes n (3 n + m) multiply-adds a component.
TEST(DgSymmetry, ProductsAreFewer) {
  const auto fraction = [](CellType cell, int order) {
    const NodalOperators in = make_nodal_operators(make_nodal_element(cell, order));
    const double n = in.element.num_nodes(), m = in.num_facet_points();
    return dg_classes(DgStage::fused, in, 4).needed_products() / (n * (dimension(cell) * n + m));
  };
  EXPECT_NEAR(fraction(CellType::tetrahedron, 3), 530.0 / 2000, 1e-15);
  for (int order = 3; order <= 9; ++order) {
    EXPECT_LT(fraction(CellType::tetrahedron, order), 0.28);
    EXPECT_LT(fraction(CellType::triangle, order), 0.52);
  }
}

} // namespace
} // namespace weft
