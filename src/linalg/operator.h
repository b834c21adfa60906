// What solvers see of a discretisation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "linalg/start_vector.h"
#include "linalg/vector.h"

namespace weft {

class SparseMatrix;

class LinearOperator {
public:
  virtual ~LinearOperator() = default;
  virtual std::int64_t size() const = 0;
  // The same with the room that vectors have for what other ranks have: apply() fetches it, so that
  // all ranks call it.
  virtual VectorLayout layout() const { return size(); }
  virtual Precision precision() const = 0;
  virtual Device &device() = 0;
  // y = A x. Rows and columns of constrained dofs are those of the identity: entries of x there are
  // not seen by other rows and come out as they are. x and y must differ.
  virtual void apply(const Vector &x, Vector &y) = 0;
  // Fetches kernels that apply() launches, so that it need not: see Device::load().
  virtual void load_kernels() {}
  // d = diag(A); 1 for constrained dofs.
  virtual void diagonal(Vector &d) = 0;
  // A is known to be symmetric.
  virtual bool symmetric() const = 0;
  // So many vectors at once, interleaved, [row of the matrix][system]; size() counts the entries of
  // all.
  virtual int systems() const { return 1; }
  // The matrix, where it is assembled, as it is now, that of each system; null where the operator
  // has none.
  virtual const SparseMatrix *matrix() const { return nullptr; }
  // All: [own entries of vectors, then ghosts]: their numbers among the rows of all ranks, which
  // follow one another; empty where this one is alone.
  virtual std::vector<std::int32_t> numbers_of_entries() { return {}; }
  // The same operator computed in another precision (f64 or f32), as it is now: to be asked for
  // anew after each change. Null where there is none. This operator itself in its own precision.
  virtual LinearOperator *in_precision(Precision p) { return p == precision() ? this : nullptr; }
};

// F(u) and its derivative at the last state given to linearise().
class NonlinearOperator : public LinearOperator {
public:
  NonlinearOperator *in_precision(Precision p) override {
    return p == precision() ? this : nullptr;
  }
  // r = F(u); in rows of constrained dofs u - g (zero once the values are set).
  virtual void residual(const Vector &u, Vector &r) = 0;
  // Keeps (a reference to) u as the state at which apply() and diagonal() are the Jacobian.
  virtual void linearise(const Vector &u) = 0;
  // Sets the prescribed values in u, and those that follow others.
  virtual void set_constrained(Vector &u) = 0;
  virtual bool linear() const = 0;

  // Inequality bounds of the unknowns, [own entry], infinite where a side is open. Empty: none.
  struct Bounds {
    std::span<const double> lower, upper;
    bool empty() const { return lower.empty(); }
  };
  virtual Bounds bounds() const { return {}; }
  // Until the next call apply(), diagonal() and matrix() have rows and columns of the identity at
  // these own entries, sorted, too; residual() and set_constrained() do not see it. Asks for
  // linearise(). All.
  virtual void hold(std::span<const std::int32_t> entries) {
    require(entries.empty(), "an operator that holds entries");
  }
  // The Jacobian depends on parameters that may get other values, see take_values().
  virtual bool jacobian_takes_values() const { return true; }

  // Between the dofs of the host, field after field, and a vector of this operator. All, as they
  // have those of other ranks.
  virtual void set_dofs(const std::vector<double> &dofs, Vector &u) {
    set_vector(device(), u, dofs);
  }
  virtual std::vector<double> dofs(const Vector &u) { return get_vector(device(), u); }

  // Forms with dt(u) and t; what does not depend on time ignores them. A change asks for
  // linearise() before the next apply().
  //
  // Moves to a time: t in expressions, and the values of auxiliary fields and prescribed dofs,
  // which are those that the discretisation has now.
  virtual void set_time(double) {}
  // Sets what dt(u) stands for: shift * u + offset, so that F is a function of u alone and its
  // Jacobian F_u + shift F_dt(u). Keeps a reference to the offset. dt(u) is 0 before the first
  // call.
  virtual void set_rate(const Vector & /*offset*/, double /*shift*/) {}
  // Of forms with dt(dt(u)): what that stands for, acceleration_shift * u + offset, and the shift
  // of dt(u) of the fields that have it, which is set_rate()'s for others; all 0 before the first
  // call. Nothing for other forms.
  virtual void set_second_rate(const Vector & /*offset*/, double /*acceleration_shift*/,
                               double /*velocity_shift*/) {}
  // From now on residual() is F(u) + load, but in rows of constrained dofs; without a buffer F(u)
  // again. Keeps a reference.
  virtual void set_load(const Vector &load) {
    require(!load.buffer, "an operator that takes a load");
  }
  // Some field has dt(dt()).
  virtual bool second_order_in_time() const { return false; }
  // Takes anew what may have changed with parameters in the discretisation: tables, known fields,
  // prescribed values. Asks for linearise() before the next apply().
  virtual void take_values() {}
  // The prescribed values become those that u has, until the next set_time().
  virtual void prescribe(const Vector & /*u*/) {}

  // Parts of the rate are split from F, see react().
  virtual bool splits_reactions() const { return false; }
  // Takes u through them alone, as ExplicitOperator::react() does.
  virtual void react(double /*time*/, double /*h*/, Vector & /*u*/) {}
};

// The update at the end of a stage of an explicit Runge-Kutta scheme. With k = L(t, q) and the step
// h
//   r   <- keep r + h k                                              (where `sum` is in use)
//   out <- start q_0 + state q + sum r + rate h k,   q_0 the state at the start of the step.
// Low-storage schemes (Williamson 1980, doi:10.1016/0021-9991(80)90033-9) have keep, state = 1 and
// sum; strong-stability-preserving ones start, state and rate.
struct StageUpdate {
  double keep = 0;
  double start = 0;
  double state = 0;
  double sum = 0;
  double rate = 0;
  bool uses_start = false; // else q_0 is not read
  bool uses_sum = false;   // else r is neither read nor written
  bool keeps_sum = false;  // else r is not read: keep is 0
};
// The rate and nothing else.
inline constexpr StageUpdate rate_alone{.rate = 1};

// dq/dt = L(t, q), and the stages of explicit schemes, which the operator may fuse with L.
class ExplicitOperator {
public:
  virtual ~ExplicitOperator() = default;
  // Reals of a state on the device, padding included; padding is finite and never seen.
  virtual std::int64_t size() const = 0;
  // The same with the room for what other ranks have, which a stage fetches.
  virtual VectorLayout layout() const { return size(); }
  // Of so many dofs of fields as the host has them, ghosts included, those of this rank alone.
  virtual std::int64_t num_own(std::int64_t host_dofs) const { return host_dofs; }
  virtual Precision precision() const = 0;
  virtual Device &device() = 0;
  // One stage. `start` and `sum` may be null where the update does not use them. `out` is none of
  // the others, but for `start` = `q` and, where the update uses `start`, `out` = `start`.
  virtual void stage(double time, double h, const StageUpdate &update, const Vector &q,
                     const Vector *start, Vector *sum, Vector &out) = 0;
  // What a scheme does to each new state: limiting of shocks, positivity. Nothing by default.
  virtual void limit(double /*time*/, Vector & /*q*/) {}
  // Where sources are split from L: takes q through them alone, from `time` to time + h, node by
  // node, by a scheme of order 2. A step h of the whole is react(t, h/2), the step h of L, then
  // react(t + h/2, h/2) (Strang 1968, doi:10.1137/0705041). Nothing by default.
  virtual void react(double /*time*/, double /*h*/, Vector & /*q*/) {}
  // The longest step at CFL number 1: the smallest over the nodes of
  //   1 / (wave speed (2 p + 1) / length + diffusivity (2 p + 1)^2 / length^2),
  // the second term of laws with second derivatives.
  // NaN where the state is not finite or has no wave speed.
  virtual double unit_step(double time, const Vector &q) = 0;
  // A state may grow by sources that depend on it.
  virtual bool sources_depend_on_state() const { return false; }
  // limit() changes states.
  virtual bool limits_states() const { return false; }
  // Finite volumes: unit_step() is the longest stable step of explicit Euler instead, by upwind
  // fluxes and two-point diffusion of means, so that fixed steps can be checked against it.
  virtual bool knows_longest_step() const { return false; }
  // Between the host's dofs, field after field, and the device's state, whose order and padding are
  // the operator's.
  virtual void set_state(const std::vector<double> &dofs, Vector &q) {
    set_vector(device(), q, dofs);
  }
  virtual std::vector<double> state(const Vector &q) { return get_vector(device(), q); }
  // [dof], as many as a state on the host has: values in [-1, 1] that look random, the same on
  // every run and with every number of ranks.
  virtual std::vector<double> random_state(std::int64_t host_dofs) const {
    return start_vector(host_dofs, 1);
  }
};

} // namespace weft
