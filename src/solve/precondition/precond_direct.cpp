#include "solve/precondition/precond_direct.h"

#include "base/log.h"
#include "solve/precondition/entries_of.h"

namespace weft {

PrecondDirect::PrecondDirect(VectorKernels &kernels, bool reuse)
    : PrecondWithSetup(reuse), vectors_(kernels.device()), values_(kernels.size()) {}

void PrecondDirect::set_up(LinearOperator &op) {
  Communicator *ranks = op.layout().among;
  HostMatrix matrix;
  together(ranks, [&] { matrix = finite_entries_of(op, "a direct solver"); });
  if (ranks) {
    rows_.emplace(*ranks, op.size());
    matrix = rows_->whole_matrix(matrix, op.numbers_of_entries());
  }
  on_first(ranks, [&] {
    if (!solver_)
      solver_ = make_direct_solver(matrix, op.symmetric());
    solver_->factorise(matrix);
    log::debug("{}: {:.4g} entries in the factors", solver_->library(), solver_->factor_entries());
  });
  library_ = first_text(ranks, solver_ ? solver_->library() : "");
  take_null_pivots();
}

void PrecondDirect::take_null_pivots() {
  std::vector<std::int64_t> rows;
  if (solver_)
    for (const std::int32_t row : solver_->null_pivots())
      rows.push_back(row);
  null_pivots_ = rows_ ? rows_->own_of(rows) : rows;
}

const Vector &PrecondDirect::apply(const Vector &r, Vector &z, Vector &) {
  vectors_.read(r, values_.data());
  if (rows_) {
    std::vector<double> whole = rows_->gather(values_);
    if (solver_)
      solver_->solve(whole.data());
    rows_->scatter(whole, values_);
  } else {
    solver_->solve(values_.data());
  }
  vectors_.write(values_.data(), z);
  return z;
}

// A Krylov method's iterations cost about what solving with factors does, which is far less than to
// make them; but those of another matrix may lead nowhere.
int PrecondDirect::most_iterations_kept() const {
  return 12;
}

std::string PrecondDirect::library() const {
  return library_;
}

std::vector<std::int64_t> PrecondDirect::null_pivots() const {
  return null_pivots_;
}

} // namespace weft
