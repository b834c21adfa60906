// Running another program as a process of its own, without a shell.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/system/confinement.h"

namespace weft {

// The file that the shell would run for this name by PATH; empty if there is none.
std::filesystem::path find_program(const std::string &name);

struct ProgramRun {
  std::vector<std::string> arguments;   // the first is the program's file
  std::vector<std::string> environment; // "NAME=value", in place of this process's own
  std::vector<std::string> without;     // names of variables that it does not get
  std::filesystem::path folder;         // where it works; empty: where this process does
  double timeout_s = std::numeric_limits<double>::infinity();
  const Confinement *confinement = nullptr; // must be active
};

struct ProgramEnd {
  int status = 0;         // exit status; 128 + the signal's number when a signal ended it
  bool timed_out = false; // it was ended
  std::string output;     // and errors; of long ones the beginning and the end, with a line between
};

// Runs it, its input empty, and waits. It is the head of a process group, which is killed when time
// is up, where an end is asked for (Interrupted is thrown then), by end_children(), and, the
// program itself, when this process dies however that happens. Throws a system error when it cannot
// be started. Thread-safe.
ProgramEnd run_program(const ProgramRun &run);

// Kills the programs that run, with what they have started. Async-signal-safe.
void end_children();

} // namespace weft
