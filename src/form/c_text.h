// Pointwise functions that a case gives as C text. Weft reads no C: it finds the case's names among
// the words of the text and hands their values over; the device's compiler does the rest.
#pragma once

#include <string>
#include <vector>

#include "form/elaborate.h"
#include "form/form.h"

namespace weft {

// The words of C text that could be names, each once; comments and literals are left out.
std::vector<std::string> names_in_c_text(const std::string &text);

// The C text of [pointwise] with the names that it uses; empty where the case has none.
// Errors (input): one of its names cannot be evaluated in cells, or has a meaning of its own in C
// text (f0, f1, dim, real).
CText make_c_text(const FormSpec &spec, Elaborator &elaborator);

} // namespace weft
