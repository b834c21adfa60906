// Dofs that follow others, as [[tied]] says.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// By entries of vectors: dofs[i] is the sum over k from first[i] to first[i + 1] of weights[k]
// times others[k], and jumps[i]. None of them is prescribed, and none of the others follows any.
struct Ties {
  std::vector<std::int32_t> dofs;  // sorted, each once
  std::vector<std::int32_t> first; // [dofs + 1]
  std::vector<std::int32_t> others;
  std::vector<double> weights; // parallel to others
  std::vector<double> jumps;   // parallel to dofs
  bool depend_on_time = false;
  bool depend_on_parameters = false; // settable ones
  bool empty() const { return dofs.empty(); }
};

// Sets dofs that follow others in entries of a vector.
void set_tied(const Ties &ties, std::vector<double> &entries);

} // namespace weft
