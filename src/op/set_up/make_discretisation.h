// From a case and a mesh to a discretisation.
#pragma once

#include <optional>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

// `quadrature_degree`: instead of the estimate from the form's integrands
// (the sum of degrees of f1 and of the gradient of the test function, and so on).
// Errors (input): what make_conservation_law(), make_law_reactions() and make_form() say; a group
// that the mesh lacks (lists those it has), a region without a value of a
// parameter, a Dirichlet value of the wrong shape; for a law boundary facets without a condition
// (lists their groups, how many) or with several.
// `ranks`: those that have the other parts of the mesh; all of them call it.
Discretisation make_discretisation(const Case &c, const Mesh &mesh,
                                   std::optional<int> quadrature_degree = {},
                                   Communicator *ranks = nullptr);

// After parameters of `c` became settable, or took values by which the equations may differ: makes
// all anew but the numbering of dofs. Operators of `d` have to be made anew.
void make_equations_anew(const Case &c, Discretisation &d);

// After settable parameters of `c` took other values: tables, known fields, prescribed values and
// what limiters compare with are taken anew, at the time that `d` is at. The equations stay where
// they are, so that operators stay, too. Error (input): as make_discretisation().
void take_values(const Case &c, Discretisation &d);

// The known fields of [auxiliary], on the maps of `d`; their derivatives where the form says
// `derived_by`. What make_discretisation() does. All.
std::vector<AuxiliaryField> auxiliary_fields(const Case &c, const Discretisation &d);

// Moves to a time: values of auxiliary fields and prescribed dofs that depend on it are taken anew.
void set_time(const Case &c, Discretisation &d, double time);

} // namespace weft
