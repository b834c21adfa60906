// What the linearised integrand tells at some points of the mesh.
#pragma once

#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// All: remarks on locking, on convection and on thin layers, at the state [dof] given.
std::vector<std::string> integrand_advice(const Case &c, const Discretisation &d,
                                          const std::vector<double> &state);

} // namespace weft
