// A case as the user asked for it.
#pragma once

#include <functional>

#include <string>

#include "case/case.h"
#include "weft/problem.h"

namespace weft {

// read_case() with the overrides and the combination of `options`, and the trust of the user.
Case read_user_case(const std::string &case_file, const ProblemOptions &options);

// expect.toml beside the case.
std::string expectations_file(const std::string &case_file);

// Calls body(); an error in it that names a key of the case alone, "[solver] method", names its
// file and line too when it comes out.
void with_places_of(const Case &c, const std::function<void()> &body);

} // namespace weft
