// Nodes on one group of facets as combinations of those on another that it lies on.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "op/problem/discretisation.h"
#include "op/problem/facet_groups.h"

namespace weft {

// A node and its weight.
using WeightedNodes = std::vector<std::pair<std::int32_t, double>>;

struct TiedNodes {
  std::vector<std::int32_t> nodes;     // each once
  std::vector<WeightedNodes> of_nodes; // parallel: what each follows; weights sum up to 1
};

// Takes coordinates of a point of one group to where it is on the other.
using ToOther = std::function<void(const double *x, double *y)>;

// The nodes of a continuous map on the facets of `second` by those on `first`: where all lie on
// nodes, they are these; else the trace of `first` is projected,
//   integral of psi_i (u_second - u_first) = 0 over the facets of `second` for all i,
// with functions psi that are dual to the traces of the basis, facet by facet, so that the
// projection is local, a field that both can represent is kept, and forces that are constant are
// in balance (Wohlmuth 2000, doi:10.1137/S0036142999350929). Integrals are by many points of each
// facet: traces of `first` have kinks in there.
// Error (input): a point of `second` that lies on no facet of `first`, further than a tenth of a
// cell away. `where`: for messages.
TiedNodes tie_nodes(const Discretisation &d, int map, const std::vector<FacetGroup> &first,
                    const std::vector<FacetGroup> &second, const ToOther &to_first,
                    const std::string &where);

} // namespace weft
