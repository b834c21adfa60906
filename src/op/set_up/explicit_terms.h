// Terms of a weak form that are taken explicitly in time, as a form of their own on the dofs of the
// whole.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// The case with these terms alone, without conditions and results.
Case case_of_explicit_terms(const Case &c);
// Their form. Errors: see make_form().
Form form_of_explicit_terms(const Case &c);

// `explicit_terms`: such a case, which set_time() and take_values() take for what this returns,
// too; `d`: of the whole. Nothing is prescribed.
Discretisation discretise_explicit_terms(const Case &explicit_terms, const Discretisation &d);

// Whether schemes can take them so. `terms`: their form; `d`: the discretisation of the others.
// Errors (input): time derivatives among them, none among the others. Error (unsupported): second
// ones among the others; Runge-Kutta schemes with a mass that depends on the
// state or on time, or with terms of fields without dt().
void check_explicit_terms(const Case &c, const Discretisation &d, const Form &terms);

} // namespace weft
