// What expressions of results (functionals, output) may name beside what the equations may.
#pragma once

#include "case/case.h"
#include "form/graph/pointwise.h"

namespace weft {

// The case's form with what is known of results alone as known fields after those of [auxiliary]:
// [over_time], then [first_times], then [recovered]. Error (input): a recovered field that is a
// matrix.
FormSpec result_form(const Case &c);
// The first of [first_times] among its known fields, and of [recovered].
std::size_t index_of_first_times(const Case &c);
std::size_t index_of_recovered(const Case &c);

// The function reads first times, which are NaN where nothing was reached.
bool uses_first_times(const Case &c, const PointwiseFunction &function);

} // namespace weft
