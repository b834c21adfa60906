// Errors: what went wrong, where, what was found, what is allowed, what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "weft/export.h"

namespace weft {

// Decides the program's exit code.
enum class ErrorKind {
  input,       // command line, case, mesh or an argument is wrong
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

// All that the library throws of its own; what() has all parts of the message.
class WEFT_EXPORT Error : public std::runtime_error {
public:
  Error(ErrorKind kind, Diagnostic diagnostic);
  ~Error() override;
  ErrorKind kind() const { return kind_; }
  const Diagnostic &diagnostic() const { return diagnostic_; }

private:
  ErrorKind kind_;
  Diagnostic diagnostic_;
};

} // namespace weft
