#include "run/explain/watched_solves.h"

#include <algorithm>
#include <fmt/format.h>

#include "op/set_up/make_discretisation.h"
#include "run/transient.h"

namespace weft {

namespace {

// A transient run is looked at for so long, a solve is repeated until it has taken as long.
constexpr double most_s = 5;

// What the clock of the first rank says, for all.
bool first_says(const Simulation &s, bool condition) {
  return any(s.ranks, is_first(s.ranks) && condition);
}

// Ends a transient run after the steps that are looked at.
struct Enough {};

} // namespace

std::string Solves::run() {
  s_.state = initial_;
  if (!s_.c.time) {
    solve(s_, false);
    return s_.solver.newton_steps > 1 ? fmt::format("{} steps of Newton's method, {} iterations",
                                                    s_.solver.newton_steps, s_.solver.iterations)
                                      : fmt::format("{} iterations", s_.solver.iterations);
  }
  set_time(s_.c, s_.discretisation, s_.c.time->start);
  const Timer timer;
  std::int64_t steps = -1; // it is called at the start too
  bool all = false;
  try {
    solve_transient(s_, false, {.on_step = [&](Stepper &) {
                      ++steps;
                      if (most_steps_ > 0 ? steps >= most_steps_
                                          : steps > 0 && first_says(s_, timer.seconds() > most_s))
                        throw Enough{};
                    }});
    all = true;
  } catch (const Enough &) {
  }
  most_steps_ = std::max<std::int64_t>(1, steps);
  return fmt::format("{}{} step{}, to {} {:.6g} of {:.6g}", all ? "" : "the first ", steps,
                     steps == 1 ? "" : "s",
                     s_.c.time->parameter.empty() ? "time" : s_.c.time->parameter,
                     s_.time ? s_.time->end : s_.c.time->start, s_.c.time->end);
}

WatchedSolves watch(const Simulation &s, Solves &solves, ProfilingDevice &device,
                    ModelledTimer *timer, int repeats) {
  WatchedSolves watched;
  double seconds = 0;
  for (int repeat = 0; repeat < repeats && (repeat == 0 || first_says(s, seconds < most_s));
       ++repeat) {
    solves.begin_anew();
    device.take_stages();
    device.set_profiling(true);
    const Timer of_solve;
    solves.run();
    device.finish();
    watched.seconds.push_back(of_solve.seconds());
    device.set_profiling(false);
    watched.profiles.push_back(device.take_stages());
    if (timer)
      watched.states.push_back(timer->beside(0));
    seconds += watched.seconds.back();
  }
  return watched;
}

} // namespace weft
