// A problem as Python has it.
#pragma once

#include <cstdint>
#include <utility>

#include "in_use.h"
#include "weft/problem.h"

namespace weft::python {

struct BoundProblem {
  template <typename... Arguments>
  explicit BoundProblem(const Arguments &...arguments) : problem(arguments...) {}

  Problem problem;
  InUse use;

  // Numbers by which what was made of a problem earlier knows whether it still is that: none comes
  // twice.
  std::uint64_t state = 1;          // of parameters and state
  std::uint64_t linearisation = 1;  // of the Jacobian that was taken last
  std::uint64_t preconditioner = 1; // of the one that was set up last

  void state_changed() { state = linearisation = preconditioner = ++count_; }
  void equations_changed() { state = linearisation = ++count_; } // time and rate
  void linearised() { linearisation = ++count_; }
  void preconditioner_made() { preconditioner = ++count_; }

private:
  std::uint64_t count_ = 1;
};

} // namespace weft::python
