// [output] lines: what is written as fields, along straight lines.
#pragma once

#include <string>
#include <vector>

#include "case/case.h"
#include "op/problem/discretisation.h"

namespace weft {

// Of the points of a line that lie in the mesh, in its cells that are asked for.
struct LineValues {
  std::vector<double> distance;   // [point]: from the line's start
  std::vector<double> points;     // [point, dim]
  std::vector<std::string> names; // [component]: "T", "sigma_0" of components of an expression
  std::vector<double> values;     // [point, component]: means over the cells that touch the point
};

// All; the same on each. `state`: [dof]. Errors (input): not as many coordinates as the mesh has,
// no point in the mesh or its regions, no such region.
LineValues line_values(const Case &c, const Discretisation &d, const LineSpec &line,
                       const std::vector<double> &state);

// Throws what line_values() throws, without a state.
void check_line(const Case &c, const Discretisation &d, const LineSpec &line);

} // namespace weft
