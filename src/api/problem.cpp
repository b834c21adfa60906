// A problem's sizes, state, parameters and equations.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "api/problem_parts.h"
#include "base/error.h"
#include "base/names.h"
#include "case/parameter_names.h"
#include "op/set_up/make_discretisation.h"
#include "run/parameter_values.h"

namespace weft {

void Problem::Parts::require_size(std::size_t found, const char *what) const {
  const auto expected = static_cast<std::size_t>(simulation->discretisation.num_owned);
  if (found != expected)
    throw Error(ErrorKind::input, {.what = fmt::format("an array of the wrong size: {}", what),
                                   .found = fmt::format("{} entries", found),
                                   .allowed = fmt::format("{} (num_dofs())", expected)});
}

Vector Problem::Parts::make(const char *what) const {
  const NonlinearOperator &op = equations();
  return make_vector(*simulation->device, op.layout(), op.precision(), what);
}

Vector &Problem::Parts::vector(Vector &of_calls, const char *what) const {
  if (!of_calls.buffer)
    of_calls = make(what);
  return of_calls;
}

Vector &Problem::Parts::enter(Vector &of_calls, std::span<const double> values,
                              const char *what) const {
  require_size(values.size(), what);
  set_vector(*simulation->device, vector(of_calls, what), values);
  return of_calls;
}

void Problem::Parts::leave(const Vector &from, std::span<double> to) const {
  get_vector(*simulation->device, from, to);
}

const Vector &Problem::Parts::entries(const DeviceVector &vector, const char *what) const {
  if (&vector.impl_->device != simulation->device.get() ||
      vector.impl_->vector.size != equations().size())
    throw Error(ErrorKind::input, {.what = fmt::format("a vector of another problem: {}", what),
                                   .remedy = "take it from device_vector() of this one"});
  return vector.impl_->vector;
}

int Problem::Parts::field(const std::string &name) const {
  const std::vector<FieldSpec> &fields = simulation->discretisation.form.fields;
  std::vector<std::string> names;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name == name)
      return static_cast<int>(f);
    names.push_back(fields[f].name);
  }
  throw Error(ErrorKind::input,
              {.what = "unknown field \"" + name + "\"", .allowed = join_names(names)});
}

void Problem::Parts::take_state() {
  std::copy(simulation->state.begin(), simulation->state.end(), state.begin());
}

void Problem::Parts::operators_moved() {
  is_linearised = assembled_is_current = false;
  preconditioner.reset();
  NonlinearOperator *op = equations_made();
  if (!simulation->c.time || op == nullptr)
    return;
  const Vector zero = make("rate zero");
  simulation->device->fill_zero(zero.buffer, zero.size * size_bytes(zero.precision));
  op->set_rate(zero, 0);
  op->set_second_rate(zero, 0, 0);
  op->set_time(simulation->discretisation.time);
}

void Problem::Parts::changed(bool anew) {
  is_linearised = assembled_is_current = false;
  preconditioner.reset();
  if (anew)
    assembled.reset();
  else if (assembled)
    assembled->take_values();
  if (!simulation->has_result && !simulation->state_is_given)
    take_state();
}

Problem::Problem(const std::string &case_file, const ProblemOptions &options)
    : parts_(std::make_unique<Parts>()) {
  parts_->simulation = make_simulation(case_file, options);
  parts_->simulation->keeps_solver = true;
  parts_->state = parts_->simulation->state;
}

Problem::Problem(const CaseText &text, const ProblemOptions &options)
    : parts_(std::make_unique<Parts>()) {
  parts_->simulation = make_simulation(case_in_memory(text), options);
  parts_->simulation->keeps_solver = true;
  parts_->state = parts_->simulation->state;
}

Problem::~Problem() = default;
Problem::Problem(Problem &&) noexcept = default;
Problem &Problem::operator=(Problem &&) noexcept = default;

std::size_t Problem::num_dofs() const {
  return static_cast<std::size_t>(parts_->simulation->discretisation.num_owned);
}

std::vector<FieldInfo> Problem::fields() const {
  std::vector<FieldInfo> infos;
  for (const FieldSpec &spec : parts_->simulation->discretisation.form.fields)
    infos.push_back(field(spec.name));
  return infos;
}

FieldInfo Problem::field(const std::string &name) const {
  const Discretisation &d = parts_->simulation->discretisation;
  const int f = parts_->field(name);
  const FieldSpec &spec = d.form.fields[f];
  return {.name = spec.name,
          .element = spec.element(),
          .components = spec.components(),
          .is_vector = !spec.shape.empty(),
          .num_nodes = static_cast<std::size_t>(d.map_of_field(f).num_owned),
          .offset = static_cast<std::size_t>(d.own_offset[f])};
}

std::vector<double> Problem::node_coordinates(const std::string &name) const {
  return parts_->simulation->discretisation.map_of_field(parts_->field(name)).coordinates;
}

std::vector<std::size_t> Problem::constrained_dofs() const {
  const auto &dofs = parts_->simulation->discretisation.constraints.dofs;
  return {dofs.begin(), dofs.end()};
}

void Problem::constrained_values(std::span<double> values) const {
  const std::vector<double> &prescribed = parts_->simulation->discretisation.constraints.values;
  if (values.size() != prescribed.size())
    throw Error(ErrorKind::input,
                {.what = "an array of the wrong size: prescribed values",
                 .found = fmt::format("{} entries", values.size()),
                 .allowed = fmt::format("{} (constrained_dofs())", prescribed.size())});
  std::copy(prescribed.begin(), prescribed.end(), values.begin());
}

bool Problem::is_linear() const {
  return parts_->equations().linear();
}

bool Problem::is_symmetric() const {
  return parts_->equations().symmetric();
}

bool Problem::is_transient() const {
  return parts_->simulation->c.time.has_value();
}

std::string Problem::device() const {
  return parts_->simulation->device->info().name;
}

std::vector<std::string> Problem::parameters() const {
  return parameter_names(parts_->simulation->c.form);
}

std::vector<double> Problem::parameter(const std::string &name) const {
  return parameter_value(parts_->simulation->c, name).values;
}

void Problem::set_parameter(const std::string &name, double value) {
  set_parameters({{name, {value}}});
}

void Problem::set_parameters(
    const std::vector<std::pair<std::string, std::vector<double>>> &values) {
  std::vector<ParameterValue> set;
  for (const auto &[name, components] : values)
    set.push_back({name, components});
  Parts &p = *parts_;
  Simulation &s = *p.simulation;
  // Steps go on from where they are, with operators that may be others.
  std::optional<TimeState> under_way;
  if (p.steps)
    under_way = p.steps->stepper().state();
  p.steps.reset();
  const auto go_on = [&](bool anew) {
    p.changed(anew);
    if (under_way)
      p.steps = std::make_unique<TransientRun>(s, &*under_way);
  };
  try {
    go_on(weft::set_parameters(s, set) == ParameterChange::equations);
  } catch (...) {
    go_on(true);
    throw;
  }
}

std::span<const double> Problem::state() const {
  return parts_->state;
}

std::span<const double> Problem::state(const std::string &name) const {
  const FieldInfo info = field(name);
  return std::span<const double>(parts_->state)
      .subspan(info.offset, info.num_nodes * info.components);
}

void Problem::set_state(std::span<const double> u) {
  parts_->require_size(u.size(), "state");
  Simulation &s = *parts_->simulation;
  s.state.assign(u.begin(), u.end());
  s.state_is_given = true;
  parts_->steps.reset();
  parts_->take_state();
}

void Problem::reset() {
  parts_->steps.reset();
  reset_state(*parts_->simulation);
  parts_->take_state();
}

double Problem::time() const {
  return parts_->simulation->discretisation.time;
}

void Problem::set_time(double time) {
  if (!std::isfinite(time))
    throw Error(ErrorKind::input,
                {.what = "a time that is not finite", .found = fmt::format("{}", time)});
  Simulation &s = *parts_->simulation;
  weft::set_time(s.c, s.discretisation, time);
  parts_->equations().set_time(time);
  parts_->is_linearised = parts_->assembled_is_current = false;
  parts_->steps.reset();
}

void Problem::set_rate(std::span<const double> offset, double shift) {
  parts_->require_size(offset.size(), "offset of the rate");
  if (parts_->equations().second_order_in_time())
    throw Error(ErrorKind::unsupported,
                {.what = "set_rate() of a form with dt(dt())",
                 .where = parts_->simulation->c.file,
                 .remedy = "make dt(u) a field of its own: dt(u) = v, dt(v) = ..."});
  Vector kept = parts_->make("offset of the rate"); // operators keep a reference
  set_vector(*parts_->simulation->device, kept, offset);
  parts_->equations().set_rate(kept, shift);
  parts_->is_linearised = parts_->assembled_is_current = false;
  parts_->steps.reset();
}

DeviceVector Problem::device_vector() {
  return DeviceVector(std::make_unique<DeviceVector::Impl>(
      DeviceVector::Impl{*parts_->simulation->device, parts_->make("vector of a caller")}));
}

Problem read(const std::string &case_file, const ProblemOptions &options) {
  return Problem(case_file, options);
}

} // namespace weft
