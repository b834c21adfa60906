// Where in the mesh a state, or a value, is not what it should be, for messages. Of a problem with
// ranks all of them call what takes a state, and have the same text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// "u is nan in the cell at (0.25, 0.5)": the first dof that is not finite; else of a law the first
// node whose wave speed is not; else the dof of the largest size. state: [dof].
std::string describe_fault(const Discretisation &d, const std::vector<double> &state);

// "u[0] in the cell at (0.25, 0.5)"
std::string describe_dof(const Discretisation &d, std::int64_t dof);

// "The wave speed is -1 in the cell at (0.25, 0.5)": the first node where a law has it negative
// or not finite; empty where there is none. state: [dof], at the discretisation's time.
std::string wave_speed_fault(const Discretisation &d, const std::vector<double> &state);

// Names the cell that limits explicit steps of a law most: "the shortest step is that of the
// cell at (0.25, 0.5), of size 0.1 and wave speed 3".
std::string describe_shortest_step(const Discretisation &d, const std::vector<double> &state);

// "the cell at (0.25, 0.5) of region box": the mean of its vertices.
std::string describe_cell(const Discretisation &d, std::size_t set, std::int64_t cell);

// "nan", "inf", "-inf", or the number in four digits.
std::string describe_number(double value);

// "(0.25, 0.5)" of `dim` coordinates.
std::string describe_position(const double *coordinates, int dim);

} // namespace weft
