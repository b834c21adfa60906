// Alternating directions as a preconditioner.
#pragma once

#include <memory>
#include <vector>

#include "solve/approximate/alternating_directions.h"
#include "solve/preconditioner.h"

namespace weft {

// z = M^-1 r of AlternatingDirections: a tridiagonal solve along the lines of each direction of a
// tensor-product grid, in the operator's precision. Not symmetric.
class PrecondAdi : public PrecondWithSetup {
public:
  // Error (input): no grid is known.
  explicit PrecondAdi(const SolverSettings &settings);
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;

private:
  // Errors: unsupported where `op` has no matrix; numerical where that is not finite; those of
  // AlternatingDirections.
  void set_up(LinearOperator &op) override;

  TensorGrid grid_;
  std::vector<FieldDofs> fields_;
  std::unique_ptr<AlternatingDirections> directions_;
};

} // namespace weft
