#include "run/adjoint/linearised_solver.h"

#include <algorithm>

#include "base/error.h"
#include "base/system/interruption.h"
#include "op/adjoint/adjoint_problem.h"
#include "run/model/make_model.h"

namespace weft {

namespace {

SolverSpec solver_of_adjoint(const Simulation &s) {
  SolverSpec solver;
  solver.tolerance = s.c.solver.tolerance;
  solver.max_iterations = s.c.solver.max_iterations;
  if (s.c.solver.method == "direct" && !s.solver_choice.method_chosen)
    solver.method = "direct";
  return solver;
}

bool failed(const SolveReport &report) {
  return !report.converged && report.status != SolveStatus::interrupted;
}

} // namespace

LinearisedSolver::LinearisedSolver(const Simulation &s, const Case &c, const Discretisation &d,
                                   const std::vector<double> &state, Which which)
    : device_(*s.device), state_(state) {
  problem_.c = c;
  problem_.c.solver = solver_of_adjoint(s);
  problem_.c.device.precision = "f64";
  const bool is_own = which == Which::jacobian || d.form.symmetric;
  problem_.discretisation = is_own ? d : transposed(d, state);
  problem_.state = state;
  problem_.model = make_model(problem_.c, device_, problem_.discretisation);
  problem_.solver_choice = problem_.model->choose_solver(state);
  set_up();
}

void LinearisedSolver::set_up() {
  solver_.reset();
  problem_.model->set_up({});
  settings_ = solver_settings(problem_);
  NonlinearOperator &op = *problem_.model->system();
  linearised_at_ = make_vector(device_, op.layout(), op.precision(), "state to linearise at");
  op.set_dofs(state_, linearised_at_);
  op.linearise(linearised_at_);
  solver_.emplace(op, settings_);
  solver_->update();
}

// Gives way as a solve of the problem itself does: to a matrix, to GMRES, to elimination.
SolveReport LinearisedSolver::attempt(const Vector &b, Vector &x) {
  const auto again = [&] {
    solver_.reset();
    solver_.emplace(*problem_.model->system(), settings_);
    solver_->update();
    return solver_->solve_from_zero(b, x, settings_.tolerance);
  };
  SolveReport report = solver_->solve_from_zero(b, x, settings_.tolerance);
  if (failed(report) && problem_.solver_choice.orders_chosen) {
    problem_.solver_choice.orders_chosen = false;
    problem_.c.solver.op = "assembled";
    problem_.c.solver.coarsening = "aggregation";
    set_up();
    report = solver_->solve_from_zero(b, x, settings_.tolerance);
  }
  if (report.status == SolveStatus::indefinite && settings_.may_change_method) {
    settings_.method = KrylovKind::gmres;
    report = again();
  }
  if (failed(report) && settings_.may_eliminate && settings_.may_eliminate()) {
    settings_.method = KrylovKind::gmres;
    settings_.preconditioner = PrecondKind::direct;
    report = again();
  }
  return report;
}

std::vector<double> LinearisedSolver::solve(std::vector<double> load) {
  for (const std::int32_t dof : problem_.discretisation.constraints.dofs)
    load[dof] = 0;
  if (std::all_of(load.begin(), load.end(), [](double value) { return value == 0; }))
    return load;
  NonlinearOperator &op = *problem_.model->system();
  Vector b = make_vector(device_, op.layout(), op.precision(), "load");
  Vector x = make_vector(device_, op.layout(), op.precision(), "solution");
  op.set_dofs(load, b);
  const SolveReport report = attempt(b, x);
  if (report.status == SolveStatus::interrupted)
    throw Interrupted{interruption()};
  if (!report.converged)
    throw Error(ErrorKind::numerical,
                {.what = "the problem for an error or a gradient was not solved: " + report.reason,
                 .where = problem_.c.file,
                 .remedy = "allow more with [solver] max_iterations, say [solver] method = "
                           "\"direct\", or leave error and gradient of [functionals] out"});
  return op.dofs(x);
}

} // namespace weft
