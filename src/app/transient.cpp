#include "app/transient.h"

#include <cmath>
#include <fmt/format.h>

#include "base/number.h"
#include "op/state_fault.h"
#include "output/progress.h"
#include "solve/explicit_stepper.h"
#include "solve/time_stepper.h"

namespace weft {

namespace {

// What the report of a run says: of its last step, with the iterations of all.
SolveReport report_of_run(const Simulation &s, const Stepper &stepper, SolveReport last,
                          const TimeState &state) {
  last.iterations = static_cast<int>(state.num_iterations);
  last.newton_steps = static_cast<int>(state.num_newton_steps);
  if (last.converged)
    return last;
  if (const auto *steps = dynamic_cast<const ExplicitStepper *>(&stepper))
    last.reason = fmt::format("{}; at time {:.9g}: {}; the last good state is that at time {:.9g}",
                              last.reason, steps->failed_time(),
                              describe_fault(s.discretisation, steps->failed_state()), state.time);
  else
    last.reason =
        fmt::format("the step from time {} failed: {}", format_real(state.time), last.reason);
  return last;
}

} // namespace

std::int64_t intervals_passed(const Simulation &s, double every, double time) {
  // A multiple that rounding misses by a little is reached.
  const double count = (time - s.c.time->start) / every;
  return static_cast<std::int64_t>(std::floor(count * (1 + 1e-12) + 1e-9));
}

std::unique_ptr<Stepper> make_stepper(Simulation &s, const TimeSettings &settings) {
  if (is_explicit(settings.scheme)) {
    ExplicitOperator &rates =
        s.matrix_rates ? static_cast<ExplicitOperator &>(*s.matrix_rates) : *s.dg;
    return std::make_unique<ExplicitStepper>(rates, settings, s.discretisation.field_offset);
  }
  NonlinearOperator &op = s.dg ? static_cast<NonlinearOperator &>(*s.law_system) : *s.op;
  const auto move_to = [&s, &op](double time) {
    set_time(s.c, s.discretisation, time);
    op.set_time(time);
  };
  return std::make_unique<TimeStepper>(op, solver_settings(s), settings,
                                       s.discretisation.field_offset, move_to);
}

void take_first_step(Simulation &s) {
  const TimeSettings settings = make_time_settings(*s.c.time, s.c.output);
  const std::unique_ptr<Stepper> stepper = make_stepper(s, settings);
  stepper->start(s.state);
  stepper->step();
  set_time(s.c, s.discretisation, settings.start);
}

void solve_transient(Simulation &s, bool progress, const OnStep &on_step, const TimeState *resume) {
  StageTimer timer(s.timings, "solve");
  const TimeSettings settings = make_time_settings(*s.c.time, s.c.output);
  const bool explicit_steps = is_explicit(settings.scheme);
  const std::unique_ptr<Stepper> stepper = make_stepper(s, settings);
  const auto look = [&] {
    if (explicit_steps) // those of others move it
      set_time(s.c, s.discretisation, stepper->time());
    if (on_step)
      on_step(*stepper);
  };
  if (resume)
    stepper->resume(*resume);
  else
    stepper->start(s.state);
  if (!resume)
    look();
  std::optional<Progress> line;
  if (progress)
    line.emplace("solve", "dof");
  const double dofs = static_cast<double>(s.discretisation.num_dofs);
  SolveReport report;
  finish_report(report, SolveStatus::converged);
  double iterations = 0, setup_s = 0;
  int setups = 0;
  while (report.converged && !stepper->finished()) {
    report = stepper->step();
    if (explicit_steps && iterations == 0) {
      s.device->finish();
      s.timings.add("first_kernel", seconds_since_process_start());
    }
    iterations += report.iterations;
    setup_s += report.setup_seconds;
    setups += report.num_setups;
    if (report.converged)
      look();
    if (line)
      line->update((stepper->time() - settings.start) / (settings.end() - settings.start),
                   dofs * iterations, fmt::format("time {:.4g}", stepper->time()));
  }
  s.timings.add("preconditioner", setup_s);
  report.setup_seconds = setup_s;
  report.num_setups = setups;
  const TimeState state = stepper->state();
  if (explicit_steps)
    set_time(s.c, s.discretisation, state.time);
  s.state = state.states.front();
  s.solver = report_of_run(s, *stepper, report, state);
  s.time = TimeRecord{.end = state.time,
                      .steps = state.num_steps,
                      .rejected = state.num_rejected,
                      .newton_steps = state.num_newton_steps,
                      .stages = explicit_steps ? state.num_iterations : 0};
}

} // namespace weft
