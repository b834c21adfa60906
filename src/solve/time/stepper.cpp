#include "solve/time/stepper.h"

#include <algorithm>

namespace weft {

bool Stepper::at_stop() const {
  return std::find(settings_.stops.begin(), settings_.stops.end(), state_.time) !=
         settings_.stops.end();
}

} // namespace weft
