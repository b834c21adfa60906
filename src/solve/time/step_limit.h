// How long the steps of explicit schemes may be.
#pragma once

#include "solve/time/runge_kutta.h"

namespace weft {

// The largest r for which |R(z)| <= 1 in the disc |z + r| <= r, with R the scheme's stability
// function: 1 for explicit Euler. Where the rates of a linear operator L have a diagonal of -1/h at
// the most and rows that sum to nothing or less with all others positive, the spectrum of h L lies
// in that disc with r = 1 (Gershgorin), so that steps up to r h are stable.
double stable_disc(const RungeKutta &scheme);

// Error (input): a fixed step longer than stable_disc() times `unit_step`, the longest of explicit
// Euler.
void check_fixed_step(const RungeKutta &scheme, const TimeSettings &settings, double unit_step);

} // namespace weft
