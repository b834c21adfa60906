// How to go on after an end before its time.
#pragma once

#include <string>

namespace weft {

// What an end before its time says of how to go on: one line. Empty: nothing.
void set_way_to_go_on(const std::string &line);
std::string way_to_go_on();

} // namespace weft
