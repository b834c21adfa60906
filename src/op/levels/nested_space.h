// Coarser discretisations of the same problem, and how they lie in the finer one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "mesh/mesh_levels.h"
#include "op/problem/discretisation.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

// Where the nodes of a space lie in a finer one, whose values they take.
struct NodeEvaluation {
  // A node at which the finer space has none.
  struct Place {
    std::int32_t node = 0, cell = 0;
    std::int16_t set = 0, local = 0; // number of the node in the cell
  };
  std::vector<std::int32_t> same; // [node]: the finer node there; -1: none
  std::vector<Place> others;
  // By set: the finer functions at the nodes, [node of a cell][finer node of the cell].
  std::vector<std::vector<double>> weights;
};

// Visits the fine nodes that depend on coarse ones.
using Weight = std::pair<std::int32_t, double>; // of a coarse node
using Row = std::vector<Weight>;                // ascending nodes
using RowVisitor = std::function<void(std::int64_t fine_node, const Row &row)>;
// Calls the visitor with each fine node and its row, the basis of a coarse numbering there, on all
// threads. Rows are made as they are asked for: at high orders they take more memory than all else.
using ForRows =
    std::function<void(const NodeMap &fine, const NodeMap &coarse, const RowVisitor &visit)>;

// A space whose operators are those of a coarse level of multigrid. Its prescribed dofs are those
// that the finer space has at the same positions.
struct NestedSpace {
  std::shared_ptr<const Mesh> mesh; // of the discretisation, where it has one of its own
  Case c;                           // for set_time()
  Discretisation d;
  std::vector<NodeEvaluation> evaluations;
  std::vector<ForRows> interpolations; // the way back
  std::vector<int> field_evaluation;   // [field]: index into both
};

// All. Elements of at most `order` on the same mesh: nodal values are interpolated. `c` is the case
// of `fine`, whose mesh must outlive the result. `quadrature_degree`: see make_discretisation().
// Error (unsupported): discontinuous fields.
NestedSpace make_lower_order_space(const Case &c, const Discretisation &fine, int order,
                                   std::optional<int> quadrature_degree = {});

// Elements of order 1 on the next coarser mesh, both whole, which must outlive the result; `fine`
// has elements of order 1.
NestedSpace make_coarser_space(const Case &c, const Discretisation &fine,
                               const CoarserMesh &coarser,
                               std::optional<int> quadrature_degree = {});

// Elements of order 1 on the cells into which the nodes of `fine` divide its own: as many unknowns,
// in another order. Its operator, assembled, is spectrally equivalent to that of the high order,
// with few entries a row (Orszag 1980, doi:10.1016/0021-9991(80)90005-4; Pazner 2020,
// doi:10.1137/19M1282052).
// Errors (unsupported): discontinuous fields, fields of order 1 or of several orders, other cells
// than quadrilaterals and hexahedra.
NestedSpace make_low_order_space(const Case &c, const Discretisation &fine);

// All; [entry of vectors of the finer space], columns are entries of the space, ghosts too: its
// functions at the nodes of the finer one. Rows and columns of prescribed dofs are empty.
HostMatrix make_prolongation(const NestedSpace &space, const Discretisation &fine);

// All. Moves to the time of the finer discretisation, with its prescribed values.
void set_time(NestedSpace &space, const Discretisation &fine);
// The finer function's values at the nodes of the space; values[dof of the finer space].
std::vector<double> inject(const NestedSpace &space, const Discretisation &fine,
                           const std::vector<double> &values);

} // namespace weft
