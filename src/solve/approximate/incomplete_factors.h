// Incomplete factors of a matrix, made on the host and kept on a device.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "solve/approximate/triangular_factors.h"

namespace weft {

struct IncompleteFactorsSettings {
  int level = 0;          // of fill, see IncompleteLuSettings
  bool symmetric = false; // the matrix is
  Precision precision = Precision::f64;
  // What an unknown is called in errors; null: "row 7".
  std::function<std::string(std::int64_t unknown)> name_of_unknown = {};
};

// Unknowns are eliminated in the order of elimination_order(). Those of a symmetric matrix with a
// positive diagonal have positive pivots. A shift that the factors needed is told. Errors: those of
// incomplete_lu().
std::unique_ptr<TriangularFactors>
make_incomplete_factors(Device &device, const HostMatrix &matrix,
                        const IncompleteFactorsSettings &settings);

} // namespace weft
