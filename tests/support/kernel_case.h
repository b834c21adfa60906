// What tests of generated kernels vary, small sets that cover all pairs of it, and the problems
// that belong to it. Boxes only and no source paths: the tests run on machines without a build
// tree.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "op/reference/reference.h"
#include "op/weak_form/form_operator.h"
#include "support/difference.h"
#include "support/discrete_problem.h"

namespace weft {

// One choice of each axis; a value is an index into the axis's names.
struct KernelCase {
  enum Axis { cell, order, form, strategy, geometry, precision, lanes, kind, num_axes };
  std::array<int, num_axes> value{};

  std::string cell_name() const { return all_cells[value[cell]]; }
  int element_order() const { return 1 + value[order]; }
  Strategy strategy_value() const {
    return std::array{Strategy::transposed, Strategy::cell, Strategy::block}[value[strategy]];
  }
  GeometrySource geometry_value() const {
    return value[geometry] == 0 ? GeometrySource::on_the_fly : GeometrySource::stored;
  }
  Precision precision_value() const {
    return value[precision] == 0 ? Precision::f64 : Precision::f32;
  }
  IntegralKind kind_value() const {
    return std::array{IntegralKind::residual, IntegralKind::linearised,
                      IntegralKind::diagonal}[value[kind]];
  }
  std::string form_name() const {
    return std::array{"nonlinear", "elasticity", "two_fields",
                      "mass",      "transient",  "second_derivatives"}[value[form]];
  }
  // Thread transposition is for low orders: a work-group holds all points and rows of its cells.
  // Second derivatives have stored geometry on straight simplices only.
  bool valid() const {
    const bool transposed = strategy_value() == Strategy::transposed;
    const bool straight =
        (cell_name() == "triangle" || cell_name() == "tetrahedron") && element_order() == 1;
    return element_order() <= highest_order(cell_name()) &&
           (form_name() != "second_derivatives" || geometry_value() == GeometrySource::on_the_fly ||
            straight) &&
           !(transposed && (element_order() > 1 || form_name() == "two_fields"));
  }
  // "tetrahedron_P1_nonlinear_block_stored_f32_lanes4_residual"
  std::string name() const {
    return cell_name() + "_P" + std::to_string(element_order()) + "_" + form_name() + "_" +
           to_string(strategy_value()) + "_" + to_string(geometry_value()) + "_" +
           to_string(precision_value()) + "_" +
           std::array{"one_lane", "lanes4", "all_lanes"}[value[lanes]] + "_" +
           to_string(kind_value());
  }
  // GPUs have one lane.
  OperatorSettings settings(bool is_cpu) const {
    OperatorSettings settings;
    settings.strategy = strategy_value();
    settings.geometry = geometry_value();
    settings.precision = precision_value();
    settings.form_name = form_name();
    if (!is_cpu || value[lanes] == 0)
      settings.lanes = 1;
    else if (value[lanes] == 1)
      settings.lanes = 4;
    return settings;
  }
};

inline std::vector<KernelCase> every_kernel_case(int highest = 4) {
  const std::array<int, KernelCase::num_axes> sizes = {6, highest, 6, 3, 2, 2, 3, 3};
  std::vector<KernelCase> cases;
  KernelCase c;
  const auto next = [&] {
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (++c.value[axis] < sizes[axis])
        return true;
      c.value[axis] = 0;
    }
    return false;
  };
  do {
    if (c.valid())
      cases.push_back(c);
  } while (next());
  return cases;
}

// A subset in which every two values of different axes meet that meet in `candidates`: greedy,
// always the first candidate with the most new pairs.
template <typename AnyCase>
std::vector<AnyCase> covering_pairs(const std::vector<AnyCase> &candidates) {
  const auto pairs_of = [](const AnyCase &c) {
    std::vector<int> pairs;
    for (int a = 0; a < AnyCase::num_axes; ++a)
      for (int b = a + 1; b < AnyCase::num_axes; ++b)
        pairs.push_back(((a * 16 + b) * 16 + c.value[a]) * 16 + c.value[b]);
    return pairs;
  };
  std::vector<std::vector<int>> pairs;
  std::set<int> open;
  for (const AnyCase &c : candidates) {
    pairs.push_back(pairs_of(c));
    open.insert(pairs.back().begin(), pairs.back().end());
  }
  std::vector<char> missing(65536, 0);
  for (const int pair : open)
    missing[pair] = 1;
  std::vector<AnyCase> chosen;
  while (!open.empty()) {
    std::size_t best = 0;
    long most = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const long found = std::count_if(pairs[i].begin(), pairs[i].end(),
                                       [&](int pair) { return missing[pair] != 0; });
      if (found > most) {
        most = found;
        best = i;
      }
    }
    chosen.push_back(candidates[best]);
    for (const int pair : pairs[best]) {
      missing[pair] = 0;
      open.erase(pair);
    }
  }
  return chosen;
}

// All pairs up to order 3, or everything with WEFT_TEST_ALL.
inline std::vector<KernelCase> tested_kernel_cases() {
  return std::getenv("WEFT_TEST_ALL") ? every_kernel_case() : covering_pairs(every_kernel_case(3));
}

inline std::string form_text(const std::string &form, const std::string &element, bool flat) {
  if (form == "nonlinear")
    return "[parameters]\nk = \"1 + x*y\"\n[fields]\nu = { element = \"" + element +
           "\" }\n[auxiliary]\na = { element = \"P1\", value = \"1 + x\" }\nb = { element = "
           "\"DG0\", value = \"2 - y\" }\n" +
           R"TOML([weak_form]
cells.all = "(k + a*u^2)*inner(grad(u), grad(test(u))) + b*u*test(u) + cell_size*test(u)"
facets.x1 = "(u - 2)*u*test(u) + dot(n, grad(u))*test(u)"
[dirichlet]
x0 = { u = "1 + y" }
)TOML";
  if (form == "elasticity")
    return "[parameters]\nmu = 0.7\nlam = 1.3\n[fields]\nu = { element = \"" + element +
           "\", shape = \"vector\" }\n" +
           R"TOML([weak_form]
cells.all = "2*mu*inner(sym(grad(u)), sym(grad(test(u)))) + lam*div(u)*div(test(u))"
[dirichlet]
x0 = { "u[0]" = 0.5 }
)TOML" +
           "y0 = { u = " + (flat ? "[0, 1]" : "[0, 1, 2]") + " }\n";
  if (form == "mass") // no gradients
    return "[parameters]\nrho = \"1 + x*y\"\n[fields]\nu = { element = \"" + element + "\" }\n" +
           R"TOML([weak_form]
cells.all = "rho*u*test(u) - test(u)"
facets.x1 = "u*test(u)"
)TOML";
  if (form == "second_derivatives")
    return "[fields]\nu = { element = \"" + element + "\" }\n" + R"TOML([weak_form]
cells.all = """inner(grad(grad(u)), grad(grad(test(u)))) + (1 + u^2)*inner(grad(u), grad(test(u)))
  + x*div(grad(u))*(test(u) + grad(test(u))[0]) + u*div(grad(test(u)))"""
facets.x1 = "dot(dot(grad(grad(u)), n), n)*dot(grad(test(u)), n) + div(grad(test(u)))*u"
)TOML";
  if (form == "transient")
    return "[time]\nstart = 0.4\nend = 1\nstep = 0.1\n[fields]\nu = { element = \"" + element +
           "\" }\n[auxiliary]\na = { element = \"P1\", value = \"1 + t*x\" }\nb = { element = "
           "\"DG0\", value = \"2 - t*y\" }\n" +
           R"TOML([weak_form]
cells.all = """(1 + u^2)*dt(u)*test(u) + (a + t*x)*inner(grad(u), grad(test(u))) + b*test(u)
  + 0.5*dt(dt(u))*test(u) + inner(0.3*dt(grad(u)) + 0.2*dt(dt(grad(u))), grad(test(u)))"""
facets.x1 = "t*u*dt(u)*test(u)"
[dirichlet]
x0 = { u = "1 + t*y" }
)TOML";
  return "[fields]\nu = { element = \"" + element +
         "\", shape = \"vector\" }\np = { element = \"P1\" }\n" +
         R"TOML([weak_form]
cells.all = "inner(grad(u), grad(test(u))) - p*div(test(u)) + div(u)*test(p) + p*test(p)"
)TOML";
}

// Without gradients: cells and orders of these, each geometry by blocks.
inline std::vector<KernelCase> mass_cases() {
  std::vector<KernelCase> cases;
  for (const int cell : {2, 5}) // tetrahedron, hexahedron
    for (const int order : {0, 1})
      for (const int geometry : {0, 1})
        cases.push_back({{cell, order, 3, 2, geometry, 0, 1, 0}});
  return cases;
}

// Linear functions on straight simplices with several points: values and gradients, of one field
// and beside another of higher order.
inline std::vector<KernelCase> constant_gradient_cases() {
  return {{{0, 0, 0, 2, 0, 0, 1, 0}}, {{2, 0, 0, 2, 1, 0, 1, 1}}, {{2, 0, 0, 1, 0, 0, 1, 0}},
          {{2, 0, 0, 0, 0, 0, 1, 0}}, {{0, 0, 0, 1, 1, 0, 1, 2}}, {{0, 1, 2, 2, 0, 0, 1, 0}}};
}

// Straight cells for order 1, curved ones above.
inline std::string problem_text(const KernelCase &c, const std::string &cells_3d = "[2, 3, 2]") {
  return box_text(c.cell_name(), c.element_order() == 1 ? 1 : 2, 0.2, cells_3d) +
         form_text(c.form_name(), "P" + std::to_string(c.element_order()), is_flat(c.cell_name()));
}
inline std::function<void(double *)> deformation(const KernelCase &c) {
  if (c.element_order() == 1)
    return {};
  return bend;
}
// The degree that the estimate gives for non-linear forms of order 1 makes large work-groups.
inline std::optional<int> quadrature_degree(const KernelCase &c) {
  if (c.form_name() == "nonlinear" || c.form_name() == "transient" ||
      c.form_name() == "second_derivatives")
    return 2 * c.element_order();
  return {};
}

// Smooth, different for each dof, positive.
inline std::vector<double> wavy(std::int64_t size, double phase) {
  std::vector<double> values(size);
  for (std::int64_t i = 0; i < size; ++i)
    values[i] = 1.5 + std::sin(0.7 * static_cast<double>(i) + phase);
  return values;
}

// dt(u) = shift * u + offset of the forms that have it, and dt(dt(u)).
inline constexpr double tested_shift = 1.7, tested_velocity_shift = 2.3,
                        tested_acceleration_shift = 0.9;
inline Rate tested_rate(const std::vector<double> &offset,
                        const std::vector<double> &second_offset) {
  return {&offset, tested_shift, &second_offset, tested_velocity_shift, tested_acceleration_shift};
}

// What an operator gives for one kind at fixed arguments.
inline std::vector<double> result_of(Device &device, FormOperator &op, IntegralKind kind) {
  Vector u = make_vector(device, op.size(), op.precision(), "u");
  Vector x = make_vector(device, op.size(), op.precision(), "x");
  Vector y = make_vector(device, op.size(), op.precision(), "y");
  set_vector(device, u, wavy(op.size(), 0.3));
  set_vector(device, x, wavy(op.size(), 1.1));
  Vector offset = make_vector(device, op.size(), op.precision(), "offset of time derivatives");
  set_vector(device, offset, wavy(op.size(), 2.6));
  Vector second_offset = make_vector(device, op.size(), op.precision(), "offset of dt(dt(u))");
  set_vector(device, second_offset, wavy(op.size(), 3.7));
  op.set_rate(offset, tested_shift);
  op.set_second_rate(second_offset, tested_acceleration_shift, tested_velocity_shift);
  op.linearise(u);
  switch (kind) {
  case IntegralKind::residual:
    op.residual(u, y);
    break;
  case IntegralKind::linearised:
    op.apply(x, y);
    break;
  case IntegralKind::diagonal:
    op.diagonal(y);
    break;
  case IntegralKind::matrix:
    require(false, "an operator gives a vector of this kind");
    break;
  }
  return get_vector(device, y);
}
inline std::vector<double> reference_of(const Discretisation &d, IntegralKind kind) {
  const std::vector<double> u = wavy(d.num_owned, 0.3), offset = wavy(d.num_owned, 2.6);
  const std::vector<double> second_offset = wavy(d.num_owned, 3.7);
  const Rate rate = tested_rate(offset, second_offset);
  switch (kind) {
  case IntegralKind::residual:
    return reference::residual(d, u, rate);
  case IntegralKind::linearised:
    return reference::apply(d, u, wavy(d.num_owned, 1.1), rate);
  case IntegralKind::diagonal:
    return reference::diagonal(d, u, rate);
  case IntegralKind::matrix:
    break;
  }
  require(false, "an operator gives a vector of this kind");
  return {};
}

inline void expect_reference(Device &device, const Discretisation &d,
                             const OperatorSettings &settings, IntegralKind kind) {
  FormOperator op(device, d, settings);
  EXPECT_LT(difference(result_of(device, op, kind), reference_of(d, kind)),
            settings.precision == Precision::f64 ? 1e-12 : 2e-4);
}

} // namespace weft
