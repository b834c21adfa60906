// Standard output of the first rank alone.
#pragma once

#include <fmt/format.h>

#include "base/system/standard_output.h"
#include "ranks/communicator.h"

namespace weft {

// Prints on the first of ranks, or on this one where it is alone (null); seen at once.
template <typename... Values>
void print_on_first(const Communicator *ranks, fmt::format_string<Values...> text,
                    Values &&...values) {
  if (!is_first(ranks))
    return;
  fmt::print(text, std::forward<Values>(values)...);
  flush_standard_output();
}

} // namespace weft
