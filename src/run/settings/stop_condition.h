// [time] stop: a condition on functionals and the time that ends a run.
#pragma once

#include <vector>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

class StopCondition {
public:
  // Of a case that has one. Error (input): it names no functional, nor t.
  explicit StopCondition(const Case &c);

  // All: whether it holds of a state at the discretisation's time; not where a functional is not
  // finite. Error (input): what is wrong with the condition.
  bool holds(const Discretisation &d, const std::vector<double> &state) const;

private:
  SourceText text_;
  Case evaluated_; // with the functionals that the condition names alone
};

} // namespace weft
