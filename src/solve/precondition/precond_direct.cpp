#include "solve/precondition/precond_direct.h"

#include "base/log.h"
#include "solve/precondition/entries_of.h"

namespace weft {

PrecondDirect::PrecondDirect(VectorKernels &kernels, bool reuse)
    : PrecondWithSetup(reuse), vectors_(kernels.device()), values_(kernels.size()) {}

void PrecondDirect::set_up(LinearOperator &op) {
  const HostMatrix matrix = finite_entries_of(op, "a direct solver");
  if (!solver_)
    solver_ = make_direct_solver(matrix, op.symmetric());
  solver_->factorise(matrix);
  log::debug("{}: {:.4g} entries in the factors", solver_->library(), solver_->factor_entries());
}

const Vector &PrecondDirect::apply(const Vector &r, Vector &z, Vector &) {
  vectors_.read(r, values_.data());
  solver_->solve(values_.data());
  vectors_.write(values_.data(), z);
  return z;
}

// A Krylov method's iterations cost about what solving with factors does, which is far less than to
// make them; but those of another matrix may lead nowhere.
int PrecondDirect::most_iterations_kept() const {
  return 12;
}

std::string PrecondDirect::library() const {
  return solver_ ? solver_->library() : "";
}

std::vector<std::int64_t> PrecondDirect::null_pivots() const {
  if (!solver_)
    return {};
  const std::vector<std::int32_t> rows = solver_->null_pivots();
  return {rows.begin(), rows.end()};
}

} // namespace weft
