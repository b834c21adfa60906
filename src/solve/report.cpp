#include "solve/report.h"

#include <fmt/format.h>

#include "base/system/interruption.h"

namespace weft {

namespace {

std::string status_sentence(SolveStatus status) {
  switch (status) {
  case SolveStatus::running:
    return "still running";
  case SolveStatus::converged:
    return "converged";
  case SolveStatus::not_finite:
    return "NaN or infinity met: the state, a coefficient or the right-hand side is not finite, or "
           "the numbers overflow this precision";
  case SolveStatus::indefinite:
    return "the matrix (or its preconditioner) is not positive definite, which CG needs; use gmres "
           "or bicgstab, or check the signs of the form and its boundary conditions";
  case SolveStatus::breakdown:
    return "the method broke down, as bicgstab may and any method does where the matrix is "
           "singular: "
           "use gmres";
  case SolveStatus::max_iterations:
    return "not converged within the iterations allowed";
  case SolveStatus::stagnated:
    return "the residual stagnates";
  case SolveStatus::diverged:
    return "diverged";
  case SolveStatus::no_step_accepted:
    return "no step along Newton's direction, however short, leads nearer to a solution: there is "
           "none near the state that it begins at (start from another one with [initial], or bring "
           "loads and prescribed values up in steps with [load]), or the Jacobian is wrong "
           "(newton.check_jacobian tells)";
  case SolveStatus::wrong_jacobian:
    return "the Jacobian does not agree with differences of the residual";
  case SolveStatus::step_too_small:
    return "no step in time, however small, keeps the tolerance: the solution jumps, or ends";
  case SolveStatus::no_load_step:
    return "no step of the load, however short, leads on: the path turns there (a limit point; "
           "[load] arc_length = true follows it), or the body gives way";
  case SolveStatus::unstable:
    return "the steps in time are too long: the scheme is not stable with them";
  case SolveStatus::no_wave_speed:
    return "the state has no wave speed, or it is zero everywhere, so that it gives no stable step "
           "(a negative density or pressure, a state that is not finite; [time] step gives one)";
  case SolveStatus::interrupted:
    return Interrupted{interruption()}.what();
  case SolveStatus::unbounded:
    return "the state grows without bound: a million times over what it was given, by itself and "
           "from cell to cell, though its steps in time are short enough; look for a wrong sign in "
           "a flux, in a diffusion, or in a numerical flux";
  case SolveStatus::bad_wave_speed:
    return "the state has no wave speed: it is the size of a speed, finite and not negative (a "
           "wrong sign, a negative density or pressure)";
  case SolveStatus::outside_table:
    return "the solution is none: it needs a table beyond its rows";
  case SolveStatus::step_lost:
    return "steps in time have become too short to go on";
  }
  return {};
}

} // namespace

std::optional<double> operator_complexity(const std::vector<LevelSummary> &levels) {
  if (levels.empty() || levels.front().entries == 0)
    return {};
  double entries = 0;
  for (const LevelSummary &level : levels)
    entries += static_cast<double>(level.entries);
  return entries / static_cast<double>(levels.front().entries);
}

void finish_report(SolveReport &report, SolveStatus status, const std::string &detail) {
  report.status = status;
  report.converged = status == SolveStatus::converged;
  report.reason = status_sentence(status);
  if (!detail.empty())
    report.reason += fmt::format(" ({})", detail);
}

} // namespace weft
