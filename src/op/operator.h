// What solvers see of a discretisation.
#pragma once

#include <cstdint>

#include "op/vector.h"

namespace weft {

class SparseMatrix;

class LinearOperator {
public:
  virtual ~LinearOperator() = default;
  virtual std::int64_t size() const = 0;
  virtual Precision precision() const = 0;
  virtual Device &device() = 0;
  // y = A x. Rows and columns of constrained dofs are those of the identity: entries of x there are
  // not seen by other rows and come out as they are. x and y must differ.
  virtual void apply(const Vector &x, Vector &y) = 0;
  // d = diag(A); 1 for constrained dofs.
  virtual void diagonal(Vector &d) = 0;
  // A is known to be symmetric.
  virtual bool symmetric() const = 0;
  // The matrix, where it is assembled, as it is now; null where the operator has none.
  virtual const SparseMatrix *matrix() const { return nullptr; }
};

// F(u) and its derivative at the last state given to linearise().
class NonlinearOperator : public LinearOperator {
public:
  // r = F(u); in rows of constrained dofs u - g (zero once the values are set).
  virtual void residual(const Vector &u, Vector &r) = 0;
  // Keeps (a reference to) u as the state at which apply() and diagonal() are the Jacobian.
  virtual void linearise(const Vector &u) = 0;
  // Sets the prescribed values in u.
  virtual void set_constrained(Vector &u) = 0;
  virtual bool linear() const = 0;

  // Of forms with dt(u) and t; what does not depend on time ignores them. A change asks for
  // linearise() before the next apply().
  //
  // Moves to a time: t in expressions, and the values of auxiliary fields and prescribed dofs,
  // which are those that the discretisation has now.
  virtual void set_time(double) {}
  // Sets what dt(u) stands for: shift * u + offset, so that F is a function of u alone and its
  // Jacobian F_u + shift F_dt(u). Keeps a reference to the offset. dt(u) is 0 before the first
  // call.
  virtual void set_rate(const Vector & /*offset*/, double /*shift*/) {}
  // The prescribed values become those that u has, until the next set_time().
  virtual void prescribe(const Vector & /*u*/) {}
};

} // namespace weft
