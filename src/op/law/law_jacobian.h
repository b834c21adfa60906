// Entries of the Jacobian of a conservation law's discretisation, from its products with vectors.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "linalg/csr_pattern.h"
#include "op/layout/cell_colouring.h"
#include "op/problem/cell_dofs.h"
#include "op/problem/discretisation.h"

namespace weft {

// A cell's rate sees the cells across its facets, and of finite volumes with gradients those across
// the facets of these too. So cells that are far enough apart share a product: one a colour and dof
// of a cell (Gebremedhin, Manne, Pothen 2005, doi:10.1137/S0036144504444711).
class LawJacobian {
public:
  // J x; vectors are [own entry], see CellDofs.
  using Product = std::function<std::vector<double>(const std::vector<double> &x)>;

  // Both, of a law, must outlive the object. Among ranks calls are of all of them. Errors: those of
  // make_cell_graph().
  LawJacobian(const Discretisation &d, const CellDofs &dofs);

  // Exact.
  std::vector<double> diagonal(const Product &product);

  // Rows of own cells and columns of cells that share a facet with them.
  std::shared_ptr<const CsrPattern> pattern();
  // [entry of the pattern], exact where a rate sees no other cells. What it sees of cells farther
  // away is added to the diagonal: rows have the sums of those of J, component by component.
  std::vector<double> entries(const Product &product);

private:
  std::int64_t num_local(std::int64_t cell) const {
    return first_dof_[cell + 1] - first_dof_[cell];
  }
  // Products with the sum of unit vectors of a local dof in all cells of a colour.
  template <typename Visit>
  void for_each_colour(const Colouring &colouring, const Product &product, const Visit &visit);
  void add_rest_to_diagonal(const Product &product, std::vector<double> &entries);
  template <typename Visit> void for_each_neighbour(std::int64_t cell, const Visit &visit) const;

  bool is_own(std::int32_t entry) const { return entry < d_.num_owned; }
  Colouring colour(int distance) const;

  const Discretisation &d_;
  CellGraph graph_;
  int reach_;                           // facets over which a rate sees
  std::vector<std::int64_t> first_dof_; // [cell + 1]: into dofs_
  std::vector<std::int32_t> dofs_; // entries of each cell: node by node of each field, components
  std::vector<std::int32_t> component_; // parallel to dofs_: of all fields in a row
  Colouring of_diagonal_, of_entries_;  // made when first needed
  std::shared_ptr<const CsrPattern> pattern_;
};

} // namespace weft
