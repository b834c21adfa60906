#include "weft/weft.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "run/simulation.h"

namespace weft {

struct Problem::Parts {
  std::unique_ptr<Simulation> simulation;

  void require_size(std::size_t found, const char *what) const {
    const auto expected = static_cast<std::size_t>(simulation->discretisation.num_owned);
    if (found != expected)
      throw Error(ErrorKind::input, {.what = fmt::format("an array of the wrong size: {}", what),
                                     .found = fmt::format("{} entries", found),
                                     .allowed = fmt::format("{} (num_dofs())", expected)});
  }
  // Error (unsupported): `what` is asked of steps that are explicit.
  NonlinearOperator &system(const std::string &what) const {
    NonlinearOperator *system = simulation->model->system();
    if (system == nullptr)
      throw Error(ErrorKind::unsupported,
                  {.what = what + " does not know explicit steps of conservation laws",
                   .where = simulation->c.file,
                   .allowed = "weak forms, and laws with an implicit scheme"});
    return *system;
  }
  Vector upload(std::span<const double> values, const char *what) const {
    require_size(values.size(), what);
    const NonlinearOperator &system = *simulation->model->system();
    Vector vector = make_vector(*simulation->device, system.size(), system.precision(), what);
    set_vector(*simulation->device, vector, {values.begin(), values.end()});
    return vector;
  }
  void download(const Vector &vector, std::span<double> to) const {
    const std::vector<double> values = get_vector(*simulation->device, vector);
    std::copy(values.begin(), values.end(), to.begin());
  }
};

Problem::Problem(const std::string &case_file, const ProblemOptions &options)
    : parts_(std::make_unique<Parts>()) {
  parts_->simulation = make_simulation(case_file, options);
}

Problem::~Problem() = default;
Problem::Problem(Problem &&) noexcept = default;
Problem &Problem::operator=(Problem &&) noexcept = default;

std::size_t Problem::num_dofs() const {
  return static_cast<std::size_t>(parts_->simulation->discretisation.num_owned);
}

std::vector<double> Problem::node_coordinates(const std::string &field) const {
  const Discretisation &d = parts_->simulation->discretisation;
  std::vector<std::string> names;
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    if (d.form.fields[f].name == field)
      return d.map_of_field(static_cast<int>(f)).coordinates;
    names.push_back(d.form.fields[f].name);
  }
  throw Error(ErrorKind::input,
              {.what = "unknown field \"" + field + "\"", .allowed = join_names(names)});
}

std::vector<std::size_t> Problem::constrained_dofs() const {
  const auto &dofs = parts_->simulation->discretisation.constraints.dofs;
  return {dofs.begin(), dofs.end()};
}

void Problem::residual(std::span<const double> u, std::span<double> r) {
  Simulation &s = *parts_->simulation;
  NonlinearOperator &system = parts_->system("Problem::residual()");
  parts_->require_size(r.size(), "residual");
  const Vector state = parts_->upload(u, "state");
  Vector result = make_vector(*s.device, system.size(), system.precision(), "residual");
  system.residual(state, result);
  parts_->download(result, r);
}

void Problem::apply(std::span<const double> u, std::span<const double> x, std::span<double> y) {
  Simulation &s = *parts_->simulation;
  NonlinearOperator &system = parts_->system("Problem::apply()");
  parts_->require_size(y.size(), "result");
  const Vector direction = parts_->upload(x, "direction");
  Vector result = make_vector(*s.device, system.size(), system.precision(), "result");
  system.linearise(parts_->upload(u, "state"));
  system.apply(direction, result);
  parts_->download(result, y);
}

void Problem::solve() {
  Simulation &s = *parts_->simulation;
  weft::solve(s, false);
  if (!s.solver.converged)
    throw Error(ErrorKind::numerical, {.what = s.solver.reason, .where = s.c.file});
}

std::vector<double> Problem::state() const {
  return parts_->simulation->state;
}

void Problem::set_state(std::span<const double> u) {
  parts_->require_size(u.size(), "state");
  parts_->simulation->state.assign(u.begin(), u.end());
}

std::vector<double> Problem::functional_values(const std::string &name) {
  const Simulation &s = *parts_->simulation;
  std::vector<std::string> names;
  for (const FunctionalSpec &spec : s.c.functionals) {
    names.push_back(spec.name);
    if (spec.name != name)
      continue;
    const FunctionalValue value = weft::functional(s.c, s.discretisation, spec, s.state);
    if (!value.fault.empty())
      throw Error(ErrorKind::numerical,
                  {.what = "the functional " + name + " " + value.fault, .where = s.c.file});
    return value.values;
  }
  throw Error(ErrorKind::input,
              {.what = "unknown functional \"" + name + "\"",
               .where = s.c.file,
               .allowed = names.empty() ? "the case has no [functionals]" : join_names(names)});
}

double Problem::functional(const std::string &name) {
  return functional_values(name).front();
}

Problem read(const std::string &case_file, const ProblemOptions &options) {
  return Problem(case_file, options);
}

} // namespace weft
