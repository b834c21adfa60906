#include "solve/krylov/krylov.h"

#include <algorithm>
#include <cmath>

#include "ranks/interruption.h"

namespace weft {

CycleResult
run_batches(VectorKernels &kernels, const CycleGoal &goal,
            const std::function<void(int record)> &iteration,
            const std::function<void(const KrylovState &state, int finished)> &on_batch) {
  CycleResult result;
  BatchSize batch(kernels.among() != nullptr);
  while (result.status == SolveStatus::running && result.iterations < goal.max_iterations) {
    const Timer timer;
    const int queued = batch.next(goal.max_iterations - result.iterations);
    for (int record = 0; record < queued; ++record)
      iteration(record);
    const KrylovState state = kernels.read_state();
    batch.measured(timer.seconds(), queued);

    const int finished = int(state[StateSlot::iteration]) - result.iterations;
    result.iterations += finished;
    result.status = state.status();
    for (int i = 0; i < finished; ++i) {
      const double norm = std::sqrt(state.record(i, 0));
      if (std::isfinite(norm) && norm > divergence_factor * goal.residual_norm)
        result.status = SolveStatus::diverged;
      goal.on_iteration(norm);
    }
    if (on_batch)
      on_batch(state, finished);
    if (result.status == SolveStatus::running && interrupted(kernels.among()))
      result.status = SolveStatus::interrupted;
  }
  return result;
}

} // namespace weft
