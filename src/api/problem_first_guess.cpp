// Solutions that a problem keeps, and where the next solve begins by them.
#include "api/problem_parts.h"
#include "base/error.h"
#include "run/sweep/first_guess.h"

namespace weft {

void Problem::keep_solution() {
  const Simulation &s = *parts_->simulation;
  if (s.c.time)
    throw Error(ErrorKind::input, {.what = "first guesses are those of stationary problems",
                                   .where = s.c.file,
                                   .found = "a case with [time] or [load]",
                                   .remedy = "begin each solve at the initial values: reset()"});
  weft::keep_solution(parts_->solutions, parts_->state);
}

bool Problem::set_first_guess() {
  if (parts_->solutions.empty())
    return false;
  set_state(first_guess(*parts_->simulation, parts_->solutions));
  return true;
}

} // namespace weft
