// What Gaussian elimination of a sparse matrix will cost, before there is a matrix.
#pragma once

#include "linalg/csr_pattern.h"

namespace weft {

struct EliminationCost {
  double operations = 0; // floating-point, of L D L^T; of L U twice as many
  double entries = 0;    // in L; in L and U twice as many
};

// Of a matrix whose rows and columns come in groups (the dofs of nodes) of `per_group` each on
// average, coupled as the symmetric pattern says, its diagonal included. Groups are ordered by
// approximate minimum degree (Amestoy, Davis, Duff 1996, DOI 10.1137/S0895479894278952), on one
// core: about a second for 300,000 groups.
EliminationCost elimination_cost(const CsrPattern &groups, double per_group);

} // namespace weft
