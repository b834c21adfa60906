// --trust, of all verbs that take a case, a mesh or a geometry.
#pragma once

#include <CLI/CLI.hpp>

namespace weft {

// What the user says goes to trusts_foreign_code(), which also knows the user's settings.
void add_trust_option(CLI::App &command, bool &trust);

} // namespace weft
