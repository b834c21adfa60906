#include "op/set_up/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/number.h"
#include "op/evaluate/expression_values.h"
#include "op/problem/dof_layout.h"
#include "op/problem/field_regions.h"

namespace weft {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const BoundsSpec &spec, const std::string &found,
                         const std::string &allowed, const std::string &remedy) {
  throw Error(ErrorKind::unsupported, {.what = "bounds that are not kept there",
                                       .where = spec.place,
                                       .found = found,
                                       .allowed = allowed,
                                       .remedy = remedy});
}

// The unknowns of other schemes are not the states at the ends of steps, or not those alone.
void check_scheme(const TimeSpec &time, const Form &form, const BoundsSpec &spec) {
  const std::string scheme =
      time.scheme.empty() && has_second_rates(form) ? "generalised_alpha" : time.scheme;
  if (scheme == "generalised_alpha" || scheme.starts_with("dirk"))
    refuse(spec, fmt::format("scheme = \"{}\"", scheme), "stationary problems, bdf2, theta = 1",
           "its unknowns are states inside of a step: take bdf2, or theta = 1; where the equation "
           "has dt(dt(u)), make dt(u) a field of its own");
}

void check_problem(const Case &c, const Form &form, const BoundsSpec &spec) {
  if (c.form.law)
    refuse(spec, "a field of a conservation law", "fields of weak forms",
           "see `positive` and `limiter` of [conservation_law]");
  if (c.time && c.time->scheme == "theta" && c.time->theta < 1)
    refuse(spec, fmt::format("scheme = \"theta\" with theta = {}", format_real(c.time->theta)),
           "stationary problems, bdf2, theta = 1",
           "its unknowns are states inside of a step: take bdf2, or theta = 1");
  if (c.time)
    check_scheme(*c.time, form, spec);
  if (c.time && c.time->arc_length)
    refuse(spec, "[load] arc_length = true", "steps of the load itself", "leave arc_length out");
}

int index_of_field(const Discretisation &d, const BoundsSpec &spec) {
  const auto field = std::find_if(d.form.fields.begin(), d.form.fields.end(),
                                  [&](const FieldSpec &f) { return f.name == spec.field; });
  require(field != d.form.fields.end(), "bounds stand where a field is declared");
  return static_cast<int>(field - d.form.fields.begin());
}

// Puts one side's values into those of the dofs, as the host has them, and what these depend on
// into `bounds`.
void evaluate_side(const Case &c, const Discretisation &d, const BoundsSpec &spec,
                   const std::vector<std::optional<SourceText>> &side, std::vector<double> &values,
                   DofBounds &bounds) {
  const int field = index_of_field(d, spec);
  const int components = d.form.fields[field].components();
  if (side.size() != 1 && static_cast<int>(side.size()) != components)
    throw Error(
        ErrorKind::input,
        {.what = "bounds of another number of components than the field has",
         .where = spec.place,
         .found = fmt::format("{} for {}", side.size(), spec.field),
         .allowed = components == 1 ? "one" : fmt::format("one for all, or {}", components)});
  const NodeMap &map = d.map_of_field(field);
  const std::vector<bool> regions = classes_of_field(*d.mesh, d.form.fields[field]);
  for (int k = 0; k < components; ++k) {
    const std::optional<SourceText> &text = side[side.size() == 1 ? 0 : k];
    if (!text)
      continue;
    const ResolvedExpression bound =
        resolve(make_expression(c.form, *text, {}, false, false), *d.mesh, regions,
                std::vector<bool>(d.mesh->facet_classes.size(), false));
    if (map.whole_domain)
      check_same_everywhere(bound, text->where());
    bounds.depend_on_time |= bound.expression.function.uses(SymbolKind::time);
    bounds.depend_on_parameters |= has_settable_entries(bound.expression);
    const std::vector<double> at_nodes = values_at_nodes(
        d, bound, map, nullptr, d.form.fields[field].cells.empty() ? nullptr : &regions);
    for (std::size_t node = 0; node < at_nodes.size(); ++node)
      values[d.field_offset[field] + node * components + k] = at_nodes[node];
  }
}

void check_order(const Discretisation &d, const BoundsSpec &spec, const std::vector<double> &lower,
                 const std::vector<double> &upper) {
  std::string fault;
  for (std::size_t i = 0; i < lower.size() && fault.empty(); ++i)
    if (!(lower[i] <= upper[i])) // not for NaN
      fault = fmt::format("[{}, {}]", format_real(lower[i]), format_real(upper[i]));
  if (!any(d.ranks, !fault.empty()))
    return;
  throw Error(ErrorKind::input, {.what = "bounds between which there is nothing",
                                 .where = spec.place,
                                 .found = first_text(d.ranks, fault) + " at a node",
                                 .allowed = "a lower bound that is not above the upper one"});
}

} // namespace

DofBounds make_bounds(const Case &c, const Discretisation &d) {
  if (c.bounds.empty())
    return {};
  std::vector<double> lower(d.num_local, -infinity), upper(d.num_local, infinity);
  DofBounds bounds;
  for (const BoundsSpec &spec : c.bounds) {
    check_problem(c, d.form, spec);
    evaluate_side(c, d, spec, spec.lower, lower, bounds);
    evaluate_side(c, d, spec, spec.upper, upper, bounds);
    check_order(d, spec, lower, upper);
  }
  bounds.lower = own_entries(d, lower);
  bounds.upper = own_entries(d, upper);
  for (const std::int32_t dof : d.constraints.dofs) {
    bounds.lower[dof] = -infinity;
    bounds.upper[dof] = infinity;
  }
  return bounds;
}

} // namespace weft
