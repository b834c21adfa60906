// Approximate inverses of a level's matrix, by which multigrid smooths.
#pragma once

#include <cstdint>
#include <memory>

#include "linalg/levels/level_operator.h"
#include "linalg/sparse_matrix.h"
#include "solve/multigrid_settings.h"

namespace weft {

// M for steps x + M (b - A x) in the scaled unknowns of a level; symmetric where its matrix is.
class LevelInverse {
public:
  virtual ~LevelInverse() = default;
  // z = M r, vectors of the level. z and r differ.
  virtual void apply(const Vector &r, Vector &z) = 0;
  virtual std::uint64_t bytes() const = 0;
};

// Of `matrix`, which is that of the level without its scaling; null for smoothers that are
// polynomials. Among ranks of the block of each rank's own rows and columns. Errors: those of
// make_incomplete_factors() and sparse_approximate_inverse().
std::unique_ptr<LevelInverse> make_level_inverse(Device &device, SmootherKind smoother,
                                                 const HostMatrix &matrix,
                                                 const LevelOperator &level, bool symmetric);

} // namespace weft
