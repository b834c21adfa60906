// What a kernel compiler said, as an error a person can act on.
#pragma once

#include <string>

#include "base/error.h"
#include "device/device.h"

namespace weft {

// Holds the kernel's name, the lines of the text that the log names, and the log. A log that
// names a file ("case.toml:12:", from a #line directive in the text) blames that file: kind
// `input`; otherwise the generated text is at fault: kind `invariant`.
Error build_error(const ProgramSource &source, const std::string &device, const std::string &log);

} // namespace weft
