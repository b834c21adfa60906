// Between two orders of elements on quadrilaterals and hexahedra, without a matrix.
#pragma once

#include <vector>

#include "linalg/levels/matrix_transfer.h"
#include "op/problem/discretisation.h"
#include "op/weak_form/node_sums.h"

namespace weft {

// P' = S_fine^-1 P S_coarse of make_prolongation() and its transpose, in scaled unknowns, cell by
// cell and one direction at a time (kernels/matrix/level_lines.kernel). Each row of P is one
// cell's, and the order of every sum is fixed. Of P8 and P4 on hexahedra a matrix has 65 entries a
// fine dof; this reads 6 bytes of places.
class LineTransfer : public LevelTransfer {
public:
  // Whether both are continuous elements on one mesh that has no other cells, and is whole.
  static bool suits(const Discretisation &fine, const Discretisation &coarse);

  // Prescribed dofs take no part. Nothing that is given has to outlive it but the device.
  LineTransfer(Device &device, const Discretisation &fine, const Discretisation &coarse,
               const MatrixTransfer::Side &fine_side, const MatrixTransfer::Side &coarse_side);

  std::int64_t num_fine() const override { return num_fine_; }
  std::int64_t num_coarse() const override { return num_coarse_; }
  std::uint64_t bytes() const override;
  void restrict_to(const Vector &fine, Vector &coarse) override;
  void prolong_add(const Vector &coarse, Vector &fine) override;

  // Of the launches of both.
  std::vector<NamedCost> costs() const;

private:
  // A field on the cells of a set.
  struct Part {
    Program program;
    int dim = 0, fine_line = 0, coarse_line = 0; // nodes along a line
    int components = 1, lanes = 1;
    std::int64_t num_groups = 0;
    std::int64_t num_rows = 0;    // fine nodes whose rows are of these cells
    std::int64_t num_columns = 0; // coarse nodes of these cells
    std::int64_t first_fine = 0, first_coarse = 0, first_contribution = 0;
    std::int64_t group_size = 1, groups_at_once = 1, turns = 1;
    Buffer first_row, row_nodes, row_places, row_weights, coarse_nodes;
    Launch launch() const;
    std::int64_t coarse_nodes_a_cell() const;
    std::int64_t fine_nodes_a_cell() const;
  };

  void add_field(const Discretisation &fine, const Discretisation &coarse, int field);
  void choose_launch(Part &part) const;
  void build(Part &part, const std::vector<double> &table);
  KernelCost cost(const Part &part, bool back) const;

  Device &device_;
  std::int64_t num_fine_ = 0, num_coarse_ = 0;
  Precision fine_precision_, coarse_precision_;
  std::vector<Part> parts_;
  std::vector<NodeSums> sums_; // [field]
  std::int64_t num_contributions_ = 0;
  Buffer contributions_;
  std::vector<double> fine_weights_; // [dof]: 0 of prescribed ones
  Vector coarse_weights_;
};

} // namespace weft
