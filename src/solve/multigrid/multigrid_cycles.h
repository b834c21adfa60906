// Multigrid cycles on a device.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "linalg/levels/level_operator.h"
#include "linalg/vector_kernels.h"
#include "solve/aggregation/hierarchy.h"
#include "solve/multigrid/dense_inverse.h"
#include "solve/multigrid/level_inverse.h"
#include "solve/multigrid_settings.h"
#include "solve/report.h"

namespace weft {

struct MultigridLevel {
  std::unique_ptr<LevelOperator> op;
  std::unique_ptr<LevelTransfer> transfer; // to the next coarser level; of the coarsest null
  double largest_eigenvalue = 0;           // of D^-1 A; 0: to be estimated here
  std::optional<double> smoothing;         // in place of MultigridSettings::smoothing
  std::unique_ptr<LevelInverse> inverse;   // that smooths; null: polynomials do
};

// x = M b for one cycle, or several, from x = 0. Smoothing after the coarse correction is the
// adjoint of that before it, so that M is symmetric (V and W cycles; a K cycle is no linear map)
// and, where smoothing converges, positive definite. Nothing in it waits for the host; the same
// bits on every run.
class MultigridCycles {
public:
  // `coarsest` solves on the last level; null: that level is large, and smoothed many times.
  // `symmetric`: how eigenvalues are estimated.
  MultigridCycles(Device &device, std::vector<MultigridLevel> levels,
                  std::unique_ptr<DenseInverse> coarsest, const MultigridSettings &settings,
                  bool symmetric);
  ~MultigridCycles();

  // In the scaled unknowns of the finest level; the result stays the cycle's.
  const Vector &cycle(const Vector &b);

  LevelOperator &finest() { return *levels_.front().op; }
  std::vector<LevelSummary> levels() const;
  bool solves_coarsest() const { return coarsest_ != nullptr; }
  // A K cycle depends on b.
  bool linear() const { return settings_.cycle != MultigridCycle::k || levels_.size() < 3; }

private:
  struct Work; // of a level

  std::vector<SmootherStep> smoothing(double largest, double fraction) const;
  std::vector<SmootherStep> long_smoothing(double largest) const;
  void run(std::size_t level, const Vector &b, bool from_zero);
  void smooth(std::size_t level, const Vector &b, bool from_zero);
  void smooth_by_inverse(std::size_t level, const Vector &b, bool from_zero);
  void correct(std::size_t level); // the coarse level's solution into its x
  void correct_by_krylov(std::size_t level);

  Device &device_;
  MultigridSettings settings_;
  std::vector<MultigridLevel> levels_;
  std::unique_ptr<DenseInverse> coarsest_;
  std::vector<std::unique_ptr<Work>> work_;
};

// The level below the last of `levels`, whose largest eigenvalue it leaves open, and the transfer
// to it: matrices of a hierarchy, stored as the settings say. `symmetric`: they are.
void add_matrix_level(Device &device, const HierarchyLevel &fine, const HierarchyLevel &coarse,
                      const MultigridSettings &settings, bool symmetric,
                      std::vector<MultigridLevel> &levels);

} // namespace weft
