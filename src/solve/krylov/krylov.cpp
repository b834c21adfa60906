#include "solve/krylov/krylov.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "device/repeated_work.h"
#include "ranks/interruption.h"

namespace weft {

CycleResult
run_batches(VectorKernels &kernels, const CycleGoal &goal, const std::function<void()> &iteration,
            const std::function<void(const KrylovState &state, int first, int end)> &on_batch) {
  CycleResult result;
  RepeatedWork repeated(kernels.device(), iteration);
  BatchSize batch(kernels.among() != nullptr);
  while (result.status == SolveStatus::running && result.iterations < goal.max_iterations) {
    const Timer timer;
    const int queued = batch.next(goal.max_iterations - result.iterations);
    for (int i = 0; i < queued; ++i)
      if (kernels.among() == nullptr)
        repeated.run();
      else // ranks exchange what they share
        iteration();
    const KrylovState state = kernels.read_state();
    batch.measured(timer.seconds(), queued);

    const int first = std::exchange(result.iterations, int(state[StateSlot::iteration]));
    result.status = state.status();
    for (int i = first; i < result.iterations; ++i) {
      const double norm = std::sqrt(state.record(i, 0));
      if (std::isfinite(norm) && norm > divergence_factor * goal.residual_norm)
        result.status = SolveStatus::diverged;
      goal.on_iteration(norm);
    }
    if (on_batch)
      on_batch(state, first, result.iterations);
    if (result.status == SolveStatus::running && interrupted(kernels.among()))
      result.status = SolveStatus::interrupted;
  }
  return result;
}

} // namespace weft
