#include "solve/time/stepper.h"

#include <algorithm>

namespace weft {

bool Stepper::at_stop() const {
  return std::find(settings_.stops.begin(), settings_.stops.end(), state_.time) !=
         settings_.stops.end();
}

void Stepper::end_here() {
  std::erase_if(settings_.stops, [&](double stop) { return stop >= state_.time; });
  settings_.stops.push_back(state_.time);
}

} // namespace weft
