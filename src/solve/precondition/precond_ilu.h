// Incomplete factors as a preconditioner.
#pragma once

#include <memory>
#include <vector>

#include "solve/approximate/triangular_factors.h"
#include "solve/preconditioner.h"

namespace weft {

// M = L U of ILU(level), made on the host in f64, solved with on the device in the operator's
// precision. Symmetric of a symmetric matrix, and positive definite where that has a positive
// diagonal. Unknowns are eliminated in the order of reverse Cuthill and McKee, which serves
// incomplete factors of unsymmetric matrices better than others (Benzi, Szyld, van Duin 1999, DOI
// 10.1137/S1064827597326845). A shift that the factors needed is told.
class PrecondIlu : public PrecondWithSetup {
public:
  PrecondIlu(const IluSettings &settings, const std::vector<FieldDofs> &fields);
  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;

private:
  // Errors: unsupported where `op` has no matrix; numerical where the matrix is not finite or has
  // no incomplete factors.
  void set_up(LinearOperator &op) override;

  IluSettings settings_;
  std::vector<FieldDofs> fields_;
  std::unique_ptr<TriangularFactors> factors_;
};

} // namespace weft
