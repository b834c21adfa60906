// Motions of the fields that change nothing in the equations: the constant of a pressure or of a
// pure Neumann problem, the rigid motions of a body without a support. Solutions are known but for
// these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linalg/operator.h"
#include "op/problem/discretisation.h"

namespace weft {

struct OpenMotion {
  int field = 0;
  int component = -1;         // whose constant it is; -1: a rigid motion that turns the field
  std::vector<double> values; // [dof of the field], of size 1; zero where dofs are prescribed
};

struct NullSpace {
  std::vector<OpenMotion> motions; // linearly independent
  bool empty() const { return motions.empty(); }
};

// Those of the derivative F'(u), for a non-linear form at another state too. Looked for among
// constants of components without prescribed dofs, and rigid motions of vectors of the dimension
// that leave prescribed dofs alone. Leaves the operator linearised at a state of its own; costs
// nothing where there is no candidate.
NullSpace find_null_space(NonlinearOperator &op, const Discretisation &d, const Vector &u);

// F(u) must have no part along an open motion: what sources and fluxes sum up to, or the forces and
// moments on a body without supports. Throws an input error that names the field and the sum where
// it is above rounding, relative to the sum of absolute values. Prescribed values must be set in
// `u`.
void check_balance(NonlinearOperator &op, const Discretisation &d, const NullSpace &space,
                   const Vector &u);

// As many dofs, at vertices, as there are motions, by which these are fixed: prescribing them
// removes the motions and nothing else.
std::vector<std::int32_t> dofs_to_fix(const Discretisation &d, const NullSpace &space);

// Moves a state [dof] along the motions: means over the mesh become `means` [field, component]
// where constants are open, then turns are taken out as least squares over nodes tell.
void take_out(const Discretisation &d, const NullSpace &space,
              const std::vector<std::vector<double>> &means, std::vector<double> &state);

// "p", "u[0]", "turns of u"
std::string name_of(const Discretisation &d, const OpenMotion &motion);

} // namespace weft
