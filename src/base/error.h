// Errors that reach the user (weft/error.h), and what the program makes of them.
#pragma once

#include <exception>

#include "weft/error.h"

namespace weft {

// input, unsupported: 2; system, invariant: 3; numerical: 1.
int exit_code(ErrorKind kind);

// Whatever was thrown as an Error: not enough memory is of the system, what Weft does not know is a
// bug.
Error error_of(const std::exception &exception);

// Throws an invariant error naming the broken condition; for conditions that only a bug can break.
void require(bool condition, const char *what);

} // namespace weft
