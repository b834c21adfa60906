// Running another program as a process of its own, without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft {

// The file that the shell would run for this name by PATH; empty if there is none.
std::filesystem::path find_program(const std::string &name);

// Runs arguments[0] with the arguments, its input empty, its output and errors into `log`, and
// waits for it. Returns its exit status, 128 + the signal's number when a signal ended it. Throws a
// system error when it cannot be started.
int run_program(const std::vector<std::string> &arguments, const std::filesystem::path &log);

} // namespace weft
