#include "op/problem/quadrature_degree.h"

#include <algorithm>

namespace weft {

namespace {

bool only_simplices(const Mesh &mesh) {
  return std::all_of(mesh.sets.begin(), mesh.sets.end(), [](const CellSet &set) {
    return set.type == CellType::triangle || set.type == CellType::tetrahedron;
  });
}

int gradient_degree(const Discretisation &d, int order) {
  return only_simplices(*d.mesh) ? std::max(0, order - 1) : order;
}

// The inverse map and the volume element of a curved cell.
int mapping_degree(const Discretisation &d) {
  return 2 * (d.geometry.order - 1);
}

// What a function that is no polynomial adds. From order 4 on two would be too few: the error of a
// load of which the rule integrates no more than products of degree 2 p - 1 falls with a lower
// order than that of the elements (Strang, Fix 1973).
int function_degree(const Discretisation &d) {
  return std::max(2, highest_field_order(d) - 1);
}

QuadratureDegree limited(const Discretisation &d, int degree) {
  const int mapping = mapping_degree(d);
  return {.exact = degree + mapping,
          .used = std::min(degree, 2 * highest_field_order(d) + 6) + mapping};
}

} // namespace

int highest_field_order(const Discretisation &d) {
  int order = 0;
  for (const auto &field : d.form.fields)
    order = std::max(order, field.order);
  return order;
}

int degree_of_symbol(const Discretisation &d, const Symbol &symbol) {
  switch (symbol.kind) {
  case SymbolKind::field:
  case SymbolKind::field_rate:
  case SymbolKind::direction:
  case SymbolKind::direction_rate:
  case SymbolKind::test:
    return d.form.fields[symbol.index].order;
  case SymbolKind::field_gradient:
  case SymbolKind::direction_gradient:
  case SymbolKind::test_gradient:
    return gradient_degree(d, d.form.fields[symbol.index].order);
  case SymbolKind::auxiliary:
    return d.form.auxiliary[symbol.index].order;
  case SymbolKind::auxiliary_gradient:
    return gradient_degree(d, d.form.auxiliary[symbol.index].order);
  case SymbolKind::coordinate:
    return d.geometry.order;
  case SymbolKind::normal:
    return d.geometry.order - 1;
  default:
    return 0; // constant in a cell
  }
}

QuadratureDegree degree_of_integral(const Discretisation &d, const FormIntegral &integral) {
  const auto degree_of = [&](const Symbol &symbol) { return degree_of_symbol(d, symbol); };
  const PointwiseFunction &function = integral.residual;
  const int functions = function_degree(d);
  int degree = 0, output = 0;
  const auto add = [&](int test_degree) {
    if (!function.output_is_zero(output))
      degree =
          std::max(degree, estimate_degree(function, output, degree_of, functions) + test_degree);
    ++output;
  };
  for (int side = 0; side < (integral.domain == Domain::interior ? 2 : 1); ++side)
    for (const auto &field : d.form.fields) {
      for (int k = 0; k < field.components(); ++k)
        add(field.order);
      for (int k = 0; k < field.components() * d.form.dim; ++k)
        add(gradient_degree(d, field.order));
    }
  return limited(d, degree);
}

QuadratureDegree degree_of_expression(const Discretisation &d, const PointwiseFunction &function) {
  const auto degree_of = [&](const Symbol &symbol) { return degree_of_symbol(d, symbol); };
  int degree = 0;
  for (std::size_t o = 0; o < function.outputs.size(); ++o)
    degree = std::max(
        degree, estimate_degree(function, static_cast<int>(o), degree_of, function_degree(d)));
  return limited(d, degree);
}

} // namespace weft
