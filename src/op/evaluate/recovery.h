// [recovered]: expressions of gradients made continuous in each region, for results.
#pragma once

#include <optional>
#include <vector>

#include "case/case.h"
#include "form/graph/pointwise.h"
#include "op/problem/discretisation.h"

namespace weft {

// All. Where a function of results reads recovered fields, the discretisation with these at a state
// [dof] as known fields, else nothing: each is the function of the fields' element, continuous in
// each region and with values of its own on either side of an interface, that is nearest to the
// expression in L2 (Oden and Brauchli 1971, DOI 10.1002/nme.1620030303). Of smooth solutions it is
// nearer to the exact value than the expression itself, whose gradients are of a lower order.
std::optional<Discretisation> with_recovered(const Case &c, const Discretisation &d,
                                             const PointwiseFunction &function,
                                             const std::vector<double> &state);

} // namespace weft
