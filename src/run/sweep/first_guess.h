// Where the solve of a sample begins.
#pragma once

#include <span>
#include <vector>

#include "run/simulation.h"

namespace weft {

// Adds one to the solutions that guesses are made of, the newest last: the last four, since each
// costs a residual.
void keep_solution(std::vector<std::vector<double>> &solutions, std::vector<double> solution);

// Of all affine combinations of solutions of earlier samples the one whose residual, which is taken
// to be affine in them too, is smallest (Fischer 1998, DOI 10.1016/S0045-7825(98)00012-7, for
// systems that change). Of a linear form whose parameters stand in its right-hand side alone,
// affine, it is the solution from the third sample on. The last of them, where that has the smaller
// residual. Of a stationary problem, one process, in f64; `solutions`: [dof] each, none empty, the
// last the newest; a residual is evaluated for each and one for the combination.
std::vector<double> first_guess(Simulation &s, std::span<const std::vector<double>> solutions);

} // namespace weft
