#include "interruptible.h"

#include <csignal>
#include <unistd.h>

namespace weft::python {

namespace {

struct sigaction pythons = {};
int depth = 0; // of the main thread: solves within what a solve calls
volatile std::sig_atomic_t came = 0;

void note(int signal) {
  came = 1;
  request_interruption(signal);
  pythons.sa_handler(signal);
}

bool is_main_thread() {
  return getpid() == gettid();
}

// Python's, where it handles SIGINT at all.
bool take_over() {
  if (sigaction(SIGINT, nullptr, &pythons) != 0 || (pythons.sa_flags & SA_SIGINFO) != 0 ||
      pythons.sa_handler == SIG_DFL || pythons.sa_handler == SIG_IGN)
    return false;
  struct sigaction ours = pythons;
  ours.sa_handler = note;
  return sigaction(SIGINT, &ours, nullptr) == 0;
}

void give_back() {
  struct sigaction now = {};
  // What the solve called may have put another one there.
  if (sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == note)
    sigaction(SIGINT, &pythons, nullptr);
}

bool taken = false;

} // namespace

Interruptible::Interruptible() {
  if (is_main_thread() && depth++ == 0)
    taken = take_over();
}

Interruptible::~Interruptible() {
  if (!is_main_thread() || --depth > 0)
    return;
  if (taken)
    give_back();
  taken = false;
  if (came != 0)
    withdraw_interruption();
  came = 0;
}

void Interruptible::look() {
  if (is_main_thread() && came != 0 && PyErr_CheckSignals() != 0)
    throw nb::python_error();
}

} // namespace weft::python
