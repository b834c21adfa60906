// Inequality bounds of a nonlinear system: which unknowns are held at their bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/operator.h"
#include "linalg/vector_kernels.h"

namespace weft {

// The variational inequality of F and the bounds: F_i = 0 where u_i is between them, F_i >= 0 at
// the lower one, F_i <= 0 at the upper one. A reduced-space active set method (Benson and Munson
// 2006, DOI 10.1080/10556780500065382): unknowns at a bound whose F_i has that sign are held, the
// residual is that of the others, and Newton's steps are those of the free unknowns, projected onto
// the bounds. The system is solved where what is left of the residual is small: an unknown at a
// bound with F_i of the wrong sign is free, and counts.
class ActiveSet {
public:
  // `op` has bounds, and must outlive it.
  explicit ActiveSet(NonlinearOperator &op);

  // Takes the operator's bounds as they are now.
  void take_bounds();
  // u = the nearest state between the bounds.
  void project(Vector &u);
  // r = 0 where u is held: of F(u), the residual of free unknowns.
  void restrict_residual(const Vector &u, Vector &r);
  // All: makes the operator hold what is held at u, whose restricted residual is r; linearise()
  // comes next. True where that are other entries than the last time.
  bool hold(const Vector &u, const Vector &r);
  // The operator holds nothing any more, until the next hold().
  void release() { op_.hold({}); }
  // All: the operator holds again what it did before release().
  void hold_again() { op_.hold(entries_); }
  // step = 0 where entries are held.
  void keep_held(Vector &step);
  // The same as restrict_residual() on the host, of a residual in f64 at a state of the operator's
  // precision.
  void restrict_on_host(const Vector &u, std::vector<double> &residual) const;

private:
  NonlinearOperator &op_;
  VectorKernels kernels_;
  Vector lower_, upper_, free_;
  std::vector<std::int32_t> entries_; // held, sorted
};

} // namespace weft
