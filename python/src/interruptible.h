// Ctrl-C in calls that take long.
#pragma once

#include "arrays.h"
#include "weft/error.h"
#include "weft/interruption.h"

namespace weft::python {

// Python's handler of SIGINT only notes the signal for when Python goes on. While this lives, in
// the main thread, the library is asked to end as well; what Python's handler does comes after it.
class Interruptible {
public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

  // Raises what Python's handler does, KeyboardInterrupt, if the signal came.
  void look();
};

// The result of `call`, which releases Python's lock itself, or KeyboardInterrupt.
template <typename Call> auto interruptible(const Call &call) {
  Interruptible until_then;
  try {
    auto result = call();
    until_then.look();
    return result;
  } catch (const Error &) {
    until_then.look();
    throw;
  } catch (const Interrupted &interrupted) {
    until_then.look();
    throw Error(ErrorKind::numerical, {.what = interrupted.what()});
  }
}

} // namespace weft::python
