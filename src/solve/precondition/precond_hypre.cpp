#include "solve/precondition/precond_hypre.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "linalg/sparse_matrix.h"
#include "solve/precondition/hypre_library.h"

namespace weft {

namespace {

const SparseMatrix &matrix_of(const LinearOperator &op) {
  const SparseMatrix *matrix = op.matrix();
  if (!matrix)
    throw Error(ErrorKind::unsupported,
                {.what = "the preconditioner hypre needs the entries of the matrix",
                 .where = "[solver] preconditioner",
                 .found = "an operator that is applied without them",
                 .remedy = "set operator = \"assembled\" in [solver]"});
  return *matrix;
}

void check_finite(const HostMatrix &matrix) {
  const auto bad = std::find_if_not(matrix.values.begin(), matrix.values.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad == matrix.values.end())
    return;
  const auto place = static_cast<std::int32_t>(bad - matrix.values.begin());
  const auto row = std::upper_bound(matrix.row_start.begin(), matrix.row_start.end(), place) - 1;
  throw Error(ErrorKind::numerical,
              {.what = "the assembled matrix has an entry that is not finite",
               .where = "row " + std::to_string(row - matrix.row_start.begin()) + ", column " +
                        std::to_string(matrix.columns[place]),
               .remedy =
                   "check coefficients and the state for divisions by zero, roots of negative "
                   "numbers and overflow"});
}

} // namespace

PrecondHypre::PrecondHypre(VectorKernels &kernels, const HypreSettings &settings)
    : PrecondWithSetup(settings.reuse), kernels_(kernels), settings_(settings),
      module_(hypre_library()) {}

PrecondHypre::~PrecondHypre() {
  if (solver_)
    module_.destroy(solver_);
}

// Components of vector fields, and fields, are functions of their own: AMG coarsens each by itself.
std::vector<std::int32_t> PrecondHypre::functions_of_dofs(std::int64_t num_dofs) const {
  std::vector<std::int32_t> functions(num_dofs);
  std::int32_t first_function = 0;
  for (std::size_t f = 0; f < settings_.fields.size(); ++f) {
    const FieldDofs &field = settings_.fields[f];
    const std::int64_t end =
        f + 1 < settings_.fields.size() ? settings_.fields[f + 1].first_dof : num_dofs;
    for (std::int64_t dof = field.first_dof; dof < end; ++dof)
      functions[dof] =
          first_function + static_cast<std::int32_t>((dof - field.first_dof) % field.components);
    first_function += field.components;
  }
  return functions;
}

void PrecondHypre::set_up(LinearOperator &op) {
  const HostMatrix matrix = matrix_of(op).host();
  check_finite(matrix);
  if (solver_)
    module_.destroy(std::exchange(solver_, nullptr));
  int num_functions = 0;
  for (const FieldDofs &field : settings_.fields)
    num_functions += field.components;
  const std::vector<std::int32_t> functions =
      num_functions > 1 ? functions_of_dofs(matrix.num_rows()) : std::vector<std::int32_t>{};
  const HypreMatrix rows = {.num_rows = matrix.num_rows(),
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
  if (!solver_)
    throw Error(ErrorKind::numerical,
                {.what = "hypre could not set up its multigrid",
                 .found = module_.last_error(),
                 .remedy = "choose other settings of the preconditioner, or preconditioner = "
                           "\"jacobi\""});
  log::debug("{}: {} levels, operator complexity {:.2f}", module_.library, setup().levels,
             setup().operator_complexity);
}

HypreSetup PrecondHypre::setup() const {
  return solver_ ? module_.setup(solver_) : HypreSetup{};
}

const Vector &PrecondHypre::apply(const Vector &r, Vector &z, Vector &) {
  Device &device = kernels_.device();
  const std::int64_t size = r.size;
  double *from = module_.right_hand_side(solver_);
  if (r.precision == Precision::f64) {
    device.read(r.buffer, from, size * sizeof(double));
  } else {
    rounded_.resize(size);
    device.read(r.buffer, rounded_.data(), size * sizeof(float));
    std::copy(rounded_.begin(), rounded_.end(), from);
  }
  // A cycle that fails gives what the method then reports as not finite.
  double *to = module_.solution(solver_);
  if (module_.apply(solver_) != 0)
    std::fill_n(to, size, std::nan(""));
  if (z.precision == Precision::f64) {
    device.write(z.buffer, to, size * sizeof(double));
  } else {
    std::copy_n(to, size, rounded_.begin());
    device.write(z.buffer, rounded_.data(), size * sizeof(float));
  }
  return z;
}

} // namespace weft
