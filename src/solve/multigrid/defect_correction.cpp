#include "solve/multigrid/defect_correction.h"

namespace weft {

CycleResult DefectCorrectionMethod::run(LinearOperator &op, Preconditioner &precond, Vector &x,
                                        Vector &r, const CycleGoal &goal) {
  if (!q_.buffer) {
    q_ = kernels_.vector("defect correction A z");
    z_ = kernels_.vector("correction");
  }
  KrylovState state;
  state[StateSlot::target] = goal.target_norm * goal.target_norm;
  kernels_.write_state(state);

  // A correction, per dof:                      reads   writes  flops
  //   z = M^-1 r                                (the inner solver's own)
  //   q = A z                                   (the operator's own)
  //   r = r - omega q;  r.r                     r q     r       4
  //   x = x + omega z                           x z     x       2
  // Together 4 reads and 2 writes: 48 bytes and 6 flops in f64. That r - omega A z is the defect of
  // x + omega z but for rounding saves reading b; the caller computes it anew from x in the end.
  const auto correction = [&] {
    if (&precond.apply(r, z_, q_) == &r)
      kernels_.copy(r, z_);
    op.apply(z_, q_);
    kernels_.over_vector("defect_residual", {r.buffer, q_.buffer, kernels_.real(damping_),
                                             kernels_.state(), kernels_.partials()});
    kernels_.over_sums("defect_check", {kernels_.real(damping_), kernels_.state()});
    kernels_.over_vector("defect_update", {x.buffer, z_.buffer, kernels_.state()});
  };
  CycleGoal of_cycle = goal;
  of_cycle.max_iterations = std::min(goal.max_iterations, most_corrections);
  return run_batches(kernels_, of_cycle, correction);
}

} // namespace weft
