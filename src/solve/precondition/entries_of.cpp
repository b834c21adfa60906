#include "solve/precondition/entries_of.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"

namespace weft {

namespace {

void check_finite(const CsrPattern &pattern, const double *values) {
  const std::int64_t first_bad = parallel_find(
      pattern.num_entries(), [=](std::int64_t e) { return !std::isfinite(values[e]); });
  if (first_bad == pattern.num_entries())
    return;
  const auto row =
      std::upper_bound(pattern.row_start.begin(), pattern.row_start.end(), first_bad) - 1;
  throw Error(ErrorKind::numerical,
              {.what = "the assembled matrix has an entry that is not finite",
               .where = "row " + std::to_string(row - pattern.row_start.begin()) + ", column " +
                        std::to_string(pattern.columns[first_bad]),
               .remedy =
                   "check coefficients and the state for divisions by zero, roots of negative "
                   "numbers and overflow"});
}

} // namespace

std::shared_ptr<const double[]> finite_values_of(const LinearOperator &op, const std::string &who) {
  const SparseMatrix *matrix = op.matrix();
  if (!matrix)
    throw Error(ErrorKind::unsupported, {.what = who + " needs the entries of the matrix",
                                         .where = "[solver] preconditioner",
                                         .found = "an operator that is applied without them",
                                         .remedy = "set operator = \"assembled\" in [solver]"});
  std::shared_ptr<const double[]> values = matrix->host_values();
  check_finite(matrix->pattern(), values.get());
  return values;
}

HostMatrix finite_entries_of(const LinearOperator &op, const std::string &who) {
  finite_values_of(op, who);
  return op.matrix()->host();
}

} // namespace weft
