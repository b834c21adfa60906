// A problem solved, and what there is at its state.
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "api/problem_parts.h"
#include "base/error.h"
#include "base/kept_notices.h"
#include "base/names.h"
#include "base/timer.h"
#include "op/evaluate/expression_values.h"
#include "op/evaluate/field_values.h"
#include "output/vtk/vtk_cells.h"
#include "run/parameter_values.h"
#include "run/run_results.h"

namespace weft {

namespace {

SolveResult result_of(const SolveReport &report, double seconds) {
  return {.converged = report.converged,
          .reason = report.reason,
          .iterations = report.iterations,
          .newton_steps = report.newton_steps,
          .residual = report.residual,
          .seconds = seconds,
          .setup_seconds = report.setup_seconds};
}

StepInfo info_of(const Stepper &stepper) {
  return {.time = stepper.time(),
          .number = stepper.progress().num_steps,
          .finished = stepper.finished()};
}

} // namespace

SolveResult Problem::try_solve() {
  Parts &p = *parts_;
  Simulation &s = *p.simulation;
  p.steps.reset();
  if (s.c.time && s.has_result && !s.state_is_given)
    reset();
  const Timer timer;
  if (s.c.time) {
    TransientWatch watch;
    if (p.look)
      watch.on_step = [&](Stepper &stepper) {
        take_state(s, stepper);
        p.take_state();
        p.look(info_of(stepper));
      };
    solve_transient(s, false, watch);
  } else {
    weft::solve(s, false);
  }
  s.state_is_given = false;
  p.take_state();
  p.operators_moved();
  return result_of(s.solver, timer.seconds());
}

SolveResult Problem::solve() {
  const SolveResult result = try_solve();
  if (!result.converged)
    throw Error(ErrorKind::numerical, {.what = result.reason, .where = parts_->simulation->c.file});
  return result;
}

void Problem::on_step(std::function<void(const StepInfo &)> look) {
  parts_->look = std::move(look);
}

StepInfo Problem::step() {
  Parts &p = *parts_;
  Simulation &s = *p.simulation;
  if (!s.c.time)
    throw Error(ErrorKind::input, {.what = "steps of a stationary problem",
                                   .where = s.c.file,
                                   .remedy = "add [time] or [load], or call solve()"});
  if (!p.steps) {
    if (s.has_result && !s.state_is_given)
      reset();
    p.steps = std::make_unique<TransientRun>(s);
  }
  p.steps->step();
  if (p.steps->report().converged) {
    p.steps->move_discretisation();
    p.steps->judge_state();
  }
  const StepInfo info = info_of(p.steps->stepper());
  const bool is_last = !p.steps->running();
  if (is_last)
    p.steps->finish();
  else
    weft::take_state(s, p.steps->stepper());
  s.state_is_given = false;
  p.take_state();
  if (!is_last)
    return info;
  p.steps.reset();
  p.operators_moved();
  if (!s.solver.converged)
    throw Error(ErrorKind::numerical, {.what = s.solver.reason, .where = s.c.file});
  return info;
}

const FunctionalSpec &Problem::Parts::functional(const std::string &name) const {
  const Case &c = simulation->c;
  std::vector<std::string> names;
  for (const FunctionalSpec &spec : c.functionals) {
    if (spec.name == name)
      return spec;
    names.push_back(spec.name);
  }
  throw Error(ErrorKind::input,
              {.what = "unknown functional \"" + name + "\"",
               .where = c.file,
               .allowed = names.empty() ? "the case has no [functionals]" : join_names(names)});
}

std::vector<std::string> Problem::functional_names() const {
  std::vector<std::string> names;
  for (const FunctionalSpec &spec : parts_->simulation->c.functionals)
    names.push_back(spec.name);
  return names;
}

std::vector<double> Problem::functional_values(const std::string &name) {
  const Simulation &s = *parts_->simulation;
  const FunctionalValue value =
      weft::functional(s.c, s.discretisation, parts_->functional(name), s.state);
  if (!value.fault.empty())
    throw Error(ErrorKind::numerical,
                {.what = "the functional " + name + " " + value.fault, .where = s.c.file});
  return value.values;
}

double Problem::functional(const std::string &name) {
  return functional_values(name).front();
}

std::vector<FunctionalResult> Problem::functionals() {
  std::vector<FunctionalResult> results;
  for (const std::string &name : functional_names())
    results.push_back({name, functional_values(name)});
  return results;
}

namespace {

ResolvedExpression expression_of(const Simulation &s, const std::string &text,
                                 const std::string &what) {
  const SourceText source{.text = text, .file = {}, .line = 0, .key = what};
  return resolve_on_cells(make_expression(s.c.form, source, {}, true, false), s.discretisation);
}

} // namespace

std::vector<double> Problem::values_at(std::span<const double> points,
                                       const std::string &expression) {
  const Simulation &s = *parts_->simulation;
  const ResolvedExpression resolved = expression_of(s, expression, "values_at()");
  const auto located = locate_all_points(s.discretisation, points, "values_at()");
  return values_at_points(s.discretisation, resolved, located, &s.state);
}

std::vector<double> Problem::values_at_mesh_points(const std::string &expression) {
  const Simulation &s = *parts_->simulation;
  const Discretisation &d = s.discretisation;
  return results_at_nodes(d, expression_of(s, expression, "values_at_mesh_points()"), d.geometry,
                          s.state);
}

std::vector<double> Problem::values_at_nodes(const std::string &field,
                                             const std::string &expression) {
  const Simulation &s = *parts_->simulation;
  const Discretisation &d = s.discretisation;
  return results_at_nodes(d, expression_of(s, expression, "values_at_nodes()"),
                          d.map_of_field(parts_->field(field)), s.state);
}

MeshView Problem::mesh() const {
  const Discretisation &d = parts_->simulation->discretisation;
  MeshView view{.dimension = static_cast<std::size_t>(d.mesh->dim),
                .points = d.geometry.coordinates,
                .cells = {}};
  for (const NodeMapSet &set : d.geometry.sets) {
    const std::vector<int> order = vtk_node_order(set.element);
    const std::size_t n = set.element.num_nodes(), num_cells = set.nodes.size() / n;
    MeshCells cells{.vtk_type = vtk_cell_type(set.element.cell, set.element.order),
                    .nodes_per_cell = order.size(),
                    .nodes = {}};
    cells.nodes.reserve(num_cells * order.size());
    for (std::size_t c = 0; c < num_cells; ++c)
      for (const int node : order)
        cells.nodes.push_back(set.nodes[c * n + node]);
    view.cells.push_back(std::move(cells));
  }
  return view;
}

void Problem::write(const std::string &folder) {
  Simulation &s = *parts_->simulation;
  if (!s.has_result)
    throw Error(ErrorKind::input, {.what = "nothing was solved that could be written",
                                   .where = s.c.file,
                                   .remedy = "call solve() first"});
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorKind::system, {.what = "the folder for results can't be made",
                                    .where = folder,
                                    .found = error.message(),
                                    .remedy = "give another, or change its permissions"});
  const log::KeptNotices notices;
  Run run{.s = s, .notices = notices, .folder = folder};
  if (!s.solver.converged)
    run.outcome.add("not_converged", exit_code(ErrorKind::numerical), s.solver.reason);
  const std::size_t failures = run.outcome.failures.size();
  write_what_there_is(run);
  if (run.outcome.failures.size() > failures)
    throw Error(ErrorKind::system, {.what = run.outcome.failures[failures], .where = folder});
}

std::string Problem::report() {
  Simulation &s = *parts_->simulation;
  const log::KeptNotices notices;
  Run run{.s = s, .notices = notices};
  return results_json(record_of(run));
}

} // namespace weft
