// The loadable module of hypre, found and opened when a solve asks for it.
#pragma once

#include "solve/precondition/hypre_module.h"

namespace weft {

// The module's functions; opened once, for the rest of the process.
// Throws `system` where there is no module, or one of another version, saying which packages to
// install.
const HypreModule &hypre_library();

} // namespace weft
