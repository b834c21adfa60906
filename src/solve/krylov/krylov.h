// What the Krylov methods have in common: a cycle that improves x from a known residual, with its
// scalars on the device and a look at them every few iterations.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/timer.h"
#include "linalg/operator.h"
#include "linalg/vector_kernels.h"
#include "solve/preconditioner.h"
#include "solve/settings.h"

namespace weft {

struct CycleGoal {
  double residual_norm = 0; // of r on entry
  double target_norm = 0;
  int max_iterations = 0;
  // Called for each iteration, in batches, with the residual's norm as the recurrence has it.
  std::function<void(double norm)> on_iteration;
};

struct CycleResult {
  SolveStatus status = SolveStatus::running; // running: iterations used up, or time to restart
  int iterations = 0;
};

class KrylovMethod {
public:
  virtual ~KrylovMethod() = default;
  // Improves x; r = b - A x on entry, of no meaning on return. x is finite on return if it was.
  virtual CycleResult run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                          const CycleGoal &goal) = 0;
};

// How many iterations to queue before the next look at the device's scalars: as many as take about
// a millisecond (a look costs up to 60 us), at most max_batch. What a method queues after it has
// converged changes nothing, so results do not depend on this.
class BatchSize {
public:
  // Among ranks one, which all agree on; each iteration waits for the sums of all anyway.
  explicit BatchSize(bool fixed) : fixed_(fixed) {}
  int next(int allowed) const { return std::min(allowed, size_); }
  void measured(double seconds, int iterations) {
    if (fixed_)
      return;
    const double wanted = 1e-3 * iterations / std::max(seconds, 1e-9);
    size_ = std::max(1, int(std::min<double>(wanted, max_batch)));
  }

private:
  bool fixed_;
  int size_ = 1;
};

// Queues batches of `iteration`, which launches the same each time (see RepeatedWork), until
// state.status ends the cycle or the iterations are used up; `on_batch(state, first, end)` sees the
// records of each batch, those of iterations first <= i < end.
CycleResult
run_batches(VectorKernels &kernels, const CycleGoal &goal, const std::function<void()> &iteration,
            const std::function<void(const KrylovState &state, int first, int end)> &on_batch = {});

} // namespace weft
