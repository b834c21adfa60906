#include "solve/precondition/precond_low_precision.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "linalg/halo/shared_rows_of.h"
#include "linalg/levels/level_matrix.h"
#include "solve/multigrid/matrix_free_level.h"

namespace weft {

namespace {

constexpr int first_guess = 8;
constexpr int most_rounds = 4; // of measurements

// Bytes of the operator's application and of the vectors of a correction over those of an inner
// iteration. Without a matrix both do the same operations.
double cost_of_update(const LinearOperator &op, const LevelOperator &level) {
  constexpr double bytes_of_column = 3; // of 16 or 32 bits
  const double outer = size_bytes(op.precision());
  const double inner = size_bytes(level.precision());
  constexpr double outer_vectors = 9, inner_vectors = 5;
  if (!op.matrix())
    return outer / inner;
  const double entries = double(level.num_entries()), rows = double(level.size());
  return (entries * (outer + bytes_of_column) + outer_vectors * outer * rows) /
         (entries * (size_bytes(level.storage()) + bytes_of_column) + inner_vectors * inner * rows);
}

} // namespace

PrecondLowPrecision::PrecondLowPrecision(VectorKernels &kernels, const InnerSettings &settings,
                                         int components)
    : kernels_(kernels), settings_(settings), components_(components) {}

void PrecondLowPrecision::make_level(LinearOperator &op) {
  if (const SparseMatrix *matrix = op.matrix()) {
    level_ =
        std::make_unique<LevelMatrix>(op.device(), *matrix, settings_.precision,
                                      LevelMatrix::Constants{components_, {}}, shared_rows_of(op));
    return;
  }
  LinearOperator *low = arithmetic_precision(settings_.precision) == settings_.precision
                            ? op.in_precision(settings_.precision)
                            : nullptr;
  if (!low)
    throw Error(ErrorKind::input,
                {.what = fmt::format("an operator without a matrix is not computed in {}",
                                     to_string(settings_.precision)),
                 .where = "[solver] precision of the solver in low precision",
                 .found = to_string(settings_.precision),
                 .allowed = "f32, f64",
                 .remedy =
                     "set operator = \"assembled\" in [solver], whose matrix is stored in any "
                     "precision, or precision = \"f32\""});
  level_ = std::make_unique<MatrixFreeLevel>(*low);
}

void PrecondLowPrecision::update(LinearOperator &op) {
  op_ = &op;
  if (settings_.method == InnerKind::cg && !op.symmetric())
    throw Error(ErrorKind::input,
                {.what = "cg in low precision is for symmetric operators",
                 .where = "[solver] method of the solver in low precision",
                 .found = "a form that is not symmetric",
                 .allowed = "jacobi, chebyshev",
                 .remedy = "choose one of these, or preconditioner = \"multigrid\""});
  make_level(op);
  if (!low_) {
    low_ = std::make_unique<VectorKernels>(op.device(), level_->precision(), op.layout(),
                                           inner_kernel_sums(),
                                           inner_kernel_parts(settings_.method, op.symmetric()));
    b_ = low_->vector("defect in low precision");
    residual_ = low_->vector("inner residual");
  }
  solver_ = make_inner_solver(settings_.method, *low_, *level_, op.symmetric());
  transfer_ = std::make_unique<ScaledTransfer>(kernels_, *level_);
  update_cost_ = cost_of_update(op, *level_);
  iterations_ = settings_.iterations;
}

std::vector<LevelSummary> PrecondLowPrecision::levels() const {
  if (!level_)
    return {};
  return {{.unknowns = level_->size(),
           .entries = level_->num_entries(),
           .storage = level_->storage(),
           .bytes = level_->bytes()}};
}

void PrecondLowPrecision::correct(const Vector &r, Vector &z, int iterations) {
  transfer_->enter(r, b_);
  transfer_->leave(solver_->solve(b_, iterations), z);
}

InnerContraction PrecondLowPrecision::measure(const Vector &r, Vector &z, Vector &scratch,
                                              int iterations) {
  transfer_->enter(r, b_);
  const Vector &c = solver_->solve(b_, iterations);
  transfer_->leave(c, z);
  level_->residual(b_, c, residual_);
  InnerContraction measured{.iterations = iterations};
  measured.inner = low_->norm(residual_) / low_->norm(b_);
  op_->apply(z, scratch);
  kernels_.combine(scratch, 1, r, -1, scratch);
  measured.outer = kernels_.norm(scratch) / kernels_.norm(r);
  return measured;
}

// By measurements on r; z is then a solution with the number chosen.
void PrecondLowPrecision::choose(const Vector &r, Vector &z, Vector &scratch) {
  iterations_ = first_guess;
  for (int round = 0; round < most_rounds; ++round) {
    const InnerContraction measured = measure(r, z, scratch, iterations_);
    const int better = choose_iterations(measured, update_cost_);
    log::debug("{} iterations in {}: residual times {:.3g} there, {:.3g} in {}", iterations_,
               to_string(settings_.precision), measured.inner, measured.outer,
               to_string(kernels_.precision()));
    if (better == iterations_)
      return;
    iterations_ = better;
  }
  correct(r, z, iterations_);
}

const Vector &PrecondLowPrecision::apply(const Vector &r, Vector &z, Vector &scratch) {
  if (iterations_ == 0)
    choose(r, z, scratch);
  else
    correct(r, z, iterations_);
  return z;
}

} // namespace weft
