// What each operation of the graph is: operands, name, value.
#pragma once

#include "form/graph/graph.h"

namespace weft {

// Number of operands: 0 for constants and symbols, to 3 for `where`.
int num_operands(Op op);

// "add", "sqrt", ...: as in Op.
const char *name_of(Op op);

// Swapping the two operands changes nothing.
bool is_commutative(Op op);

// The value of one operation in double; truth values are 1 and 0. Not for constants and symbols.
double apply_operation(Op op, double a, double b, double c);

} // namespace weft
