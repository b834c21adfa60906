#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "solve/aggregation/aggregation.h"

namespace weft {

namespace {

// Below this share of the diagonal entry a smoother's first step has solved the row.
constexpr double decoupled_below = 0.01;

[[noreturn]] void refuse_entry(std::int64_t row, bool finite) {
  throw Error(ErrorKind::numerical,
              {.what = finite ? "multigrid needs diagonal entries that are not zero"
                              : "the matrix has an entry that is not finite",
               .where = fmt::format("row {}", row),
               .remedy = finite ? "give each unknown a term of its own, or choose "
                                  "preconditioner = \"none\""
                                : "check coefficients and the state for divisions by zero, roots "
                                  "of negative numbers and overflow"});
}

// Sums of one scalar row: its diagonal entry, the sum of the moduli of the others, and the largest
// of their products with a factor, at least 0.
struct RowSums {
  double diagonal = 0, others = 0, largest = 0;
};

// `Width`: int, or known to the compiler. Without branches that a processor can't foresee.
template <typename Width>
RowSums sums_of_row(const BlockView &matrix, std::int64_t node, int r, double factor, Width width) {
  RowSums sums;
  const double *entries = matrix.entries(node, r);
  const std::int32_t first = matrix.start[node], last = matrix.start[node + 1];
  for (std::int32_t k = first; k < last; ++k)
    for (int c = 0; c < width; ++c, ++entries) {
      const double entry = *entries;
      const bool diagonal = matrix.columns[k] == node && c == r;
      sums.diagonal += diagonal ? entry : 0;
      sums.others += diagonal ? 0 : std::fabs(entry);
      sums.largest = std::max(sums.largest, diagonal ? 0 : factor * entry);
    }
  return sums;
}

void measure_norms(const BlockView &matrix, std::int64_t node, double *norms) {
  const std::int32_t length = matrix.start[node + 1] - matrix.start[node];
  std::fill_n(norms, length, 0.);
  for (int r = 0; r < matrix.height; ++r) {
    const double *entries = matrix.entries(node, r);
    for (std::int32_t k = 0; k < length; ++k)
      for (int c = 0; c < matrix.width; ++c, ++entries)
        norms[k] += *entries * *entries;
  }
  for (std::int32_t k = 0; k < length; ++k)
    norms[k] = std::sqrt(norms[k]);
}

// Largest of the couplings to other nodes.
double largest_norm(const BlockView &matrix, std::int64_t node, const double *norms) {
  double largest = 0;
  for (std::int32_t k = matrix.start[node]; k < matrix.start[node + 1]; ++k)
    if (matrix.columns[k] != node)
      largest = std::max(largest, norms[k - matrix.start[node]]);
  return largest;
}

// -1 where diagonal entries are positive, as the first one is, else 1.
double factor_of_entries(const BlockView &matrix) {
  for (std::int32_t k = 0; matrix.num_rows > 0 && k < matrix.start[1]; ++k)
    if (matrix.columns[k] == 0 && matrix.values[k] < 0)
      return 1;
  return -1;
}

} // namespace

Couplings measure_couplings(const BlockView &matrix) {
  constexpr std::int64_t chunk = 1 << 13;
  constexpr std::integral_constant<int, 1> one;
  Couplings couplings;
  if (matrix.height > 1)
    couplings.norms.resize(matrix.num_rows > 0 ? matrix.start[matrix.num_rows] : 0);
  else
    couplings.factor = factor_of_entries(matrix);
  couplings.scales.resize(matrix.num_rows);
  couplings.decoupled.resize(matrix.num_rows * matrix.height);
  parallel_chunks(matrix.num_rows, chunk, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t node = begin; node < end; ++node) {
      double largest = 0;
      for (int r = 0; r < matrix.height; ++r) {
        const std::int64_t row = node * matrix.height + r;
        const RowSums sums = matrix.height == 1
                                 ? sums_of_row(matrix, node, r, couplings.factor, one)
                                 : sums_of_row(matrix, node, r, 0, matrix.width);
        const bool finite = std::isfinite(sums.diagonal) && std::isfinite(sums.others);
        if (!finite || sums.diagonal == 0)
          refuse_entry(row, finite);
        couplings.decoupled[row] = sums.others < decoupled_below * std::fabs(sums.diagonal);
        largest = sums.largest;
      }
      if (matrix.height > 1) {
        double *norms = &couplings.norms[matrix.start[node]];
        measure_norms(matrix, node, norms);
        largest = largest_norm(matrix, node, norms);
      }
      couplings.scales[node] = static_cast<float>(std::sqrt(largest));
    }
  });
  return couplings;
}

} // namespace weft
