// A case as the user asked for it.
#pragma once

#include <string>

#include "app/weft.h"
#include "case/case.h"

namespace weft {

// read_case() with the overrides of `options`, and the trust of the user.
Case read_user_case(const std::string &case_file, const ProblemOptions &options);

} // namespace weft
