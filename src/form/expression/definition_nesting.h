// Parameters and definitions name one another: none may lead back to itself, nor too far.
#pragma once

#include "case/form_spec.h"
#include "form/expression/name_table.h"

namespace weft {

// Levels of syntax, from a text down through what it names, that recursion over texts is safe for.
constexpr int max_nested_levels = 800;

// Errors (input), whether anything uses the names or not: a circle, with the names on it; more than
// max_nested_levels.
void check_nesting(const FormSpec &spec, const NameTable &names);

} // namespace weft
