#include "solve/precondition/entries_of.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace weft {

namespace {

void check_finite(const HostMatrix &matrix) {
  const auto bad = std::find_if_not(matrix.values.begin(), matrix.values.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad == matrix.values.end())
    return;
  const auto index = static_cast<std::int32_t>(bad - matrix.values.begin());
  const auto row = std::upper_bound(matrix.row_start.begin(), matrix.row_start.end(), index) - 1;
  throw Error(ErrorKind::numerical,
              {.what = "the assembled matrix has an entry that is not finite",
               .where = "row " + std::to_string(row - matrix.row_start.begin()) + ", column " +
                        std::to_string(matrix.columns[index]),
               .remedy =
                   "check coefficients and the state for divisions by zero, roots of negative "
                   "numbers and overflow"});
}

} // namespace

HostMatrix finite_entries_of(const LinearOperator &op, const std::string &who) {
  const SparseMatrix *matrix = op.matrix();
  if (!matrix)
    throw Error(ErrorKind::unsupported, {.what = who + " needs the entries of the matrix",
                                         .where = "[solver] preconditioner",
                                         .found = "an operator that is applied without them",
                                         .remedy = "set operator = \"assembled\" in [solver]"});
  HostMatrix entries = matrix->host();
  check_finite(entries);
  return entries;
}

} // namespace weft
