// Things numbered from 0 in colours: what has one colour may be worked on at once.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

struct Colouring {
  std::vector<std::int32_t> colours; // [thing]
  int num_colours = 0;
};

} // namespace weft
