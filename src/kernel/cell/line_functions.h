// Functions of one direction that sums by lines are written in.
#pragma once

namespace weft {

// Of a node of a line: its function and its derivative; for diagonals, the products of both.
enum class LineFunction { value, derivative, value_squared, value_derivative, derivative_squared };

// Whether the function's table changes its sign when points and nodes are read backwards.
bool is_odd(LineFunction function);
// For names of tables.
const char *name_of(LineFunction function);
// From value and derivative.
double product_of(LineFunction function, double value, double derivative);

} // namespace weft
