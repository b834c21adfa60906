// Derivatives of functionals by the dofs, and where their extremes are.
#pragma once

#include <vector>

#include "op/evaluate/functional_parts.h"

namespace weft {

// Where a functional takes its value: in a cell, or on a facet of it.
struct FunctionalPlace {
  Part part;                     // of one cell
  std::vector<double> reference; // coordinates in the cell
};

// The places of the components of a functional of kind maximum or minimum, [component]: the first
// of those with the value. Empty for other kinds. Error (numerical): values that are not finite.
std::vector<FunctionalPlace> places_of_extremes(const Case &c, const Discretisation &d,
                                                const FunctionalSpec &spec,
                                                const std::vector<double> &state);

// A component of a functional at fixed places: an extreme is the value at its place. Where the
// case's form says `derived_by` the derivative by that parameter, see make_expression(). Not of
// kind reaction.
double value_at_places(const Case &c, const Discretisation &d, const FunctionalSpec &spec,
                       int component, const std::vector<FunctionalPlace> &places,
                       const std::vector<double> &state);

// Whether its derivative is the same at all states, places being fixed. Not of kind reaction.
bool is_linear_in_fields(const Case &c, const Discretisation &d, const FunctionalSpec &spec);

// [dof]: its derivative by the dofs, prescribed ones too.
std::vector<double> derivative_by_dofs(const Case &c, const Discretisation &d,
                                       const FunctionalSpec &spec, int component,
                                       const std::vector<FunctionalPlace> &places,
                                       const std::vector<double> &state);

} // namespace weft
