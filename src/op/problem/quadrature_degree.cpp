#include "op/problem/quadrature_degree.h"

#include <algorithm>
#include <functional>

#include "form/graph/hessian_entries.h"

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

int hessian_degree(const Discretisation &d, int order) {
  return only_simplices(*d.mesh) ? std::max(0, order - 2) : order;
}

// The inverse map and the volume element of a curved cell.
int mapping_degree(const Discretisation &d) {
  return 2 * (d.geometry.order - 1);
}

// What a function that is no polynomial adds.
constexpr int function_degree = 2;

// From order 4 on that would be too few for a load: where the rule integrates no more than products
// of degree 2 p - 1, the error falls with a lower order than that of the elements (Strang, Fix
// 1973).
int load_function_degree(const Discretisation &d) {
  return std::max(function_degree, highest_field_order(d) - 1);
}

int limited(const Discretisation &d, int degree) {
  return std::min(degree, 2 * highest_field_order(d) + 6);
}

using Degree = std::function<int(const PointwiseFunction &function, int output)>;

// The largest of the products that an integral's outputs are tested with; `degree_of`: of an
// output.
int largest_product(const Discretisation &d, const FormIntegral &integral,
                    const Degree &degree_of) {
  const PointwiseFunction &function = integral.residual;
  int degree = 0, output = 0;
  const auto add = [&](int test_degree) {
    if (!function.output_is_zero(output))
      degree = std::max(degree, degree_of(function, output) + test_degree);
    ++output;
  };
  const int sides = integral.domain == Domain::interior ? 2 : 1;
  for (int side = 0; side < sides; ++side)
    for (const auto &field : d.form.fields) {
      for (int k = 0; k < field.components(); ++k)
        add(field.order);
      for (int k = 0; k < field.components() * d.form.dim; ++k)
        add(gradient_degree(d, field.order));
    }
  for (int side = 0; integral.second && side < sides; ++side)
    for (const auto &field : d.form.fields)
      for (int k = 0; k < field.components() * num_hessian_entries(d.form.dim); ++k)
        add(hessian_degree(d, field.order));
  return degree;
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
  case SymbolKind::field_rate_gradient:
  case SymbolKind::direction_gradient:
  case SymbolKind::direction_rate_gradient:
  case SymbolKind::test_gradient:
    return gradient_degree(d, d.form.fields[symbol.index].order);
  case SymbolKind::field_hessian:
  case SymbolKind::field_rate_hessian:
  case SymbolKind::direction_hessian:
  case SymbolKind::direction_rate_hessian:
  case SymbolKind::test_hessian:
    return hessian_degree(d, d.form.fields[symbol.index].order);
  case SymbolKind::auxiliary:
    return d.form.auxiliary[symbol.index].order;
  case SymbolKind::auxiliary_gradient:
    return gradient_degree(d, d.form.auxiliary[symbol.index].order);
  case SymbolKind::auxiliary_hessian:
    return hessian_degree(d, d.form.auxiliary[symbol.index].order);
  case SymbolKind::coordinate:
    return d.geometry.order;
  case SymbolKind::normal:
    return d.geometry.order - 1;
  default:
    return 0; // constant in a cell
  }
}

QuadratureDegree degree_of_integral(const Discretisation &d, const FormIntegral &integral) {
  // With functions that are no polynomials and coordinates counting as said.
  const auto degree = [&](int functions, int coordinates) {
    return largest_product(d, integral, [&](const PointwiseFunction &function, int output) {
      return estimate_degree(
          function, output,
          [&](const Symbol &symbol) {
            return symbol.kind == SymbolKind::coordinate ? coordinates
                   : symbol.kind == SymbolKind::normal   ? 0
                                                         : degree_of_symbol(d, symbol);
          },
          functions);
    });
  };
  const int load = std::min(degree(load_function_degree(d), 1), 2 * highest_field_order(d));
  const int affine = std::max(degree(function_degree, 1), load);
  const int mapping = mapping_degree(d);
  // Curved cells: their mapping is a smooth function as a coefficient is, and so is the product.
  const int fields = mapping > 0 ? degree(0, 0) : 0;
  return {.exact = std::max(affine, fields + mapping),
          .used = std::max(limited(d, affine), limited(d, fields) + mapping)};
}

QuadratureDegree degree_of_expression(const Discretisation &d, const PointwiseFunction &function) {
  const auto degree_of = [&](const Symbol &symbol) { return degree_of_symbol(d, symbol); };
  int degree = 0;
  for (std::size_t o = 0; o < function.outputs.size(); ++o)
    degree = std::max(
        degree, estimate_degree(function, static_cast<int>(o), degree_of, load_function_degree(d)));
  const int mapping = mapping_degree(d);
  return {.exact = degree + mapping, .used = limited(d, degree) + mapping};
}

} // namespace weft
