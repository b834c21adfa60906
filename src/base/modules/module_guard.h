// What loadable modules have in common: no exception leaves their functions.
#pragma once

#include <exception>
#include <string>

namespace weft {

// The function's value; `failed` where it throws, and the message in `last_error`.
template <typename Function, typename Value>
Value guarded(std::string &last_error, const Function &function, Value failed) {
  try {
    return function();
  } catch (const std::exception &error) {
    last_error = error.what();
    return failed;
  }
}

} // namespace weft
