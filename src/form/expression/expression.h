// Expressions outside a weak form.
#pragma once

#include <optional>
#include <vector>

#include "case/form_spec.h"
#include "form/expression/table_entry.h"
#include "form/graph/pointwise.h"

namespace weft {

// An expression outside a weak form: initial values, Dirichlet values, functionals, exact
// solutions, output fields, auxiliary values. May use fields and their gradients if
// `fields_allowed`.
struct Expression {
  PointwiseFunction function; // outputs: the components, row by row
  Shape shape;
  std::vector<TableEntry> cell_table;
  std::vector<TableEntry> facet_table;
};
// Whether it changes with parameters that may get other values.
bool has_settable_entries(const Expression &expression);

// Where the spec names a parameter to derive by: the derivative of such an expression.
// `expected`: the shape it must have; none = any. `domain`: where it is evaluated; on facets n and
// facet parameters are allowed, on edges and at points no gradients.
Expression make_expression(const FormSpec &spec, const SourceText &text,
                           const std::optional<Shape> &expected, bool fields_allowed,
                           Domain domain);
// In cells, or on facets.
Expression make_expression(const FormSpec &spec, const SourceText &text,
                           const std::optional<Shape> &expected, bool fields_allowed,
                           bool on_facets);
// Derivative of an expression with respect to x, y, z appended: outputs [component], then
// [component][direction]. Only for expressions without fields (exact solutions, H1 errors).
Expression with_gradient(const FormSpec &spec, const SourceText &text,
                         const std::optional<Shape> &expected);

} // namespace weft
