#include "run/sweep/sweep.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/system/interruption.h"
#include "base/timer.h"
#include "case/output_folder.h"
#include "op/evaluate/field_values.h"
#include "run/parameter_values.h"
#include "run/simulation.h"
#include "run/sweep/first_guess.h"
#include "run/sweep/samples_together.h"

namespace weft {

struct Sweep::Parts {
  std::unique_ptr<Simulation> simulation;
  std::vector<std::vector<double>> solutions; // of the last samples, the newest last
  std::unique_ptr<SamplesTogether> together;  // last: it reads the simulation
  bool tries_together = true;
};

namespace {

// A column for each component.
std::vector<std::string> columns_of(const Simulation &s) {
  std::vector<std::string> columns;
  for (const FunctionalSpec &spec : s.c.functionals) {
    const int components = check_functional(s.c, s.discretisation, spec);
    for (int k = 0; k < components; ++k)
      columns.push_back(components == 1 ? spec.name : fmt::format("{}[{}]", spec.name, k));
  }
  if (columns.empty())
    throw Error(ErrorKind::input, {.what = "nothing to tabulate",
                                   .where = s.c.file,
                                   .found = "a case without functionals",
                                   .remedy = "add [functionals] with what the sweep is for"});
  return columns;
}

void check_parameters(const Case &c, const std::vector<SweptParameter> &parameters) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    for (std::size_t q = 0; q < p; ++q)
      if (parameters[q].name == parameters[p].name)
        throw Error(ErrorKind::input, {.what = "a parameter that is swept twice",
                                       .where = "--over",
                                       .found = parameters[p].name});
    if (const std::size_t components = num_components(c, parameters[p].name); components != 1)
      throw Error(ErrorKind::input,
                  {.what = fmt::format("the parameter {} is not a number", parameters[p].name),
                   .where = "--over",
                   .found = fmt::format("{} components", components),
                   .remedy = "make it of parameters that are: b = \"[b_x, b_y]\""});
  }
}

} // namespace

Sweep::Sweep(const std::string &case_file, ProblemOptions options,
             const std::vector<SweptParameter> &parameters, int samples)
    : parts_(std::make_unique<Parts>()) {
  plan_.parameters = parameters;
  plan_.points = samples > 0 ? sweep_samples(parameters, samples) : sweep_grid(parameters);
  for (const std::string &override : options.overrides)
    overrides_ += override + "\n";
  for (const SweptParameter &parameter : parameters)
    options.settable.push_back(parameter.name);
  check_parameters(read_user_case(case_file, options), parameters);
  parts_->simulation = make_simulation(case_file, options);
  parts_->simulation->keeps_solver = true;
  plan_.functionals = columns_of(*parts_->simulation);
}

Sweep::~Sweep() = default;

std::string Sweep::identity() const {
  const Case &c = parts_->simulation->c;
  std::string text = c.text;
  for (const std::string &name : plan_.functionals)
    text += "\n" + name;
  for (const SweptParameter &parameter : plan_.parameters)
    text += "\n" + parameter.name;
  for (const SweepPoint &point : plan_.points)
    for (const double value : point)
      text += " " + format_real(value);
  for (const std::string &kernel : parts_->simulation->model->kernel_texts())
    text += "\n" + kernel; // equations that files of physics say
  return hash_hex(
      fmt::format("{}\n{} cells\n{}", text, parts_->simulation->mesh.num_cells(), overrides_));
}

std::string Sweep::folder() const {
  const Case &c = parts_->simulation->c;
  check_output_folder(c);
  return c.output.directory + "/sweep";
}

namespace {

// The row of a sample whose solution the simulation has.
void evaluate(const Simulation &s, SweepRow &row) {
  for (const FunctionalSpec &spec : s.c.functionals)
    for (const double value : functional(s.c, s.discretisation, spec, s.state).values)
      row.functionals.push_back(value);
}

} // namespace

void Sweep::set_sample(int sample) {
  std::vector<ParameterValue> values;
  for (std::size_t p = 0; p < plan_.parameters.size(); ++p)
    values.push_back({plan_.parameters[p].name, {plan_.points[sample][p]}});
  set_parameters(*parts_->simulation, values);
}

SweepRow Sweep::solve_one(int sample) {
  Simulation &s = *parts_->simulation;
  const Timer timer;
  SweepRow row{.sample = sample + 1, .point = plan_.points[sample]};
  set_sample(sample);
  const auto attempt = [&] {
    weft::solve(s, false);
    if (s.solver.status == SolveStatus::interrupted)
      throw Interrupted{interruption()};
    row.iterations += s.solver.iterations;
    row.newton_steps += s.solver.newton_steps;
  };
  const bool goes_on = !s.c.time && !parts_->solutions.empty();
  if (goes_on)
    s.state = first_guess(s, parts_->solutions);
  else
    reset_state(s);
  attempt();
  if (!s.solver.converged && goes_on) {
    reset_state(s);
    attempt();
  }
  row.converged = s.solver.converged;
  if (row.converged)
    evaluate(s, row);
  else
    row.reason = s.solver.reason;
  if (row.converged && !s.c.time)
    keep_solution(parts_->solutions, s.state);
  row.functionals.resize(plan_.functionals.size(), std::numeric_limits<double>::quiet_NaN());
  row.seconds = timer.seconds();
  return row;
}

std::vector<SweepRow> Sweep::solve_together(int first, int end) {
  Simulation &s = *parts_->simulation;
  SamplesTogether &together = *parts_->together;
  const Timer timer;
  together.clear();
  int after = first;
  for (bool has_room = true; has_room && after < end; ++after) {
    set_sample(after);
    has_room = together.add();
  }
  const SolveReport report = together.solve();
  if (report.status == SolveStatus::interrupted)
    throw Interrupted{interruption()};
  std::vector<SweepRow> rows;
  if (!report.converged) {
    parts_->tries_together = false;
    for (int sample = first; sample < after; ++sample)
      rows.push_back(solve_one(sample));
    return rows;
  }
  for (int sample = first; sample < after; ++sample) {
    const bool was_known = together.was_known(sample - first);
    SweepRow row{.sample = sample + 1,
                 .point = plan_.points[sample],
                 .iterations = was_known ? 0 : report.iterations,
                 .newton_steps = was_known ? 0 : 1,
                 .converged = true};
    set_sample(sample);
    s.state = together.state(sample - first);
    evaluate(s, row);
    keep_solution(parts_->solutions, s.state);
    rows.push_back(std::move(row));
  }
  for (SweepRow &row : rows)
    row.seconds = timer.seconds() / static_cast<double>(rows.size());
  return rows;
}

std::vector<SweepRow> Sweep::solve(int first, int end) {
  // Two solutions tell those of all others where one load changes.
  if (parts_->together && parts_->together->num_kept() > 1 && parts_->tries_together)
    return solve_together(first, end);
  SweepRow row = solve_one(first);
  Simulation &s = *parts_->simulation;
  if (row.converged && parts_->tries_together && SamplesTogether::possible(s)) {
    if (!parts_->together)
      parts_->together = std::make_unique<SamplesTogether>(s);
    parts_->together->keep_solution();
  }
  return {std::move(row)};
}

} // namespace weft
