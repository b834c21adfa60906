// weft run --expect: the values of a run against those of expect.toml.
#pragma once

#include <string>
#include <vector>

#include "case/case.h"
#include "output/results.h"

namespace weft {

// Each expectation with what the run has for it. A value that the run did not compute, or that is
// not finite, does not meet its expectation.
std::vector<CheckedValue> checked_values(const Expectations &expected, const RunRecord &record);

// One line for each expectation that the run does not meet: its name, the value found, what was
// expected; empty when all are met.
std::vector<std::string> check_expectations(const Expectations &expected, const RunRecord &record);

} // namespace weft
