#include "run/parameter_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/error.h"
#include "case/parameter_names.h"
#include "form/expression/expression.h"
#include "op/evaluate/field_values.h"
#include "op/set_up/make_discretisation.h"
#include "run/case_notices.h"
#include "run/input/user_case.h"

namespace weft {

namespace {

// In the language of cases: "2.5", "[1, 2]", "[[1, 0], [0, 1]]".
std::string text_of(const std::vector<double> &values, const Shape &shape) {
  const auto row = [&](std::size_t first, std::size_t count) {
    std::string text;
    for (std::size_t i = first; i < first + count; ++i)
      text += fmt::format("{}{}", i == first ? "" : ", ", values[i]);
    return "[" + text + "]";
  };
  if (shape.empty())
    return fmt::format("{}", values.front());
  if (shape.size() == 1)
    return row(0, values.size());
  std::string text;
  for (int r = 0; r < shape[0]; ++r)
    text += (r == 0 ? "" : ", ") + row(std::size_t(r) * shape[1], shape[1]);
  return "[" + text + "]";
}

std::size_t size_of(const Shape &shape) {
  std::size_t size = 1;
  for (const int extent : shape)
    size *= extent;
  return size;
}

void check_values(const ParameterValue &value, const Shape &shape) {
  if (value.values.size() != size_of(shape))
    throw Error(ErrorKind::input,
                {.what = fmt::format("the parameter {} has other components", value.name),
                 .where = "[parameters] " + value.name,
                 .found = fmt::format("{} numbers", value.values.size()),
                 .allowed = fmt::format("{}", size_of(shape))});
  for (const double number : value.values)
    if (!std::isfinite(number))
      throw Error(ErrorKind::input,
                  {.what = fmt::format("a value of the parameter {} is not finite", value.name),
                   .where = "[parameters] " + value.name,
                   .found = fmt::format("{}", number)});
}

// What --set would have said.
void note_override(Case &c, const std::string &name, const std::string &text) {
  const std::string key = "parameters." + name + "=";
  std::erase_if(c.overrides, [&](const std::string &entry) { return entry.starts_with(key); });
  c.overrides.push_back(key + text);
}

// The components of a value that is the same everywhere and at all times.
std::optional<std::vector<double>> constants_of(const Expression &expression) {
  std::vector<double> constants;
  for (const NodeId output : expression.function.outputs) {
    const Node &node = expression.function.nodes[output];
    if (node.op != Op::constant)
      return {};
    constants.push_back(node.value);
  }
  return constants;
}

// Writes the values into the case.
ParameterChange write(Case &c, const std::vector<ParameterValue> &values) {
  ParameterChange change = ParameterChange::none;
  for (const ParameterValue &value : values) {
    const FoundParameter found = find_parameter(c.form, value.name);
    ParameterSpec &parameter = c.form.parameters[found.index];
    SourceText &text = value_of(c.form, found);
    const Expression before = make_expression(c.form, text, {}, false, true);
    check_values(value, before.shape);
    const auto constants = constants_of(before);
    if (!parameter.settable || !constants)
      change = ParameterChange::equations;
    else if (*constants != value.values)
      change = std::max(change, ParameterChange::values);
    parameter.settable = true;
    text.text = text_of(value.values, before.shape);
    note_override(c, value.name, text.text);
  }
  return change;
}

// Whether the law has more that is made of its coefficients than tables: two-point fluxes.
bool chooses_fluxes(const Case &c) {
  return c.form.law && std::any_of(c.form.fields.begin(), c.form.fields.end(),
                                   [](const FieldSpec &field) { return field.finite_volume; });
}

// Returns whether operators were made anew.
bool take(Simulation &s, bool equations) {
  Discretisation &d = s.discretisation;
  const bool was_open = !s.null_space.empty();
  const bool anew = equations || was_open || chooses_fluxes(s.c);
  s.null_space = {};
  d.fixed = {};
  if (anew)
    make_equations_anew(s.c, d);
  else
    take_values(s.c, d);
  look_over(s.c, d, false);
  if (!s.has_result && !s.state_is_given)
    s.state = initial_state(s.c, d);
  const std::string op = s.c.solver.op;
  const SolverRecord before = s.solver_choice;
  s.c.solver = s.asked_solver;
  s.solver_choice = s.model->choose_solver(s.state);
  if (s.solver_choice.method != before.method ||
      s.solver_choice.preconditioner != before.preconditioner)
    s.kept_solver.reset();
  if (!anew && s.c.solver.op == op && s.model->take_values())
    return false;
  s.kept_solver.reset();
  s.model->set_up(s.kernel_variant);
  return true;
}

} // namespace

std::size_t num_components(const Case &c, const std::string &name) {
  const SourceText &text = value_of(c.form, find_parameter(c.form, name));
  return size_of(make_expression(c.form, text, {}, false, true).shape);
}

ParameterValue parameter_value(const Case &c, const std::string &name) {
  FormSpec form = c.form;
  for (ParameterSpec &parameter : form.parameters)
    parameter.settable = false;
  const SourceText &text = value_of(form, find_parameter(form, name));
  const auto constants = constants_of(make_expression(form, text, {}, false, true));
  if (!constants)
    throw Error(ErrorKind::input,
                {.what = fmt::format("the parameter {} has no single value", name),
                 .where = text.where(),
                 .found = text.text,
                 .allowed = "a value that does not depend on place or time"});
  return {name, *constants};
}

ParameterChange set_parameters(Simulation &s, const std::vector<ParameterValue> &values) {
  const std::vector<ParameterSpec> parameters = s.c.form.parameters;
  const std::vector<std::string> overrides = s.c.overrides;
  bool taking = false;
  ParameterChange change = ParameterChange::none;
  try {
    change = write(s.c, values);
    taking = change != ParameterChange::none;
    if (taking)
      with_places_of(s.c, [&] {
        if (take(s, change == ParameterChange::equations))
          change = ParameterChange::equations;
      });
  } catch (...) {
    s.c.form.parameters = parameters;
    s.c.overrides = overrides;
    if (taking)
      take(s, true);
    throw;
  }
  return change;
}

void reset_state(Simulation &s) {
  if (s.c.time)
    set_time(s.c, s.discretisation, s.c.time->start);
  s.state = initial_state(s.c, s.discretisation);
  s.has_result = s.state_is_given = false;
}

} // namespace weft
