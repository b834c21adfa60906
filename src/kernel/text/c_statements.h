// C text of a case, printed from its tree: what a compiler sees was understood before.
#pragma once

#include <string>

#include "form/weak_form/c_syntax.h"

namespace weft {

// The name in a kernel of a name of the text or the case. A prefix keeps it apart from all names of
// the kernel, its dialect and its compiler.
std::string c_name(const std::string &name);

// What the statements call, to stand before the functions that hold them.
std::string c_helpers();

// Each statement stands in the line that it has in the text, so that a compiler's messages about
// the line where this begins, and those after it, are about the text's.
std::string print_c_statements(const CProgram &program);

} // namespace weft
