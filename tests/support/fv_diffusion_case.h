// Matrices and settings that the diffusion kernels of finite volumes are tested with.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/timer.h"
#include "mesh/make/make_mesh.h"
#include "op/law/fv_diffusion.h"
#include "op/law/mesh/fv_coefficients.h"
#include "op/reference/differences.h"
#include "support/difference.h"

namespace weft {

inline Mesh fv_box(const std::string &cell, int dim, std::array<int, 3> cells, double distort = 0,
                   bool periodic = false) {
  MeshSpec spec;
  spec.box = BoxSpec{.dim = dim,
                     .size = {1, 0.8, 1.2},
                     .cells = cells,
                     .cell = cell,
                     .distort = distort,
                     .periodic = {periodic, false, false}};
  Timings unused;
  return make_mesh(spec, unused);
}

// The two-point coefficients of a mesh, all boundary facets prescribed.
inline FvCoefficients fv_of_mesh(const Mesh &mesh, const std::vector<double> &conductivity = {}) {
  return make_fv_coefficients(mesh, make_cell_graph(mesh), conductivity,
                              std::vector<bool>(mesh.facet_classes.size(), true));
}

// Rows whose neighbours lie near, but for each 13th row, which reads across the whole matrix, and
// with empty slots. Every eighth row has a ghost.
inline EllpackMatrix fv_matrix(std::int64_t rows, int width) {
  EllpackMatrix matrix{.num_rows = rows, .num_ghosts = rows / 8, .width = width};
  for (std::int64_t row = 0; row < rows; ++row)
    for (int slot = 0; slot < width; ++slot) {
      const std::int64_t step = row % 13 == 5 ? rows / 3 : 1 + slot * 2;
      std::int64_t column = row + (slot % 2 == 0 ? step : -step);
      const bool is_empty = column < 0 || column >= rows || (row + slot) % 7 == 0;
      if (slot == 0 && row % 8 == 7)
        column = rows + row / 8;
      else if (is_empty)
        column = row;
      matrix.index.push_back(static_cast<std::int32_t>(column));
      matrix.value.push_back(column == row ? 0 : 1.5 + std::sin(0.7 * double(row + 3 * slot)));
    }
  return matrix;
}

inline std::vector<double> fv_vector(const EllpackMatrix &matrix) {
  std::vector<double> x(matrix.num_columns());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::cos(0.3 * static_cast<double>(i)) + 0.1 * static_cast<double>(i % 17);
  return x;
}

// Every value of every choice, with others in turn.
inline std::vector<FvDiffusionSettings> fv_variants(bool is_cpu) {
  std::vector<FvDiffusionSettings> variants;
  const auto add = [&](Precision precision, FvForm form, int lanes, int slices, int bits,
                       bool gathered, int ahead, bool stream) {
    FvDiffusionSettings s{.precision = precision, .form = form, .index_bits = bits};
    s.lanes = lanes;
    s.slice = is_cpu ? lanes * slices : 32;
    s.gathered = gathered;
    s.ahead = ahead;
    s.stream = stream;
    s.groups_per_item = 1 + lanes % 3;
    s.block_rows = 64 * (1 + slices);
    s.group_size = is_cpu ? 1 : 32;
    variants.push_back(s);
  };
  if (!is_cpu) { // little is left to choose
    add(Precision::f64, FvForm::plain, 1, 1, 32, false, 0, false);
    add(Precision::f32, FvForm::plain, 1, 1, 16, true, 0, true);
    add(Precision::f64, FvForm::staged, 1, 1, 16, true, 0, true);
    add(Precision::f32, FvForm::staged, 1, 2, 16, false, 0, false);
    return variants;
  }
  add(Precision::f64, FvForm::plain, 8, 1, 32, false, 4, true);
  add(Precision::f64, FvForm::plain, 8, 2, 16, true, 1, false);
  add(Precision::f64, FvForm::plain, 1, 4, 16, false, 0, true);
  add(Precision::f64, FvForm::plain, 4, 1, 32, true, 0, false);
  add(Precision::f64, FvForm::staged, 8, 1, 16, false, 64, true);
  add(Precision::f64, FvForm::staged, 2, 2, 16, true, 0, false);
  add(Precision::f32, FvForm::plain, 16, 1, 32, true, 2, true);
  add(Precision::f32, FvForm::plain, 8, 4, 16, false, 3, false);
  add(Precision::f32, FvForm::staged, 16, 2, 16, true, 1, false);
  add(Precision::f32, FvForm::staged, 1, 1, 16, false, 0, true);
  return variants;
}

inline std::string fv_text(const FvDiffusionSettings &s) {
  return fmt::format("{} {} lanes {} slice {} bits {} gathered {} ahead {} stream {} groups {} "
                     "block {}",
                     to_string(s.precision), to_string(*s.form), *s.lanes, *s.slice, *s.index_bits,
                     *s.gathered, *s.ahead, *s.stream, *s.groups_per_item, *s.block_rows);
}

inline std::vector<double> fv_product(Device &device, FvDiffusion &op,
                                      const std::vector<double> &x) {
  const Precision precision = op.settings().precision;
  Vector in = make_vector(device, op.num_columns(), precision, "x");
  Vector out = make_vector(device, op.num_rows(), precision, "y");
  set_vector(device, in, x);
  set_vector(device, out, std::vector<double>(op.num_rows(), 1e30));
  op.apply(in, out);
  return get_vector(device, out);
}

// Variants against the plain loop, and those of a precision against each other, whose sums are
// in the same order.
inline void expect_fv_variants(Device &device, const EllpackMatrix &matrix,
                               const std::vector<FvDiffusionSettings> &variants) {
  const std::vector<double> x = fv_vector(matrix), expected = reference::differences(matrix, x);
  std::map<Precision, std::vector<double>> first;
  for (const FvDiffusionSettings &settings : variants) {
    FvDiffusion op(device, matrix, settings);
    SCOPED_TRACE(fv_text(op.settings()));
    const std::vector<double> y = fv_product(device, op, x);
    EXPECT_LT(difference(y, expected), settings.precision == Precision::f64 ? 1e-14 : 2e-6);
    EXPECT_EQ(first.try_emplace(settings.precision, y).first->second, y);
  }
}

} // namespace weft
