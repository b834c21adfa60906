// Combinations of a type of cells and an element: [verify] boxes.
#pragma once

#include "case/case.h"

namespace weft {

// Error (input), with file and line: combinations of a case whose fields have different elements.
void check_combinations(const Case &c);

// The combination's box in place of the mesh and its element in place of that of every field; see
// read_case(). Error (input): there is no combination of that name.
void take_combination(Case &c, const std::string &name);

// Expected orders that are `optimal`: the degree of the field's element + 1.
void put_in_optimal_orders(Case &c);

} // namespace weft
