// Incomplete factors of a sparse matrix, on the host.
#pragma once

#include <functional>
#include <string>

#include "solve/approximate/triangular_factors.h"

namespace weft {

struct IncompleteLuSettings {
  // Fill: 0 keeps the entries of the matrix; an entry of level k comes from two of levels i and j
  // with i + j + 1 = k.
  int level = 0;
  // All pivots are to be positive, as those of a symmetric positive definite matrix are, so that
  // the product of the factors is definite.
  bool positive = false;
  // What a row is called in errors; null: "row 7".
  std::function<std::string(std::int64_t row)> name_of_row = {};
};

struct IncompleteLu {
  HostFactors factors;
  // What was added to the diagonal, with its sign, as a fraction of the sum of the row's moduli.
  double shift = 0;
};

// ILU(level) in f64 (Meijerink, van der Vorst 1977, DOI 10.1090/S0025-5718-1977-0438681-4; levels
// of fill as in Saad 2003, section 10.3, DOI 10.1137/1.9780898718003). The factors' product has the
// matrix's entries wherever a factor has one; entries beside the diagonal that are 0 are not
// counted as entries. Of a symmetric matrix the factors are L and D L^T.
// Where a pivot is small or of the wrong sign, or where solving with the factors would make
// numbers grow without bound (Chow, Saad 1997, DOI 10.1016/S0377-0427(97)00171-4), the diagonal is
// made larger (Manteuffel 1980, DOI 10.1090/S0025-5718-1980-0559197-0), as little as does it.
// Errors: numerical for a row of zeros, naming it; unsupported for 2^31 entries or more.
IncompleteLu incomplete_lu(const HostMatrix &matrix, const IncompleteLuSettings &settings);

// Every row has a diagonal entry, above 0.
bool has_positive_diagonal(const HostMatrix &matrix);

// The matrix with unknown order[i] in place i, columns ascending.
HostMatrix reordered(const HostMatrix &matrix, std::span<const std::int32_t> order);

} // namespace weft
