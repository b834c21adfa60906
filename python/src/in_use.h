// Who uses an object now: one thread at a time may, as the library asks for.
#pragma once

#include <mutex>

#include "weft/error.h"

namespace weft::python {

// Calls leave Python's lock while they compute, so that another thread may come to the same object.
class InUse {
public:
  using Hold = std::unique_lock<std::recursive_mutex>;

  // Until the hold ends. Error (input): another thread has it.
  Hold reading() {
    Hold hold(mutex_, std::try_to_lock);
    if (!hold)
      throw Error(ErrorKind::input,
                  {.what = "another thread is using this object",
                   .remedy = "let one thread at a time use it, or give each its own"});
    return hold;
  }

  // The same, for what changes it. Error (input): it is being solved, and what is called by the
  // solve would change it.
  Hold changing() {
    Hold hold = reading();
    if (is_solving_)
      throw Error(ErrorKind::input,
                  {.what = "a change during a solve, from what the solve calls",
                   .allowed = "state, functionals and values",
                   .remedy = "take steps() one by one, and change it between them"});
    return hold;
  }

  // Marks a solve while it lives, within a hold.
  class Solving {
  public:
    explicit Solving(InUse &use) : use_(use) { use_.is_solving_ = true; }
    ~Solving() { use_.is_solving_ = false; }
    Solving(const Solving &) = delete;
    Solving &operator=(const Solving &) = delete;

  private:
    InUse &use_;
  };

private:
  std::recursive_mutex mutex_;
  bool is_solving_ = false;
};

} // namespace weft::python
