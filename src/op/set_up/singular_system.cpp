#include "op/set_up/singular_system.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"

namespace weft {

namespace {

struct Component {
  int field = 0;
  int component = 0;
  std::int64_t first_dof = 0, end = 0;
  int stride = 1;
};

std::vector<Component> components_without_constraint(const Discretisation &d) {
  std::vector<Component> open;
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
    const int stride = d.form.fields[f].components();
    const std::int64_t first = d.field_offset[f];
    const std::int64_t end =
        f + 1 < static_cast<int>(d.form.fields.size()) ? d.field_offset[f + 1] : d.num_owned;
    for (int k = 0; k < stride; ++k) {
      const bool constrained =
          std::any_of(d.constraints.dofs.begin(), d.constraints.dofs.end(), [&](std::int64_t dof) {
            return dof >= first && dof < end && (dof - first) % stride == k;
          });
      if (!constrained)
        open.push_back({f, k, first + k, end, stride});
    }
  }
  return open;
}

// How far rounding may take a row of A times a constant from 0, relative to its diagonal. Robin and
// mass terms are far larger on any mesh on which they can be told from rounding at all.
double largest_row_fraction(Precision precision) {
  return precision == Precision::f64 ? 64 * std::numeric_limits<double>::epsilon()
                                     : 8 * double(std::numeric_limits<float>::epsilon());
}

// A times the constant is zero at the state at which `op` is linearised.
bool is_open(NonlinearOperator &op, const Component &component,
             const std::vector<double> &diagonal) {
  Vector x = make_vector(op.device(), op.size(), op.precision(), "constant of a field");
  Vector y = make_vector(op.device(), op.size(), op.precision(), "operator times a constant");
  std::vector<double> values(op.size(), 0.0);
  for (std::int64_t dof = component.first_dof; dof < component.end; dof += component.stride)
    values[dof] = 1;
  set_vector(op.device(), x, values);
  op.apply(x, y);
  values = get_vector(op.device(), y);
  double largest = 0;
  for (const double entry : diagonal)
    largest = std::max(largest, std::abs(entry));
  const double fraction = largest_row_fraction(op.precision());
  for (std::int64_t i = 0; i < op.size(); ++i) {
    const double scale = diagonal[i] != 0 ? std::abs(diagonal[i]) : largest;
    if (!(std::abs(values[i]) <= fraction * scale)) // NaN: something else is wrong
      return false;
  }
  return largest > 0;
}

// Those of `open` that are at this state.
std::vector<Component> still_open(NonlinearOperator &op, const Vector &u,
                                  const std::vector<Component> &open) {
  op.linearise(u);
  Vector d = make_vector(op.device(), op.size(), op.precision(), "diagonal");
  op.diagonal(d);
  const std::vector<double> diagonal = get_vector(op.device(), d);
  std::vector<Component> left;
  std::copy_if(open.begin(), open.end(), std::back_inserter(left),
               [&](const Component &component) { return is_open(op, component, diagonal); });
  return left;
}

// Another state, of the same size, with gradients.
Vector other_state(NonlinearOperator &op, const Vector &u) {
  std::vector<double> values = get_vector(op.device(), u);
  double largest = 0;
  for (const double value : values)
    largest = std::max(largest, std::abs(value));
  const double scale = largest > 0 ? 0.1 * largest : 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] += scale * (1.5 + std::sin(static_cast<double>(i)));
  Vector other = make_vector(op.device(), op.size(), op.precision(), "another state");
  set_vector(op.device(), other, values);
  op.set_constrained(other);
  return other;
}

} // namespace

void refuse_singular(NonlinearOperator &op, const Discretisation &d, const Vector &u) {
  std::vector<Component> open = components_without_constraint(d);
  if (!open.empty())
    open = still_open(op, u, open);
  if (!open.empty() && !op.linear())
    open = still_open(op, other_state(op, u), open);
  if (open.empty())
    return;
  const FieldSpec &field = d.form.fields[open.front().field];
  const std::string name = field.components() == 1
                               ? field.name
                               : fmt::format("{}[{}]", field.name, open.front().component);
  throw Error(
      ErrorKind::input,
      {.what = fmt::format("the system is singular: a constant added to {} changes nothing, so the "
                           "equations do not say which one is meant",
                           name),
       .where = "[weak_form], [dirichlet]",
       .found = fmt::format("no value of {0} is prescribed, and no term of the form depends on {0} "
                            "itself (a pure Neumann problem)",
                            name),
       .remedy = fmt::format("prescribe {0} on a group in [dirichlet], or add a "
                             "term in {0} itself, such as an exchange h*({0} - value) with the "
                             "surroundings on a facet group",
                             name)});
}

} // namespace weft
