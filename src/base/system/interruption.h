// A request to end early: noted when a signal arrives, looked at where it is safe to stop.
#pragma once

#include <string>

namespace weft {

// Notes the request; the first signal stays the one that counts. Safe in a signal's handler. Weft
// as a library never asks: the program does (run/signals.h).
void request_interruption(int signal) noexcept;
// Forgets it.
void withdraw_interruption() noexcept;

// The signal that asked for an end; 0: none did.
int interruption() noexcept;

// Whether an end was asked for. What may take long looks here again and again where its state is
// whole, and ends if so. Any thread may ask.
bool interrupted() noexcept;

// No std::exception: what passes over the errors of a part (a candidate of a search, a row of a
// table) must not pass over an end of all.
struct Interrupted {
  int signal = 0;
  int exit_code() const { return 128 + signal; }
  std::string what() const; // "interrupted by SIGINT"
};

// Throws Interrupted where interrupted() is true.
void throw_if_interrupted();

// What interrupted() has seen of those who ask, for who waits for them to end.
struct Looks {
  bool seen = false;    // one was told of the request
  double longest_s = 0; // between two of them, of late
};
Looks looks_at_interruption() noexcept;

} // namespace weft
