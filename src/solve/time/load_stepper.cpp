#include "solve/time/load_stepper.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/system/interruption.h"
#include "ranks/interruption.h"
#include "solve/rounding.h"

namespace weft {

namespace {

constexpr double growth = 2, cut = 0.5;
constexpr int few_newton_steps = 4, many_newton_steps = 10;
constexpr double shortest_fraction = 1e-6; // of the whole range
constexpr int most_corrections = 12;
constexpr double difference = 1e-6;           // of the range, to see how F depends on the parameter
constexpr double correction_tolerance = 1e-8; // of the linear systems of a correction
constexpr int most_arc_steps = 2000;
// Of the first step, which is sqrt(2) long: so that turns are seen.
constexpr double longest_arc = 4 * 1.4142135623730951;

// A shorter step is cheaper than a long search.
SolverSettings for_load_steps(SolverSettings settings) {
  settings.newton.max_iterations = std::min(settings.newton.max_iterations, 15);
  return settings;
}

std::vector<double> difference_of(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

} // namespace

LoadStepper::LoadStepper(NonlinearOperator &op, const SolverSettings &solver,
                         const TimeSettings &settings, MoveTo move_to)
    : Stepper(settings), op_(op), solver_settings_(solver), move_to_(std::move(move_to)),
      solver_(op, for_load_steps(solver)),
      kernels_(op.device(), op.precision(), op.layout(), 1, {}),
      next_(kernels_.vector("next state")) {}

void LoadStepper::start(const std::vector<double> &state) {
  TimeState first{.time = settings_.start};
  first.states = {state};
  first.field_scale.assign(std::max<std::size_t>(solver_settings_.fields.size(), 1), 0);
  resume(first);
  op_.set_constrained(history_.front());
}

void LoadStepper::resume(const TimeState &state) {
  require(!state.states.empty(), "a state to go on from");
  state_ = state;
  state_.states.clear();
  history_.clear();
  for (std::size_t i = 0; i < std::min<std::size_t>(2, state.states.size()); ++i) {
    history_.push_back(kernels_.vector("state"));
    op_.set_dofs(state.states[i], history_.back());
  }
  move_to_(state_.time);
}

TimeState LoadStepper::state() const {
  TimeState state = state_;
  for (const Vector &u : history_)
    state.states.push_back(op_.dofs(u));
  return state;
}

std::vector<double> LoadStepper::solution() const {
  return op_.dofs(history_.front());
}

void LoadStepper::forget_setup() {
  solver_.forget_setup();
}

double LoadStepper::shortest_length() const {
  return shortest_fraction * (settings_.end() - settings_.start);
}

// The state at a given value of the parameter.
LoadStepper::Attempt LoadStepper::attempt_load(double length, const SolveProgress &progress) {
  Attempt attempt{.parameter = state_.time + length};
  if (history_.size() > 1 && state_.time != state_.time_before) {
    const double ratio = length / (state_.time - state_.time_before);
    kernels_.combine(next_, 1 + ratio, history_[0], -ratio, history_[1]);
  } else {
    kernels_.copy(history_[0], next_);
  }
  move_to_(attempt.parameter);
  attempt.report = solver_.solve(next_, progress, {.reference = state_.residual_scale});
  attempt.newton_steps = attempt.report.newton_steps;
  return attempt;
}

// What F changes by with the parameter, prescribed values with it, at next_ and its residual there.
// In rows of prescribed dofs minus the change of their values.
void LoadStepper::slope(double parameter, const Vector &residual, Vector &of_parameter) {
  const double change = difference * (settings_.end() - settings_.start);
  Vector moved = kernels_.vector("state of another load");
  Vector values = kernels_.vector("prescribed values"), before = kernels_.vector("those before");
  kernels_.zero(before);
  op_.set_constrained(before);
  move_to_(parameter + change);
  kernels_.zero(values);
  op_.set_constrained(values);
  kernels_.combine(values, 1, values, -1, before);
  kernels_.combine(moved, 1, next_, 1, values);
  op_.residual(moved, of_parameter);
  move_to_(parameter);
  kernels_.combine(of_parameter, 1 / change, of_parameter, -1 / change, residual);
  kernels_.combine(of_parameter, 1, of_parameter, -1 / change, values);
}

// Of two changes of (u, s), s last: each measured by that in the first step.
double LoadStepper::product(const std::vector<double> &a, const std::vector<double> &b) const {
  const double state_scale = state_.arc_state_scale, load_scale = state_.arc_load_scale;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i)
    sum += a[i] * b[i];
  sum = weft::sum(kernels_.among(), sum);
  return sum / (state_scale * state_scale) + a.back() * b.back() / (load_scale * load_scale);
}

// Newton's method for F(u, s) = 0 and a step of that length along the tangent.
bool LoadStepper::correct(double &parameter, double length, Attempt &attempt) {
  Device &device = op_.device();
  Vector residual = kernels_.vector("residual of a correction"),
         of_parameter = kernels_.vector("slope by the load"),
         by_state = kernels_.vector("correction"), by_load = kernels_.vector("correction by load");
  const std::vector<double> begin = get_vector(device, history_[0]);
  std::vector<double> tangent = difference_of(begin, get_vector(device, history_[1]));
  tangent.push_back(state_.time - state_.time_before);
  const double size = std::sqrt(product(tangent, tangent));
  for (double &entry : tangent)
    entry /= size;
  double tolerance = 0;
  for (int step = 0;; ++step) {
    move_to_(parameter);
    op_.set_constrained(next_);
    op_.residual(next_, residual);
    const double norm = kernels_.norm(residual);
    state_.residual_scale = std::max(state_.residual_scale, step == 0 ? norm : 0.);
    tolerance = solver_settings_.newton.tolerance * state_.residual_scale;
    attempt.report.residual = state_.residual_scale > 0 ? norm / state_.residual_scale : 0;
    attempt.newton_steps = step;
    if (!std::isfinite(norm) || step == most_corrections || interrupted(kernels_.among()))
      return false;
    std::vector<double> change = difference_of(get_vector(device, next_), begin);
    change.push_back(parameter - state_.time);
    const double off = product(tangent, change) - length;
    if (step > 0 && norm > tolerance) // as last linearised
      tolerance = std::max(tolerance, rounding_of_residual(op_, next_));
    if (step > 0 && norm <= tolerance && std::abs(off) <= 1e-6 * length)
      return true;
    slope(parameter, residual, of_parameter);
    op_.linearise(next_);
    if (!linear_) {
      SolverSettings settings = solver_settings_;
      if (settings.may_change_method && settings.method == KrylovKind::cg)
        settings.method = KrylovKind::gmres; // beyond a turn the matrix is not definite
      linear_.emplace(op_, settings);
    } else {
      linear_->forget_setup();
      linear_->update();
    }
    for (const auto &[right, solution] :
         {std::pair{&residual, &by_state}, std::pair{&of_parameter, &by_load}}) {
      const SolveReport linear = linear_->solve_from_zero(*right, *solution, correction_tolerance);
      attempt.report.iterations += linear.iterations;
      if (!linear.converged)
        return false;
    }
    std::vector<double> a = get_vector(device, by_state), b = get_vector(device, by_load);
    a.push_back(0);
    b.push_back(-1);
    // tangent . (-a - ds b) + off = 0
    const double along = product(tangent, b);
    const double change_of_load = along != 0 ? (off - product(tangent, a)) / along : 0;
    kernels_.combine(next_, 1, next_, -1, by_state);
    kernels_.combine(next_, 1, next_, -change_of_load, by_load);
    parameter += change_of_load;
  }
}

// A step of that length along the path; where s passes its end, to the end.
LoadStepper::Attempt LoadStepper::attempt_arc(double length) {
  Attempt attempt;
  std::vector<double> last =
      difference_of(get_vector(op_.device(), history_[0]), get_vector(op_.device(), history_[1]));
  last.push_back(state_.time - state_.time_before);
  const double ratio = length / std::sqrt(product(last, last));
  double parameter = state_.time + ratio * last.back();
  kernels_.combine(next_, 1 + ratio, history_[0], -ratio, history_[1]);
  const bool converged = correct(parameter, length, attempt);
  attempt.parameter = parameter;
  finish_report(attempt.report, converged       ? SolveStatus::converged
                                : interrupted() ? SolveStatus::interrupted
                                                : SolveStatus::max_iterations);
  return attempt;
}

void LoadStepper::accept(const Attempt &attempt) {
  if (state_.num_steps == 0) {
    const std::vector<double> change =
        difference_of(get_vector(op_.device(), next_), get_vector(op_.device(), history_[0]));
    double square = 0;
    for (const double entry : change)
      square += entry * entry;
    square = sum(kernels_.among(), square);
    state_.arc_state_scale = square > 0 ? std::sqrt(square) : 1;
    state_.arc_load_scale = std::abs(attempt.parameter - state_.time);
  }
  Vector spare = history_.size() < 2 ? kernels_.vector("state") : history_.back();
  if (history_.size() == 2)
    history_.pop_back();
  history_.insert(history_.begin(), next_);
  next_ = spare;
  state_.time_before = state_.time;
  state_.steps = {
      std::max(std::abs(attempt.parameter - state_.time), std::numeric_limits<double>::min())};
  state_.time = attempt.parameter;
  state_.residual_scale = std::max(state_.residual_scale, attempt.report.initial_residual);
  ++state_.num_steps;
}

// The next step's length, by how hard this one was.
void LoadStepper::control(double length, int newton_steps) {
  const double factor = newton_steps <= few_newton_steps    ? growth
                        : newton_steps <= many_newton_steps ? 1
                                                            : cut;
  state_.wanted_step = factor * length;
  if (settings_.arc_length)
    state_.wanted_step = std::min(state_.wanted_step, longest_arc);
}

SolveReport LoadStepper::step(const SolveProgress &progress) {
  require(!finished(), "a load that is not reached");
  for (;;) {
    const bool arc = settings_.arc_length && state_.num_steps > 0;
    // In units of the first step where it is one along the path.
    const double length = state_.wanted_step > 0 ? state_.wanted_step : settings_.step;
    const double unit = arc ? state_.arc_load_scale : 1;
    Attempt attempt;
    bool to_stop = false;
    if (arc) {
      attempt = attempt_arc(length);
      if (attempt.report.converged && attempt.parameter >= settings_.end())
        attempt = attempt_load(settings_.end() - state_.time, progress);
    } else {
      const auto stop = std::upper_bound(settings_.stops.begin(), settings_.stops.end(),
                                         state_.time * (1 + 1e-12));
      const double left = (stop == settings_.stops.end() ? settings_.end() : *stop) - state_.time;
      to_stop = length >= left * (1 - 1e-9);
      attempt = attempt_load(to_stop ? left : length, progress);
      if (to_stop)
        attempt.parameter = stop == settings_.stops.end() ? settings_.end() : *stop;
    }
    state_.num_newton_steps += attempt.newton_steps;
    state_.num_iterations += attempt.report.iterations;
    if (attempt.report.converged) {
      accept(attempt);
      if (settings_.arc_length && state_.num_steps == 1)
        state_.wanted_step = std::sqrt(2.); // as long as the first step was
      else if (!to_stop || state_.wanted_step == 0)
        control(length, attempt.newton_steps);
      if (arc && state_.num_steps >= most_arc_steps && !finished())
        finish_report(attempt.report, SolveStatus::step_too_small,
                      fmt::format("{} steps along the path, and the load is at {:.6g}",
                                  most_arc_steps, state_.time));
      return attempt.report;
    }
    if (attempt.report.status == SolveStatus::interrupted) {
      move_to_(state_.time);
      return attempt.report;
    }
    ++state_.num_rejected;
    state_.wanted_step = cut * cut * (to_stop ? attempt.parameter - state_.time : length);
    if (state_.wanted_step * unit < shortest_length()) {
      move_to_(state_.time);
      finish_report(
          attempt.report, SolveStatus::no_load_step,
          fmt::format("the last solution is at {:.6g}; {}", state_.time, attempt.report.reason));
      return attempt.report;
    }
  }
}

} // namespace weft
