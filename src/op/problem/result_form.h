// What expressions of results (functionals, output) may name beside what the equations may.
#pragma once

#include "case/case.h"
#include "form/graph/pointwise.h"

namespace weft {

// The case's form with its first times, then its recovered fields as known fields, after those of
// [auxiliary]. Error (input): a recovered field that is a matrix.
FormSpec result_form(const Case &c);

// The function reads first times, which are NaN where nothing was reached.
// Of the first one among known fields of results, behind those of [over_time].
std::size_t index_of_first_times(const Case &c);
// The same of [recovered], which follow all others.
std::size_t index_of_recovered(const Case &c);
bool uses_first_times(const Case &c, const PointwiseFunction &function);

} // namespace weft
