// What a multigrid preconditioner is asked to be.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"

namespace weft {

class LevelOperator;
class LinearOperator;
class MultigridCycles;

// Where the levels come from:
//   aggregation  smoothed aggregation of the matrix (Vanek, Mandel, Brezina 1996,
//                DOI 10.1007/BF02238511)
//   nested       coarser discretisations: of a refined mesh, of lower order
//   low_order    smoothed aggregation of a matrix of order 1, that of the cells divided at their
//                nodes
enum class MultigridKind { aggregation, nested, low_order };

// How often a level visits the next coarser one: V once, W twice, K by steps of flexible conjugate
// gradients (Notay, Vassilevski 2008, DOI 10.1002/nla.542).
enum class MultigridCycle { v, w, k };

// Polynomials in D^-1 A, or steps x + M (b - A x) with M an approximate inverse of a level's
// matrix: incomplete factors without fill, or a sparse one.
enum class SmootherKind { chebyshev, jacobi, ilu, spai };

constexpr bool smooths_by_inverse(SmootherKind smoother) {
  return smoother == SmootherKind::ilu || smoother == SmootherKind::spai;
}

struct MultigridSettings {
  MultigridKind kind = MultigridKind::aggregation;
  MultigridCycle cycle = MultigridCycle::v;
  int cycles = 1; // one after the other, for one application
  SmootherKind smoother = SmootherKind::chebyshev;
  int degree = 2;     // Chebyshev: terms of the polynomial, before and after the coarse correction
  int sweeps = 2;     // of all others: steps before, and as many after
  double damping = 0; // Jacobi: omega of x + omega D^-1 r; 0: 4/3 over the largest eigenvalue
  double smoothing = 0.25; // Chebyshev: smallest eigenvalue that is damped, over the largest
  int krylov_steps = 2;    // K: on each level but the finest and the coarsest; 1 or 2
  // Precisions of the matrices' entries, from the finest level; the last one is that of all further
  // levels. Vectors have arithmetic_precision() of it.
  std::vector<Precision> precisions = {Precision::f16};
  int max_levels = 20;
  std::int64_t coarsest_size = 400; // no further level below so many unknowns; solved directly
  // Among ranks, levels of aggregates: those of at most so many unknowns in all are on every rank,
  // which computes with the whole of them: a gather a cycle in place of several messages a level.
  std::optional<std::int64_t> gathered_size; // open: see gathered_level_size()
  std::optional<double> strength;            // aggregation: of connections, see AggregationSettings
  int systems = 1; // right-hand sides at once: those of the operator that levels are made for

  Precision precision(std::size_t level) const {
    return precisions[level < precisions.size() ? level : precisions.size() - 1];
  }
};

// Called once, with the finest level, as soon as there is one: what it does on the device is done
// while the host makes the others.
using OnFinestLevel = std::function<void(const LevelOperator &finest)>;
// The cycle for an operator as it is now.
using MultigridMaker =
    std::function<std::unique_ptr<MultigridCycles>(LinearOperator &, const OnFinestLevel &)>;

} // namespace weft
