// How long the steps of explicit schemes may be.
#pragma once

#include <complex>
#include <vector>

#include "solve/time/runge_kutta.h"

namespace weft {

// The largest r for which |R(z)| <= 1 in the disc |z + r| <= r, with R the scheme's stability
// function: 1 for explicit Euler. Where the rates of a linear operator L have a diagonal of -1/h at
// the most and rows that sum to nothing or less with all others positive, the spectrum of h L lies
// in that disc with r = 1 (Gershgorin), so that steps up to r h are stable.
double stable_disc(const RungeKutta &scheme);

// The longest step h with |R(h' z)| <= 1 for all h' <= h and all `eigenvalues` z of a rate:
// infinite without any that are not 0. Those that grow by themselves count as if they did not.
double stable_step(const RungeKutta &scheme, const std::vector<std::complex<double>> &eigenvalues);

// Error (input): a fixed step longer than stable_disc() times `unit_step`, the longest of explicit
// Euler.
void check_fixed_step(const RungeKutta &scheme, const TimeSettings &settings, double unit_step);

} // namespace weft
