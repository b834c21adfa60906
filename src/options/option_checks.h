// What values of command-line options are checked by, each with a message that says what it takes.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <string>

namespace weft {

// A number from `least` to `most`: of options that are an int, a std::int64_t or a double.
template <typename Number>
CLI::Validator number_in(Number least, Number most = std::numeric_limits<Number>::max());

// A text that is not empty.
CLI::Validator some_text();

// --threads, from 0 (all) to the processors of this machine.
CLI::Option *add_threads_option(CLI::App &command, int &threads);

} // namespace weft
