// C text of a case as functions of a kernel, called for one lane after the other.
#pragma once

#include <string>
#include <vector>

#include "form/weak_form/form.h"
#include "kernel/cell/cell_integral.h"
#include "kernel/text/lane_text.h"

namespace weft {

// f0 or f1 of a field has no text, and so is 0. `output`: as in FormIntegral.
bool c_text_output_is_zero(const CellIntegral &integral, int output);

// Declarations of the functions, to stand before their calls.
std::string c_text_declarations(const CellIntegral &integral);

// The functions. They end the text of a program: #line numbers what follows as the case's lines.
std::string c_text_definitions(const CellIntegral &integral);

// Appends the calls and returns the names of the outputs, which are lanes. `values`: the lanes of
// CText::values.
std::vector<std::string> print_c_text_calls(LaneText &text, const CellIntegral &integral,
                                            const std::vector<std::string> &values);

} // namespace weft
