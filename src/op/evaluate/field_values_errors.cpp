#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "form/expression/expression.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/state_fault.h"
#include "op/problem/field_regions.h"

namespace weft {

namespace {

// Squares of the L2 norms of the error and of its gradient over a batch.
void add_errors(const Discretisation &d, int field, const ResolvedExpression &exact,
                const std::vector<double> &state, PointBatch &batch, double *sums) {
  const int dim = d.mesh->dim, n = d.form.fields[field].components();
  std::vector<std::vector<double>> expected; // values, then gradients
  evaluate_at(exact.expression.function, batch, exact.inputs(nullptr), expected);
  const PointInputs inputs{.state = &state};
  const auto add = [&](const Symbol &symbol, const std::vector<double> &wanted, double &sum) {
    const auto values = batch.values(symbol, inputs);
    for (std::size_t at = 0; at < values.size(); ++at) {
      const double error = values[at] - wanted[at];
      sum += batch.measure()[at] * error * error;
    }
  };
  for (int k = 0; k < n; ++k) {
    add({.kind = SymbolKind::field, .index = field, .component = k}, expected[k], sums[0]);
    for (int e = 0; e < dim; ++e)
      add({.kind = SymbolKind::field_gradient, .index = field, .component = k, .direction = e},
          expected[n + k * dim + e], sums[1]);
  }
}

// Own cells of a set where the field is.
std::vector<std::int32_t> cells_of_field(const Discretisation &d, int field, std::size_t set) {
  const std::vector<bool> classes = classes_of_field(*d.mesh, d.form.fields[field]);
  std::vector<std::int32_t> cells;
  for (std::int32_t c = 0; c < num_own_cells(*d.mesh, set); ++c)
    if (classes[d.mesh->sets[set].region[c]])
      cells.push_back(c);
  return cells;
}

// The first cell of this rank in which the error, or its gradient, is not finite; else empty.
std::string fault_in_cells(const Discretisation &d, int field, const ResolvedExpression &exact,
                           const std::vector<double> &state, int degree) {
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const PointTable table = make_cell_table(d, static_cast<int>(s), degree);
    for (const std::int32_t cell : cells_of_field(d, field, s)) {
      PointBatch batch(d, table, std::span(&cell, 1));
      std::array<double, 2> sums{};
      add_errors(d, field, exact, state, batch, sums.data());
      if (!std::isfinite(sums[0]) || !std::isfinite(sums[1]))
        return "is not finite in " + describe_cell(d, s, cell);
    }
  }
  return {};
}

std::string fault_of(const Discretisation &d, int field, const ResolvedExpression &exact,
                     const std::vector<double> &state, int degree) {
  const std::string found = first_text(d.ranks, fault_in_cells(d, field, exact, state, degree));
  return found.empty() ? "is not finite though it is in each cell: it overflows" : found;
}

} // namespace

std::vector<FieldError> errors(const Case &c, const Discretisation &d,
                               const std::vector<double> &state) {
  std::vector<FieldError> result;
  for (const auto &spec : c.exact) {
    const auto field = std::find_if(d.form.fields.begin(), d.form.fields.end(),
                                    [&](const FieldSpec &f) { return f.name == spec.name; });
    if (field == d.form.fields.end())
      throw Error(ErrorKind::input, {.what = "an exact solution of an unknown field",
                                     .where = spec.value.where(),
                                     .found = spec.name});
    const auto exact = resolve(with_gradient(c.form, spec.value, field->shape), *d.mesh,
                               classes_of_field(*d.mesh, *field),
                               std::vector<bool>(d.mesh->facet_classes.size(), false));
    const int degree = 2 * field->order + 3 + 2 * (d.geometry.order - 1);
    double l2 = 0, gradient = 0;
    for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
      const PointTable table = make_cell_table(d, static_cast<int>(s), degree);
      const std::vector<std::int32_t> cells =
          cells_of_field(d, static_cast<int>(field - d.form.fields.begin()), s);
      const auto sums =
          sum_batches(d, table, cells, 2, [&](PointBatch &batch, std::int64_t, double *partial) {
            add_errors(d, static_cast<int>(field - d.form.fields.begin()), exact, state, batch,
                       partial);
          });
      l2 += sums[0];
      gradient += sums[1];
    }
    l2 = sum(d.ranks, l2);
    gradient = sum(d.ranks, gradient);
    FieldError error{spec.name, std::sqrt(l2), std::sqrt(l2 + gradient)};
    if (!std::isfinite(error.l2) || !std::isfinite(error.h1))
      error.fault =
          fault_of(d, static_cast<int>(field - d.form.fields.begin()), exact, state, degree);
    result.push_back(error);
  }
  return result;
}

} // namespace weft
