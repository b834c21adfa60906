// The command line: one verb is run, errors become messages and exit codes.
#pragma once

namespace weft {

// Exit codes: 0 done, 1 the numbers failed, 2 the input is wrong, 3 the device or system failed.
int run_command_line(int argc, char **argv);

} // namespace weft
