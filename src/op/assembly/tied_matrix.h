// The matrix of a problem in which dofs follow others, see Ties.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linalg/csr_pattern.h"
#include "op/problem/discretisation.h"

namespace weft {

// C^T A C of an assembled matrix A, with C what all dofs are by those that follow none; rows and
// columns of those that follow are those of the identity, and those of prescribed dofs stay so. On
// the host: what follows is on facets, and all other entries are copied.
class TiedMatrix {
public:
  // `d`: its ties and constraints.
  TiedMatrix(const CsrPattern &of_all, const Discretisation &d);

  const std::shared_ptr<const CsrPattern> &pattern() const { return pattern_; }
  // [entry of pattern()] from those of A, [entry of `of_all`].
  std::vector<double> values(const double *of_all) const;

private:
  // values[to] += weight * of_all[from]
  struct Term {
    std::int64_t from = 0, to = 0;
    double weight = 1;
  };

  std::shared_ptr<const CsrPattern> pattern_;
  std::vector<Term> terms_;
  std::vector<std::int64_t> ones_; // entries on the diagonal of dofs that follow
};

} // namespace weft
