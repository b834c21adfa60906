// A pointwise function as lane arithmetic: each node of its graph one line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "form/graph/pointwise.h"
#include "kernel/text/lane_text.h"

namespace weft {

// Name of the lane variable (or a constant expression) that holds a symbol's value.
using SymbolName = std::function<std::string(const Symbol &)>;

// Appends `const lane <prefix>N = ...;` for each node and returns the names of the outputs.
std::vector<std::string> print_pointwise(LaneText &text, const PointwiseFunction &function,
                                         const SymbolName &name, const std::string &prefix);

} // namespace weft
