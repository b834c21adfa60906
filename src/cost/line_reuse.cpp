#include "cost/line_reuse.h"

#include <algorithm>
#include <cmath>

namespace weft {

double LineReuse::cells_of(int bin) {
  return bin == 0 ? 0 : 0.75 * std::exp2(bin);
}

double LineReuse::footprint_lines(double cells) const {
  // A read with n cells since the last one is new to every window that began in between: it adds to
  // windows of less than n cells.
  double lines = (first_neighbours + first_own) * cells;
  for (int bin = 1; bin < num_bins; ++bin)
    lines += (neighbours[bin] + own[bin]) * std::min(cells, cells_of(bin));
  return lines;
}

} // namespace weft
