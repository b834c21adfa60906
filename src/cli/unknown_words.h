// Words of a command line that nothing is known of: CLI11 only says that they are not expected.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft {

// The message where the verb is missing or unknown; empty: it is known.
std::string unknown_verb(const CLI::App &app, int argc, char **argv);

// The message for the first word that the parsed verb, which is known, has no use for; empty: there
// is none.
std::string unknown_argument(const CLI::App &app, int argc, char **argv);

} // namespace weft
