// Factors by MUMPS (Amestoy, Duff, L'Excellent, Koster 2001, DOI 10.1137/S0895479899358194).
#pragma once

#include <cstdint>
#include <vector>

#include <dmumps_c.h>

#include "solve/direct/direct_module.h"

namespace weft {

inline constexpr const char *mumps_name = "MUMPS " MUMPS_VERSION;

// L D L^T of a symmetric matrix, L U of another, with pivots chosen for stability and those that
// are zero to rounding left out. Functions throw what MUMPS says of what went wrong.
class MumpsFactors {
public:
  explicit MumpsFactors(const DirectPattern &pattern);
  MumpsFactors(const MumpsFactors &) = delete;
  MumpsFactors &operator=(const MumpsFactors &) = delete;
  ~MumpsFactors();

  void factorise(const double *values);
  DirectFigures figures() const;
  void solve(double *x);

private:
  void call(int job);

  DMUMPS_STRUC_C mumps_ = {};
  std::vector<std::int32_t> rows_, columns_; // from 1, of the entries that MUMPS is given
  std::vector<std::int64_t> entries_;        // where these are among the pattern's
  std::vector<double> values_;
  std::vector<std::int32_t> null_pivots_; // from 0
  double factor_entries_ = 0;
};

} // namespace weft
