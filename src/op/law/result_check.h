// What a case asks of its solution, tried before there is one.
#pragma once

#include "op/problem/discretisation.h"

namespace weft {

// Functionals (expression, groups, point), [exact], [first_times], [output] fields, lines and
// probes: what evaluating them would refuse after the solve is refused here. Errors: input,
// unsupported.
void check_results(const Case &c, const Discretisation &d);

// The same of what --expect compares: every name is that of a functional or of an error norm of
// [exact], with as many components as the expectation has. `file`: where they were read. Errors:
// input.
void check_expected_names(const Expectations &expected, const std::string &file, const Case &c,
                          const Discretisation &d);

} // namespace weft
