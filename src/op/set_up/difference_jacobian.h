// The Jacobian of a residual whose derivative is not known, by central differences.
//
//   J x      = (F(u + h x) - F(u - h x)) / 2h,   h = r max|u| / max|x|,   r = (machine
//   epsilon)^(1/3) J_ii     = the same with x = the sum of the unit vectors of the dofs of i's
//   colour
//
// The relative error is of order r^2 = 4e-11 in f64 and 2e-5 in f32, in units of the third
// derivative over the scale of the state, plus rounding of F of the same order (Knoll and Keyes,
// "Jacobian-free Newton-Krylov methods", J. Comput. Phys. 193 (2004), section 2.2,
// doi:10.1016/j.jcp.2003.08.010; r balances truncation and rounding of a central difference).
// Where u = 0 its scale is taken as 1.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "linalg/vector.h"
#include "linalg/vector_cost.h"
#include "op/problem/discretisation.h"

namespace weft {

// r above.
double difference_step(Precision precision);

class DifferenceJacobian {
public:
  // r = F(u), where rows of constrained dofs may hold anything.
  using Residual = std::function<void(const Vector &u, Vector &r)>;

  // `d` must outlive the object. `layout`: of vectors. Among ranks calls are of all of them.
  DifferenceJacobian(Device &device, const Discretisation &d, const VectorLayout &layout,
                     Precision precision, Residual residual);

  // Keeps a reference to u as the state.
  void linearise(const Vector &u);
  // y = J x; two residuals. x is 0 in constrained dofs.
  void apply(const Vector &x, Vector &y);
  // A buffer whose real [1] is the h of a direction: difference_step() max|u| / max|x|.
  const Buffer &step_along(const Vector &x);
  // Two residuals a colour.
  void diagonal(Vector &d);

  int num_colours();

  // What the kernels of this file do in one apply() or diagonal(), without the residuals.
  std::vector<NamedCost> apply_costs() const;
  std::vector<NamedCost> diagonal_costs();
  std::vector<NamedCost> linearise_costs() const;

private:
  VectorShape shape() const;
  void over_vector(const char *kernel, const std::vector<KernelArgument> &arguments);
  void largest(const Vector &x, const char *then); // of |x|; then a kernel makes a step of it
  void make_colours();
  KernelArgument real(double value) const;

  Device &device_;
  const Discretisation &d_;
  VectorLayout layout_;
  Precision precision_;
  Residual residual_;
  int group_size_ = 1;
  int lanes_ = 1;
  std::int64_t chunk_ = 1;
  std::int32_t num_chunks_ = 1;
  Program program_;
  Buffer partials_, step_;
  Vector state_, shifted_, minus_;
  Vector plus_;    // for the diagonal
  Buffer colours_; // [dof]
  int num_colours_ = 0;
  std::int64_t num_coloured_ = 0; // dofs
};

// A kernel of kernels/fem/difference.kernel. `dofs`: difference_shift_colour and difference_pick:
// those of the colour. Throws `invariant` for an unknown name.
KernelCost difference_kernel_cost(const std::string &kernel, const VectorShape &shape,
                                  double dofs = 0);

} // namespace weft
