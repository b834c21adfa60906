// Whether an end was asked for, for what looks at that.
#pragma once

#include "weft/interruption.h"

namespace weft {

// The signal that asked for an end; 0: none did.
int interruption() noexcept;

// Whether an end was asked for. What may take long looks here again and again where its state is
// whole, and ends if so. Any thread may ask.
bool interrupted() noexcept;

// Throws Interrupted where interrupted() is true.
void throw_if_interrupted();

// What interrupted() has seen of those who ask, for who waits for them to end.
struct Looks {
  bool seen = false;    // one was told of the request
  double longest_s = 0; // between two of them, of late
};
Looks looks_at_interruption() noexcept;

} // namespace weft
