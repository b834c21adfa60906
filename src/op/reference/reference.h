// The slow obvious loops that every kernel is checked against: cell by cell, point by point,
// double.
#pragma once

#include <vector>

#include "op/evaluate/point_values.h"
#include "op/problem/discretisation.h"

namespace weft::reference {

// F(u): all integrals of the form; constrained rows are u - g.
std::vector<double> residual(const Discretisation &d, const std::vector<double> &u,
                             const Rate &rate = {});
// y = F'(u) x, constrained rows and columns those of the identity.
std::vector<double> apply(const Discretisation &d, const std::vector<double> &u,
                          const std::vector<double> &x, const Rate &rate = {});
// diag(F'(u)), 1 for constrained dofs.
std::vector<double> diagonal(const Discretisation &d, const std::vector<double> &u,
                             const Rate &rate = {});

} // namespace weft::reference
