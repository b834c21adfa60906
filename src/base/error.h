// Errors that reach the user: what went wrong, where, what was found, what is allowed, what to do.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace weft {

// Decides the program's exit code; see exit_code().
enum class ErrorKind {
  input,       // command line, case or mesh is wrong
  unsupported, // the input is right but Weft (or the device) does not do it
  system,      // device, gmsh, disk, memory
  numerical,   // diverged, NaN, not converged, below expectation
  invariant,   // a bug in Weft
};

// The parts of a message; empty parts are left out of the text.
struct Diagnostic {
  std::string what;    // one sentence
  std::string where;   // "file:line: [table] key" or a file, or a cell
  std::string found;   // what was there
  std::string allowed; // what could be there
  std::string remedy;  // what to do
};

class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, Diagnostic diagnostic);
  ErrorKind kind() const { return kind_; }
  const Diagnostic &diagnostic() const { return diagnostic_; }

private:
  ErrorKind kind_;
  Diagnostic diagnostic_;
};

// input, unsupported: 2; system, invariant: 3; numerical: 1.
int exit_code(ErrorKind kind);

// Whatever was thrown as an Error: not enough memory is of the system, what Weft does not know is a
// bug.
Error error_of(const std::exception &exception);

// Throws an invariant error naming the broken condition; for conditions that only a bug can break.
void require(bool condition, const char *what);

} // namespace weft
