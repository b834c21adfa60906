// One cycle of multigrid as a preconditioner.
#pragma once

#include <functional>
#include <memory>

#include "device/repeated_work.h"
#include "solve/multigrid/multigrid_cycles.h"
#include "solve/multigrid/scaled_transfer.h"
#include "solve/preconditioner.h"

namespace weft {

// From the entries of an operator's matrix, by smoothed aggregation. Throws `input` for an operator
// without a matrix.
MultigridMaker aggregation_multigrid(const MultigridSettings &settings,
                                     const NearNullSpace &null_space);

// z = S x max |S r| with x one cycle for (S A S) x = S r / max |S r|: whatever the size of r,
// levels in 16 bits stay in their range. r = 0 gives 0, a NaN in r one in z.
class PrecondMultigrid : public PrecondWithSetup {
public:
  PrecondMultigrid(VectorKernels &kernels, MultigridMaker make, bool reuse)
      : PrecondWithSetup(reuse), kernels_(kernels), make_(std::move(make)) {}
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;
  bool varies() const override;
  std::optional<Precision> low_precision() const override;
  std::vector<LevelSummary> levels() const override;
  void meanwhile(const std::function<void()> &work) override { meanwhile_ = work; }

  // As of the last update().
  const MultigridCycles &multigrid() const { return *multigrid_; }

protected:
  void set_up(LinearOperator &op) override;
  void keep_set_up() override;

private:
  VectorKernels &kernels_;
  MultigridMaker make_;
  std::function<void()> meanwhile_;
  std::unique_ptr<MultigridCycles> multigrid_;
  std::unique_ptr<ScaledTransfer> transfer_;
  Vector b_;                            // scaled residual on the finest level
  Vector x_;                            // what a cycle makes of it: the cycle's, the same each time
  std::unique_ptr<RepeatedWork> cycle_; // null among ranks, which exchange what they share
};

} // namespace weft
