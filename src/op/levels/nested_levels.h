// The levels of a multigrid method from coarser discretisations: lower orders down to 1 on the same
// mesh, whose operators are not assembled, then elements of order 1 on coarser meshes, assembled;
// or elements of order 1 on the cells divided at their nodes, assembled.
#pragma once

#include <memory>
#include <vector>

#include "op/assembly/assembled_operator.h"
#include "op/levels/nested_space.h"

namespace weft {

struct NestedSettings {
  bool low_order = false;               // one level below the finest: make_low_order_space()
  Precision precision = Precision::f32; // of operators that are not assembled: f64 or f32
  std::int64_t coarsest_size = 400;     // no coarser mesh below so many unknowns
  int max_levels = 20;
};

class NestedLevels {
public:
  // All, where ranks share the problem: `coarser` is empty then, and the last level is the first of
  // order 1. Level 0 is the space of `fine`, the operator of `d` which is that of `c`; `coarser`
  // may be empty. All four must outlive the levels, and so must what they refer to. Operators are
  // those of the last update(), before which there are none. Throws `unsupported` for discontinuous
  // fields, for forms in C text and for what make_low_order_space() does not divide, `input` where
  // neither the elements nor the mesh can be coarsened though there are more unknowns than
  // coarsest_size.
  NestedLevels(FormOperator &fine, const Case &c, const Discretisation &d,
               const std::vector<CoarserMesh> &coarser, const NestedSettings &settings);

  int num_levels() const { return static_cast<int>(levels_.size()); }
  const Discretisation &discretisation(int level) const;
  // The operator; it has a matrix, in f64, where elements are of order 1 and where `fine` has one.
  LinearOperator &op(int level) { return *levels_[level]->used; }
  // Space of a level that is not the finest.
  const NestedSpace &space(int level) const { return levels_[level]->space; }
  // From level + 1 to level. Unknowns that are prescribed take no part.
  // Made when it is first asked for, and kept. Among ranks all ask; rows are each one's own.
  const HostMatrix &prolongation(int level);
  // Among ranks: its transpose, rows own too; else empty.
  const HostMatrix &restriction(int level);

  // Linearises all levels at the state at which `fine` is, its nodal values being those of the
  // coarser spaces, and with its time, rate and prescribed dofs.
  void update();

private:
  struct Level {
    NestedSpace space;                    // of level 0 empty
    HostMatrix prolongation, restriction; // to the finer level; empty until asked for
    std::unique_ptr<FormOperator> own;
    LinearOperator *used = nullptr; // `own`, or the operator that the levels are for
    Vector state, rate_offset, second_offset;
  };

  void make_transfer(int level);
  void add_level(NestedSpace space);
  void make_operator(int number);
  void update(Level &level, const std::vector<double> &state, const std::vector<double> &offset,
              const std::vector<double> &second_offset);

  FormOperator &fine_;
  const Discretisation &d_;
  NestedSettings settings_;
  std::vector<std::unique_ptr<Level>> levels_;
};

} // namespace weft
