// What time stepping is asked to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft {

// Implicit: theta, bdf2, generalised_alpha and dirk; ars2 and ars3 in the place of dirk2 and dirk3
// where terms are taken explicitly; quasi_static where nothing has a time
// derivative; explicit, of conservation laws alone: those of make_runge_kutta(). load: no time, but
// a parameter that loads depend on, see LoadStepper.
enum class TimeScheme {
  theta,
  bdf2,
  generalised_alpha,
  dirk2,
  dirk3,
  dirk4,
  ars2,
  ars3,
  quasi_static,
  lsrk4,
  rk4,
  ssprk3,
  euler,
  load
};

bool is_explicit(TimeScheme scheme);
bool is_implicit(TimeScheme scheme);
// `name`: as in [time] scheme of a case that was read.
TimeScheme time_scheme_from_name(const std::string &name);

struct TimeSettings {
  TimeScheme scheme = TimeScheme::bdf2;
  double theta = 0.5;
  double spectral_radius = 0.8; // of generalised_alpha, at infinite frequency: 0 to 1
  double start = 0;
  double step = 0;         // at most; adaptive: about that of the first steps; 0: by `cfl`
  double cfl = 0;          // explicit schemes: of the step, see ExplicitStepper; 0: by `step`
  double stable_share = 1; // of explicit steps that follow stability: of the usual ones
  // Adaptive steps: of the local error, see ImplicitStepper.
  std::optional<double> tolerance;
  double max_step = 0;     // 0 = no limit
  bool arc_length = false; // of scheme load
  // Ascending times that steps end at, all after the start; the last is the end.
  std::vector<double> stops;

  double end() const { return stops.back(); }
  bool adaptive() const { return tolerance.has_value(); }
};

// Shorter steps that are fixed, or follow a CFL number, would take forever: of the whole time.
inline constexpr double shortest_step_share = 1e-12;
// Shorter steps are lost in the rounding of the time.
double shortest_step_at(double time);

} // namespace weft
