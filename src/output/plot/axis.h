// The axis of a plot: what it reaches over, and its ticks.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct Tick {
  double value = 0;
  std::string label; // empty: a line without a number
};

struct Axis {
  double low = 0, high = 1; // low < high; both positive where `log`
  bool log = false;
  std::vector<Tick> ticks; // from low to high

  // Where a value lies between `low` (0) and `high` (1).
  double fraction(double value) const;
};

// An axis over finite values from `least` to `most`, with ends at ticks: 1, 2 and 5 times powers of
// ten, about `num_ticks` of them, or decades. `log`: both are positive. Values that differ by less
// than a millionth are as one, which lies in the middle.
Axis make_axis(double least, double most, bool log, int num_ticks);

} // namespace weft
