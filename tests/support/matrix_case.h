// The choices of kernels of element matrices, a set that covers all pairs of them, and the problems
// that belong to them.
#pragma once

#include "op/assembly/element_matrices.h"
#include "op/reference/element_matrix.h"
#include "support/kernel_case.h"

namespace weft {

// One choice of each axis; a value is an index into the axis's names.
struct MatrixCase {
  enum Axis {
    cell,
    order,
    form,
    loop_order,
    destination,
    local,
    reading,
    group,
    geometry,
    precision,
    lanes,
    num_axes
  };
  std::array<int, num_axes> value{};

  std::string cell_name() const { return all_cells[value[cell]]; }
  int element_order() const { return 1 + value[order]; }
  LoopOrder loop_order_value() const { return static_cast<LoopOrder>(value[loop_order]); }
  LocalArray local_value() const { return static_cast<LocalArray>(value[local]); }
  std::string form_name() const {
    return std::array{"poisson",    "convection", "nonlinear",
                      "elasticity", "two_fields", "anisotropic"}[value[form]];
  }
  // interleaved, interleaved past the caches, per cell, applied, interleaved with a load vector
  MatrixVariant variant(bool is_cpu) const {
    MatrixVariant v;
    v.loop_order = loop_order_value();
    v.destination = std::array{MatrixDestination::interleaved, MatrixDestination::interleaved,
                               MatrixDestination::per_cell, MatrixDestination::applied,
                               MatrixDestination::interleaved}[value[destination]];
    v.stream = value[destination] == 1;
    v.coalesced_reading = value[reading] == 1;
    v.local = local_value();
    v.group_size = value[group] == 0 ? 1 : is_cpu ? 3 : 32;
    v.groups_per_item = value[group] == 0 ? 4 : 1;
    v.prefetch = value[group] == 0 ? 2 : 0;
    return v;
  }
  bool with_vector() const { return value[destination] == 4; }
  bool constant_coefficients() const {
    return form_name() != "nonlinear" && !(form_name() == "poisson" && with_vector());
  }
  bool valid() const {
    if (element_order() > 2 || (with_vector() && form_name() == "nonlinear"))
      return false;
    const bool simplex = cell_name() == "triangle" || cell_name() == "tetrahedron";
    if (loop_order_value() == LoopOrder::tensor)
      return simplex && constant_coefficients() && !with_vector() &&
             local_value() != LocalArray::shape;
    return true;
  }
  // Cells are straight where the tensor needs it, curved elsewhere with order 2.
  bool curved() const { return element_order() == 2 && loop_order_value() != LoopOrder::tensor; }
  std::string name() const {
    return cell_name() + "_P" + std::to_string(element_order()) + "_" + form_name() + "_" +
           to_string(loop_order_value()) + "_" +
           std::array{"interleaved", "streamed", "per_cell", "applied",
                      "with_vector"}[value[destination]] +
           "_" + to_string(local_value()) + (value[reading] == 1 ? "_coalesced" : "_plain") +
           (value[group] == 0 ? "_one" : "_groups") +
           (value[geometry] == 0 ? "_on_the_fly" : "_stored") +
           (value[precision] == 0 ? "_f64" : "_f32") + (value[lanes] == 0 ? "_one_lane" : "_lanes");
  }
  OperatorSettings settings(bool is_cpu) const {
    OperatorSettings settings;
    settings.strategy = Strategy::cell;
    settings.geometry = value[geometry] == 0 ? GeometrySource::on_the_fly : GeometrySource::stored;
    settings.precision = value[precision] == 0 ? Precision::f64 : Precision::f32;
    settings.form_name = form_name();
    settings.lanes = is_cpu && value[lanes] == 1 ? 4 : 1;
    return settings;
  }

  std::string problem_text(const std::string &cells_3d = "[2, 3, 2]") const {
    const std::string element = "\"P" + std::to_string(element_order()) + "\"";
    const std::string scalar = "[fields]\nu = { element = " + element + " }\n[weak_form]\n";
    const bool flat = is_flat(cell_name());
    std::string text = box_text(cell_name(), curved() ? 2 : 1, 0.2, cells_3d);
    if (form_name() == "poisson")
      return text + "[auxiliary]\nf = { element = \"P1\", value = \"1 + x*y\" }\n" + scalar +
             "cells.all = \"inner(grad(u), grad(test(u))) - f*test(u)\"\n";
    if (form_name() == "convection")
      return text + scalar + "cells.all = \"0.3*inner(grad(u), grad(test(u))) + dot(" +
             (flat ? "[1, 2]" : "[1, 2, 3]") + ", grad(u))*test(u) + u*dot(" +
             (flat ? "[2, 1]" : "[2, 0, 1]") + ", grad(test(u))) + 5*u*test(u) - 2*test(u)\"\n";
    if (form_name() == "anisotropic")
      return text + scalar + "cells.all = \"inner(dot(" +
             (flat ? "[[2, 1], [0.5, 3]]" : "[[2, 1, 0], [0.5, 3, 0], [0, 1, 4]]") +
             ", grad(u)), grad(test(u))) + u*test(u) - test(u)\"\n";
    return text + form_text(form_name(), "P" + std::to_string(element_order()), flat);
  }
  std::function<void(double *)> deformation() const {
    return curved() ? bend : std::function<void(double *)>{};
  }
  std::optional<int> quadrature_degree() const {
    if (form_name() == "nonlinear")
      return 2 * element_order();
    return {};
  }
};

// Every cell, order, form, loop order and destination; of the other axes each takes its values in
// turn, with strides that bring all pairs about.
inline std::vector<MatrixCase> every_matrix_case() {
  const std::array<int, MatrixCase::num_axes> sizes = {6, 2, 6, 4, 5, 5, 2, 2, 2, 2, 2};
  std::vector<MatrixCase> cases;
  MatrixCase c;
  unsigned turn = 0;
  const auto next = [&] {
    for (std::size_t axis = 0; axis <= MatrixCase::destination; ++axis) {
      if (++c.value[axis] < sizes[axis])
        return true;
      c.value[axis] = 0;
    }
    return false;
  };
  do {
    turn = turn * 1664525u + 1013904223u; // Knuth's and Lewis's generator
    unsigned bits = turn >> 8;
    for (std::size_t axis = MatrixCase::local; axis < sizes.size(); ++axis) {
      c.value[axis] = static_cast<int>(bits % sizes[axis]);
      bits /= sizes[axis];
    }
    if (c.valid())
      cases.push_back(c);
  } while (next());
  return cases;
}

// All pairs, or everything with WEFT_TEST_ALL.
inline std::vector<MatrixCase> tested_matrix_cases() {
  const std::vector<MatrixCase> all = every_matrix_case();
  return std::getenv("WEFT_TEST_ALL") ? all : covering_pairs(all);
}

// Element matrices (and load vectors) of the reference; of destination applied, times x.
inline std::vector<std::vector<double>> reference_elements(const Discretisation &d,
                                                           const MatrixCase &c,
                                                           const std::vector<double> &u,
                                                           const std::vector<double> &x) {
  const bool applied = c.variant(true).destination == MatrixDestination::applied;
  std::vector<std::vector<double>> cells;
  reference::for_each_element_matrix(d, u, [&](const reference::ElementMatrix &m) {
    if (m.local_facet >= 0)
      return;
    if (!applied) {
      cells.push_back(m.values);
      return;
    }
    const std::size_t rows = m.dofs.size();
    std::vector<double> product(rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j)
        product[i] += m.values[i * rows + j] * x[m.dofs[j]];
    cells.push_back(product);
  });
  if (c.with_vector()) {
    const auto vectors = reference::cell_load_vectors(d, 0);
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
      cells[cell].insert(cells[cell].end(), vectors[cell].begin(), vectors[cell].end());
  }
  return cells;
}

inline void expect_element_matrices(Device &device, const Discretisation &d, const MatrixCase &c) {
  const bool is_cpu = device.info().is_cpu;
  const FormIntegrals integrals(d);
  const OperatorSettings settings = with_choices(c.settings(is_cpu), integrals, device.info());
  ElementMatrices matrices(device, integrals, settings, 0, c.variant(is_cpu), c.with_vector());
  Vector u = make_vector(device, d.num_owned, settings.precision, "u");
  Vector x = make_vector(device, d.num_owned, settings.precision, "x");
  set_vector(device, u, wavy(d.num_owned, 0.3));
  set_vector(device, x, wavy(d.num_owned, 1.1));
  matrices.compute(u, &x);
  const auto found = matrices.host();
  const auto expected = reference_elements(d, c, wavy(d.num_owned, 0.3), wavy(d.num_owned, 1.1));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t cell = 0; cell < found.size(); ++cell) {
    ASSERT_EQ(found[cell].size(), expected[cell].size());
    ASSERT_LT(difference(found[cell], expected[cell]),
              settings.precision == Precision::f64 ? 1e-12 : 1e-4)
        << "cell " << cell;
  }
}

} // namespace weft
