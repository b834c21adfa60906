// The model of a case.
#pragma once

#include <memory>

#include "case/case.h"
#include "op/problem/discretisation.h"
#include "run/model/model.h"

namespace weft {

// All three must outlive it; `c` is that of `d`, and its [solver] is filled in by choose_solver().
// Error (input): settings of the case that a model of its kind has none of.
std::unique_ptr<Model> make_model(Case &c, Device &device, const Discretisation &d);

} // namespace weft
