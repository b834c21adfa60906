// Which way in time the diffusion of a weak form runs.
#pragma once

#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// Of M du/dt = div(A grad u) + ..., seen from the integrand at some points of the mesh, at the
// state [dof] given: whether at all of them an eigenvalue of M^-1 A in one direction of space has a
// negative real part, so that waves grow the faster the shorter they are (no well-posed problem:
// Petrovskii's condition). False where not every component has a rate of its own.
bool diffusion_runs_backwards(const Discretisation &d, const std::vector<double> &state);

} // namespace weft
