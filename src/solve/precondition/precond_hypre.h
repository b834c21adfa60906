// hypre's algebraic multigrid on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solve/precondition/host_vectors.h"
#include "solve/precondition/hypre_module.h"
#include "solve/preconditioner.h"

namespace weft {

// z = one V-cycle of BoomerAMG from zero, in double, on one core of the host, or one of each rank
// that shares the matrix. Vectors go through its memory. Symmetric positive definite if A is.
class PrecondHypre : public PrecondWithSetup {
public:
  // Errors: system (the module of hypre is not there), unsupported (ranks that are no processes).
  PrecondHypre(VectorKernels &kernels, const HypreSettings &settings,
               const std::vector<FieldDofs> &fields);
  ~PrecondHypre() override;

  const Vector &apply(const Vector &r, Vector &z, Vector &scratch) override;

  // Figures of the hierarchy in use.
  const HypreSetup &setup() const { return setup_; }

private:
  // Errors: unsupported where `op` has no matrix; numerical where the matrix is not finite or hypre
  // fails.
  void set_up(LinearOperator &op) override;
  std::vector<std::int32_t> functions_of_dofs(std::int64_t num_dofs) const;

  Communicator *ranks_;
  HostVectors vectors_;
  HypreSettings settings_;
  std::vector<FieldDofs> fields_;
  const HypreModule &module_;
  HypreSolver *solver_ = nullptr;
  HypreSetup setup_ = {};
};

} // namespace weft
