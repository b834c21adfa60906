#include "app/transient.h"

#include <fmt/format.h>

#include "base/number.h"
#include "output/progress.h"

namespace weft {

namespace {

// What the report of a run says: of its last step, with the iterations of all.
SolveReport report_of_run(SolveReport last, const TimeState &state) {
  last.iterations = static_cast<int>(state.num_iterations);
  last.newton_steps = static_cast<int>(state.num_newton_steps);
  if (!last.converged)
    last.reason =
        fmt::format("the step from time {} failed: {}", format_real(state.time), last.reason);
  return last;
}

} // namespace

void solve_transient(Simulation &s, bool progress, const OnStep &on_step, const TimeState *resume) {
  StageTimer timer(s.timings, "solve");
  const TimeSettings settings = make_time_settings(*s.c.time, s.c.output);
  const auto move_to = [&](double time) {
    set_time(s.c, s.discretisation, time);
    s.op->set_time(time);
  };
  TimeStepper stepper(*s.op, solver_settings(s), settings, s.discretisation.field_offset, move_to);
  if (resume)
    stepper.resume(*resume);
  else
    stepper.start(s.state);
  if (on_step && !resume)
    on_step(stepper);
  std::optional<Progress> line;
  if (progress)
    line.emplace("solve", "dof");
  const double dofs = static_cast<double>(s.discretisation.num_dofs);
  SolveReport report;
  finish_report(report, SolveStatus::converged);
  double iterations = 0, setup_s = 0;
  while (report.converged && !stepper.finished()) {
    report = stepper.step();
    iterations += report.iterations;
    setup_s += report.setup_seconds;
    if (report.converged && on_step)
      on_step(stepper);
    if (line)
      line->update((stepper.time() - settings.start) / (settings.end() - settings.start),
                   dofs * iterations, fmt::format("time {:.4g}", stepper.time()));
  }
  s.timings.add("preconditioner", setup_s);
  const TimeState state = stepper.state();
  s.state = state.states.front();
  s.solver = report_of_run(report, state);
  s.time = TimeRecord{.end = state.time,
                      .steps = state.num_steps,
                      .rejected = state.num_rejected,
                      .newton_steps = state.num_newton_steps};
}

} // namespace weft
