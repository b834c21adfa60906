// Precisions by their names in text.
#pragma once

#include <string>

#include "base/precision.h"

namespace weft {

// "f64", "f32", "f16", "bf16", as to_string() has them. Throws an input error that lists them;
// `where` says where the name stands.
Precision precision_from_name(const std::string &name, const std::string &where = {});

} // namespace weft
