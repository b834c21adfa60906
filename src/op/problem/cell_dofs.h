// Where dofs of discontinuous fields are in vectors among ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// The nodes of such a field are cells' own, set by set with those of other ranks' cells between.
// Vectors have the dofs of own cells in the order of the host, and behind them those of others.
class CellDofs {
public:
  explicit CellDofs(const Discretisation &d);

  std::int64_t num_owned() const { return d_.num_owned; }
  // Entry of a dof of the host.
  std::int32_t entry(std::int64_t dof) const {
    return entry_.empty() ? static_cast<std::int32_t>(dof) : entry_[dof];
  }
  // The entries of a vector, of a state as the host has it, and back; then dofs of other ranks'
  // cells are 0.
  std::vector<double> own_entries(const std::vector<double> &state) const;
  std::vector<double> state(const std::vector<double> &entries) const;
  // All: [entry, those of others too]: their numbers among the entries of all ranks, which follow
  // one another; empty without ranks.
  std::vector<std::int32_t> numbers_of_entries() const;

private:
  template <typename Body> void for_each_cell(const Body &body) const;

  const Discretisation &d_;
  std::vector<std::int32_t> entry_; // [dof]; empty: the same numbers
};

} // namespace weft
