#include "solve/krylov.h"

#include <algorithm>
#include <cmath>

#include "base/interruption.h"
#include "solve/bicgstab.h"
#include "solve/cg.h"
#include "solve/defect_correction.h"
#include "solve/gmres.h"

namespace weft {

std::unique_ptr<KrylovMethod> make_krylov_method(VectorKernels &kernels, KrylovKind kind,
                                                 const SolverSettings &settings) {
  switch (kind) {
  case KrylovKind::cg:
    return std::make_unique<CgMethod>(kernels);
  case KrylovKind::bicgstab:
    return std::make_unique<BicgstabMethod>(kernels);
  case KrylovKind::gmres:
    return std::make_unique<GmresMethod>(kernels, settings.restart);
  case KrylovKind::defect_correction:
    return std::make_unique<DefectCorrectionMethod>(kernels, settings.damping);
  }
  return nullptr;
}

CycleResult
run_batches(VectorKernels &kernels, const CycleGoal &goal,
            const std::function<void(int record)> &iteration,
            const std::function<void(const KrylovState &state, int finished)> &on_batch) {
  CycleResult result;
  BatchSize batch;
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
    if (result.status == SolveStatus::running && interrupted())
      result.status = SolveStatus::interrupted;
  }
  return result;
}

} // namespace weft
