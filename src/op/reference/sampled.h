// The reference loops for some rows of a large problem: those of the nodes of sampled cells, from
// all cells that touch them, and that meet these on facets over which the form has an integral.
#pragma once

#include <cstdint>
#include <vector>

#include "op/evaluate/point_values.h"
#include "op/problem/discretisation.h"

namespace weft::reference {

class Sampled {
public:
  // Nodes of `num_cells` cells that `seed` picks, and of the first and the last cell of each set;
  // all nodes of a mesh of few cells. `d` must outlive it.
  Sampled(const Discretisation &d, std::int64_t num_cells, std::uint64_t seed);
  Sampled(const Sampled &) = delete;
  Sampled &operator=(const Sampled &) = delete;

  // The rows that are known, sorted.
  const std::vector<std::int64_t> &dofs() const { return dofs_; }
  // Entries of reference::residual() and reference::apply() in these rows. `u`, `x`: all dofs.
  std::vector<double> residual(const std::vector<double> &u, const Rate &rate = {}) const;
  std::vector<double> apply(const std::vector<double> &u, const std::vector<double> &x,
                            const Rate &rate = {}) const;

private:
  using Marks = std::vector<std::vector<bool>>; // [map of the discretisation][node], [set][cell]

  Marks mark_nodes(const Discretisation &d, std::int64_t num_cells, std::uint64_t seed) const;
  // The cells of which a node is marked, and those that meet them on such facets, [set].
  std::vector<std::vector<std::int32_t>> touching_cells(const Discretisation &d,
                                                        const Marks &marks) const;
  void restrict_mesh(const Discretisation &d, const std::vector<std::vector<std::int32_t>> &cells);
  std::vector<double> rows(const std::vector<double> &all) const;

  Mesh mesh_;        // these cells and their facets only; all node numbers are those of `d`
  Discretisation d_; // on mesh_
  std::vector<std::int64_t> dofs_;
};

} // namespace weft::reference
