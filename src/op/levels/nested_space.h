// Coarser discretisations of the same problem, and how they lie in the finer one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "mesh/mesh_levels.h"
#include "op/problem/discretisation.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

// A space whose operators are those of a coarse level of multigrid. Its prescribed dofs are those
// that the finer space has at the same positions.
struct NestedSpace {
  Case c; // for set_time()
  Discretisation d;
  // [dof of the finer space], columns are dofs of this one: its functions at the nodes of the finer
  // one. Rows and columns of prescribed dofs are empty.
  HostMatrix prolongation;
  // [dof]: the dof of the finer space at the same position.
  std::vector<std::int32_t> injection;
};

// Elements of at most `order` on the same mesh: nodal values are interpolated. `c` is the case of
// `fine`, whose mesh must outlive the result. `quadrature_degree`: see make_discretisation().
// Error (unsupported): discontinuous fields.
NestedSpace make_lower_order_space(const Case &c, const Discretisation &fine, int order,
                                   std::optional<int> quadrature_degree = {});

// Elements of order 1 on the next coarser mesh, which must outlive the result; `fine` has elements
// of order 1.
NestedSpace make_coarser_space(const Case &c, const Discretisation &fine,
                               const CoarserMesh &coarser,
                               std::optional<int> quadrature_degree = {});

// Moves to the time of the finer discretisation, with its prescribed values.
void set_time(NestedSpace &space, const Discretisation &fine);
// The values of the finer space's dofs at the same positions; values[dof of the finer space].
std::vector<double> inject(const NestedSpace &space, const std::vector<double> &values);

} // namespace weft
