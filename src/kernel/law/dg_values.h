// What the arrays of a point and of a facet hold, by what a conservation law asks for.
#pragma once

#include <vector>

#include "base/precision.h"
#include "form/law/conservation_law.h"

namespace weft {

// Values of a point, see kernels/dg/cell.kernel: of the state, of gradients (component by
// component), of limiters, then known ones.
struct DgValues {
  int components = 0;
  int gradients = 0; // components with a gradient times dim
  int limiters = 0;  // one each of those components, or 0
  int known = 0;
  std::vector<int> with_gradient; // components that have one: finite volumes, those that are asked
  std::vector<int> gradient_of;   // [component]: its index among them, -1 without one

  int total() const { return components + gradients + limiters + known; }
};
DgValues dg_values(const ConservationLaw &law);

// Reals of a facet, or of a point of one: unit normal, area ratio, and what has an offset here (-1
// without one). Discontinuous Galerkin: the penalty, of order 0 the middle too. Finite volumes: the
// middle where coordinates are asked for on facets; the offsets, those of the minus side first,
// where anything needs to know where cells lie.
struct DgFacetLayout {
  int entries = 0;
  int penalty = -1, middle = -1, offsets = -1;
};
DgFacetLayout dg_facet_layout(const ConservationLaw &law, int order);

// How the state lies, see kernels/dg/state_by_cell.kernel: cell after cell,
// [group][lane][node][component], or [group][component][node][lane]. The former is faster where
// lanes are several cells: by lanes a value of a neighbour is one of 8 or 16 in its cache line
// (docs/decisions/0007). Finite volumes read one value a component.
bool dg_state_lies_by_cell(const ConservationLaw &law, int lanes);

// Whether a function of the law uses a symbol; of finite volumes the flux in cells is none.
bool any_uses(const ConservationLaw &law, SymbolKind kind);
// The same of what is evaluated on facets.
bool any_uses_on_facets(const ConservationLaw &law, SymbolKind kind);

// The flux of finite volumes has gradients.
bool has_diffusion(const ConservationLaw &law);

// The state outside that a condition gives of a component is more than that inside.
bool gives_outer(const ConservationLaw &law, int condition, int component);
// Whether the state outside is, in finite volumes, a sample of the least-squares gradients, since
// diffusion sees it and the condition gives it of all components that have a gradient.
bool is_sampled(const ConservationLaw &law, int condition);
// The condition gives it of some component.
bool gives_some_outer(const ConservationLaw &law, int condition);

} // namespace weft
