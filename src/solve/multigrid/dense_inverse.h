// The coarsest level of multigrid, solved directly.
#pragma once

#include <vector>

#include "linalg/levels/level_operator.h"
#include "linalg/sparse_matrix.h"

namespace weft {

// x = (S A S)^-1 b, the inverse made on the host in f64 and kept on the device as a full matrix. Of
// a singular matrix (pure Neumann conditions, a free body) the Moore-Penrose pseudo-inverse.
class DenseInverse {
public:
  // Unknowns up to which a full inverse is made: its n^3 operations take tenths of a second.
  static constexpr std::int64_t most_unknowns = 1200;

  // `scaling` is S; null: the identity. `precision`: of the vectors and the inverse, f64 or f32.
  // `systems`: right-hand sides at once, interleaved: [unknown][system].
  // Throws a numerical error for a matrix with entries that are not finite.
  DenseInverse(Device &device, const HostMatrix &matrix, const Vector *scaling, Precision precision,
               int systems = 1);
  void apply(const Vector &b, Vector &x);
  std::int64_t size() const { return size_; }
  std::uint64_t bytes() const { return inverse_->bytes; }
  bool singular() const { return singular_; }

private:
  Device &device_;
  std::int64_t size_ = 0;
  Precision precision_;
  int systems_ = 1;
  int lanes_ = 1;
  bool singular_ = false;
  Buffer inverse_; // [column][row], columns padded to whole lanes
  Program program_;
};

} // namespace weft
