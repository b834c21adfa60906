// A request to end early: noted when a signal arrives, looked at where it is safe to stop.
#pragma once

#include <string>

#include "weft/export.h"

namespace weft {

// Asks all that this process solves and sets up to end where its state is whole: between steps,
// Newton steps and iterations. The first signal stays the one that counts. Safe in a signal's
// handler, and in any thread. The library handles no signals: who uses it does.
//
// A solve ends without having converged then, with the last state and a reason that names the
// signal; set-ups throw Interrupted.
WEFT_EXPORT void request_interruption(int signal) noexcept;
// Forgets it: until then, all that is begun ends at once.
WEFT_EXPORT void withdraw_interruption() noexcept;

// No std::exception: what passes over the errors of a part (a candidate of a search, a row of a
// table) must not pass over an end of all.
struct WEFT_EXPORT Interrupted {
  int signal = 0;
  int exit_code() const { return 128 + signal; }
  std::string what() const; // "interrupted by SIGINT"
};

} // namespace weft
