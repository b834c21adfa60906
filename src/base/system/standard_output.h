// Whether what was printed on standard output arrives.
#pragma once

#include <string_view>

namespace weft {

// Prints a text; what fails is found at the end.
void print_out(std::string_view text) noexcept;
// What printing by other means met.
void note_output_failure(int error) noexcept;

// Writes out what was printed so far. Throws std::system_error where that fails, as fmt::print
// does.
void flush_standard_output();

// Writes out the rest, at the end of a program: the system's error where this or an earlier write
// failed, else 0. EPIPE: the reader has gone (weft ... | head).
int end_of_standard_output() noexcept;

} // namespace weft
