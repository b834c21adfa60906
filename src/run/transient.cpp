#include "run/transient.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/log.h"
#include "base/number.h"
#include "base/system/interruption.h"
#include "form/weak_form/rates.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/state_fault.h"
#include "op/evaluate/table_fault.h"
#include "op/problem/field_regions.h"
#include "op/set_up/make_discretisation.h"
#include "output/progress.h"
#include "ranks/interruption.h"
#include "run/open_motions.h"
#include "run/phase.h"
#include "run/settings/case_time_settings.h"
#include "solve/time/explicit_stepper.h"
#include "solve/time/implicit_stepper.h"
#include "solve/time/load_stepper.h"

namespace weft {

namespace {

std::string place_of_failure(const Simulation &s, SolveStatus status,
                             const std::vector<double> &state) {
  return status == SolveStatus::step_lost && !(s.c.time->step > 0)
             ? describe_shortest_step(s.discretisation, state)
             : describe_fault(s.discretisation, state);
}

// Whether the state that the stepper has come to has a rate.
bool has_rate(const Simulation &s, const Stepper &stepper) {
  return s.model->rate_fault(stepper.solution()).empty();
}

// "time", or "strength =" of a load.
std::string name_of_time(const Simulation &s) {
  return s.c.time->parameter.empty() ? "time" : s.c.time->parameter + " =";
}

// What the report of a run says: of its last step, with the iterations of all.
SolveReport report_of_run(const Simulation &s, const Stepper &stepper, SolveReport last) {
  const TimeState &state = stepper.progress();
  const std::string time = name_of_time(s);
  last.iterations = static_cast<int>(state.num_iterations);
  last.newton_steps = static_cast<int>(state.num_newton_steps);
  if (last.converged)
    return last;
  const auto *steps = dynamic_cast<const ExplicitStepper *>(&stepper);
  if (last.status == SolveStatus::interrupted)
    last.reason += " at " + time + " " + format_real(state.time);
  else if (last.status == SolveStatus::bad_wave_speed)
    last.reason = fmt::format("{}; at time {:.9g}: {}", last.reason, state.time,
                              s.model->rate_fault(s.state));
  else if (last.status == SolveStatus::outside_table)
    last.reason += fmt::format("; at {} {:.9g}: {}", time, state.time,
                               table_fault(s.c, s.discretisation, s.state));
  else if (steps != nullptr)
    last.reason = fmt::format("{}; at time {:.9g}: {}; the last good state is that at time {:.9g}",
                              last.reason, steps->failed_time(),
                              place_of_failure(s, last.status, steps->failed_state()), state.time);
  else
    last.reason =
        fmt::format("the step from {} {} failed: {}{}", time, format_real(state.time), last.reason,
                    last.status == SolveStatus::step_lost ||
                            last.status == SolveStatus::step_too_small
                        ? "; the largest value: " + describe_fault(s.discretisation, s.state)
                        : "") +
        (s.c.form.explicit_integrals.empty()
             ? ""
             : "; the terms of [weak_form] explicit are stable with short steps alone: try a "
               "shorter [time] step");
  return last;
}

// One step, unless an end is asked for where the state is known to be good.
SolveReport step(const Simulation &s, Stepper &stepper) {
  SolveReport report;
  if (stepper.checked() && interrupted(s.ranks)) {
    finish_report(report, SolveStatus::interrupted);
    return report;
  }
  try {
    return stepper.step();
  } catch (const Interrupted &) { // in a set-up: the step was not taken
    finish_report(report, SolveStatus::interrupted);
    return report;
  }
}

} // namespace

std::int64_t intervals_passed(const Simulation &s, double every, double time) {
  // A multiple that rounding misses by a little is reached.
  const double count = (time - s.c.time->start) / every;
  constexpr double most = 9e18; // of 64 bits
  return static_cast<std::int64_t>(std::clamp(std::floor(count * (1 + 1e-12) + 1e-9), -most, most));
}

// [field]
std::vector<std::int64_t> num_absent_dofs(const Discretisation &d) {
  std::vector<std::int64_t> counts(d.form.fields.size(), 0);
  for (const std::int32_t dof : absent_dofs(d)) {
    const auto next = std::upper_bound(d.own_offset.begin(), d.own_offset.end(), dof);
    ++counts[next - d.own_offset.begin() - 1];
  }
  return counts;
}

std::unique_ptr<Stepper> make_stepper(Simulation &s, const TimeSettings &settings) {
  if (is_explicit(settings.scheme))
    return std::make_unique<ExplicitStepper>(*s.model->rates(), settings,
                                             s.discretisation.field_offset);
  NonlinearOperator &op = *s.model->system();
  const auto move_to = [&s, &op](double time) {
    set_time(s.c, s.discretisation, time);
    op.set_time(time);
  };
  if (settings.scheme == TimeScheme::load)
    return std::make_unique<LoadStepper>(op, solver_settings(s), settings, move_to);
  const Discretisation &d = s.discretisation;
  return make_implicit_stepper(
      {.op = op,
       .move_to = move_to,
       .field_offset = d.own_offset,
       .num_absent = num_absent_dofs(d),
       .time_orders = d.law ? std::vector<int>(d.form.fields.size(), 1) : time_orders(d.form),
       .prescribed_values_move = d.constraints.depend_on_time,
       .initial_rate = initial_rate(s.c, d),
       .explicit_terms = s.model->explicit_terms()},
      solver_settings(s), settings);
}

void take_state(Simulation &s, const Stepper &stepper) {
  std::vector<double> state = stepper.solution();
  set_open_motions(s, state);
  const TimeState &now = stepper.progress();
  s.state = std::move(state);
  s.discretisation.rates = stepper.rates();
  s.time = TimeRecord{.parameter = s.c.time->parameter,
                      .end = now.time,
                      .steps = now.num_steps,
                      .rejected = now.num_rejected,
                      .newton_steps = now.num_newton_steps,
                      .stages = s.model->system() != nullptr ? 0 : now.num_iterations,
                      .stopped = s.time ? s.time->stopped : ""};
  s.has_result = true;
}

void take_first_step(Simulation &s) {
  const TimeSettings settings = make_time_settings(*s.c.time, s.c.output);
  const std::unique_ptr<Stepper> stepper = make_stepper(s, settings);
  stepper->start(s.state);
  stepper->step();
  set_time(s.c, s.discretisation, settings.start);
}

TransientRun::TransientRun(Simulation &s, const TimeState *resume) : s_(s) {
  const TimeSettings settings = make_time_settings(*s.c.time, s.c.output);
  explicit_steps_ = is_explicit(settings.scheme);
  fix_open_motions(s);
  if (s.c.time->stop) {
    stop_.emplace(s.c);
    stop_->holds(s.discretisation, s.state); // so that what is wrong with it is said at once
  }
  s.time.reset(); // of an earlier run
  stepper_ = make_stepper(s, settings);
  if (resume)
    stepper_->resume(*resume);
  else
    stepper_->start(s.state);
  if (const auto *steps = dynamic_cast<const ExplicitStepper *>(stepper_.get());
      steps != nullptr && !steps->remark().empty())
    log::notice("{}: [time] {}", s.c.file, steps->remark());
  finish_report(report_,
                has_rate(s, *stepper_) ? SolveStatus::converged : SolveStatus::bad_wave_speed);
}

void TransientRun::step() {
  report_ = weft::step(s_, *stepper_);
  if (report_.converged && stop_)
    look_for_stop();
  if (explicit_steps_ && iterations_ == 0) {
    s_.device->finish();
    s_.timings.add("first_kernel", seconds_since_process_start());
  }
  iterations_ += report_.iterations;
  setup_s_ += report_.setup_seconds;
  setups_ += report_.num_setups;
}

void TransientRun::look_for_stop() {
  move_discretisation();
  take_state(s_, *stepper_);
  if (!stop_->holds(s_.discretisation, s_.state))
    return;
  s_.time->stopped = s_.c.time->stop->text;
  stepper_->end_here();
}

// A speed that a state loses shows in its growth, or is there still at the next output.
void TransientRun::judge_state() {
  if (report_.converged && (stepper_->at_stop() || stepper_->grew()) && !has_rate(s_, *stepper_))
    finish_report(report_, SolveStatus::bad_wave_speed);
  if (report_.converged && stepper_->at_stop() && has_bounded_tables(s_.c)) {
    move_discretisation();
    if (!table_fault(s_.c, s_.discretisation, stepper_->solution()).empty())
      finish_report(report_, SolveStatus::outside_table);
  }
}

void TransientRun::move_discretisation() {
  if (explicit_steps_) // those of others move it
    set_time(s_.c, s_.discretisation, stepper_->time());
}

void TransientRun::finish() {
  s_.timings.add("preconditioner", setup_s_);
  report_.setup_seconds = setup_s_;
  report_.num_setups = setups_;
  take_state(s_, *stepper_);
  move_discretisation();
  s_.solver = report_of_run(s_, *stepper_, report_);
}

void solve_transient(Simulation &s, bool progress, const TransientWatch &watch,
                     const TimeState *resume) {
  StageTimer timer(s.timings, "solve");
  TransientRun run(s, resume);
  Stepper &stepper = run.stepper();
  const auto look = [&] {
    run.move_discretisation();
    if (!watch.on_step)
      return;
    try {
      watch.on_step(stepper);
    } catch (...) {
      take_state(s, stepper);
      throw;
    }
  };
  if (!resume)
    look();
  std::optional<Progress> line;
  if (progress) {
    line.emplace("solve", "dof");
    line->keep_drawing(compilations_text);
  }
  const TimeSettings settings = make_time_settings(*s.c.time, s.c.output);
  const double dofs = static_cast<double>(s.discretisation.num_global);
  while (run.running()) {
    run.step();
    if (run.report().converged)
      look();
    run.judge_state();
    if (line)
      line->update((stepper.time() - settings.start) / (settings.end() - settings.start),
                   dofs * run.iterations(),
                   fmt::format("{} {:.4g}", name_of_time(s), stepper.time()));
  }
  if (run.report().status == SolveStatus::interrupted && watch.on_interruption) {
    set_time(s.c, s.discretisation, stepper.time());
    watch.on_interruption(stepper);
  }
  run.finish();
  give_due_advice(s);
}

} // namespace weft
