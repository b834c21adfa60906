#include "solve/precondition/precond_hypre.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "ranks/first_numbers.h"
#include "solve/precondition/entries_of.h"
#include "solve/precondition/hypre_library.h"

namespace weft {

namespace {

// Rows of lower ranks.
std::int32_t first_row(Communicator *ranks, std::int32_t num_rows) {
  return ranks ? static_cast<std::int32_t>(first_numbers(*ranks, num_rows)[ranks->rank()]) : 0;
}

} // namespace

PrecondHypre::PrecondHypre(VectorKernels &kernels, const HypreSettings &settings,
                           const std::vector<FieldDofs> &fields)
    : PrecondWithSetup(settings.reuse), ranks_(kernels.among()), vectors_(kernels.device()),
      settings_(settings), fields_(fields), module_(hypre_library()) {
  if (ranks_ && !ranks_->is_mpi())
    throw Error(ErrorKind::unsupported, {.what = "hypre among ranks that are no processes"});
}

PrecondHypre::~PrecondHypre() {
  if (solver_)
    module_.destroy(solver_);
}

// Components of vector fields, and fields, are functions of their own: AMG coarsens each by itself.
std::vector<std::int32_t> PrecondHypre::functions_of_dofs(std::int64_t num_dofs) const {
  std::vector<std::int32_t> functions(num_dofs);
  std::int32_t first_function = 0;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const FieldDofs &field = fields_[f];
    const std::int64_t end = f + 1 < fields_.size() ? fields_[f + 1].first_dof : num_dofs;
    for (std::int64_t dof = field.first_dof; dof < end; ++dof)
      functions[dof] =
          first_function + static_cast<std::int32_t>((dof - field.first_dof) % field.components);
    first_function += field.components;
  }
  return functions;
}

void PrecondHypre::set_up(LinearOperator &op) {
  HostMatrix matrix;
  together(ranks_, [&] { matrix = finite_entries_of(op, "the preconditioner hypre"); });
  const std::vector<std::int32_t> numbers = op.numbers_of_entries();
  for (std::int32_t &column : matrix.columns)
    if (!numbers.empty())
      column = numbers[column];
  if (solver_)
    module_.destroy(std::exchange(solver_, nullptr));
  int num_functions = 0;
  for (const FieldDofs &field : fields_)
    num_functions += field.components;
  const std::vector<std::int32_t> functions =
      num_functions > 1 ? functions_of_dofs(matrix.num_rows()) : std::vector<std::int32_t>{};
  const HypreMatrix rows = {.is_shared = ranks_ ? 1 : 0,
                            .first_row = first_row(ranks_, matrix.num_rows()),
                            .num_rows = matrix.num_rows(),
                            .row_start = matrix.row_start.data(),
                            .columns = matrix.columns.data(),
                            .values = matrix.values.data(),
                            .functions = functions.empty() ? nullptr : functions.data()};
  const HypreOptions options = {.strong_threshold = settings_.strong_threshold,
                                .coarsening = settings_.coarsening,
                                .interpolation = settings_.interpolation,
                                .aggressive_levels =
                                    settings_.aggressive_levels.value_or(num_functions > 1 ? 0 : 1),
                                .num_functions = std::max(num_functions, 1)};
  solver_ = module_.create(&rows, &options);
  if (any(ranks_, !solver_))
    throw Error(ErrorKind::numerical,
                {.what = "hypre could not set up its multigrid",
                 .found = module_.last_error(),
                 .remedy = "choose other settings of the preconditioner, or preconditioner = "
                           "\"jacobi\""});
  setup_ = module_.setup(solver_); // of all ranks
  log::debug("{}: {} levels, operator complexity {:.2f}", module_.library, setup_.levels,
             setup_.operator_complexity);
}

const Vector &PrecondHypre::apply(const Vector &r, Vector &z, Vector &) {
  vectors_.read(r, module_.right_hand_side(solver_));
  // A cycle that fails gives what the method then reports as not finite.
  double *solution = module_.solution(solver_);
  if (module_.apply(solver_) != 0)
    std::fill_n(solution, z.size, std::nan(""));
  vectors_.write(solution, z);
  return z;
}

} // namespace weft
