#include "cost/warp_counts.h"

namespace weft {

WarpCounts &WarpCounts::operator+=(const WarpCounts &other) {
  requests += other.requests;
  load_phases += other.load_phases;
  sectors_read += other.sectors_read;
  sectors_written += other.sectors_written;
  local_requests += other.local_requests;
  bank_conflicts += other.bank_conflicts;
  steps += other.steps;
  divergent_steps += other.divergent_steps;
  barriers += other.barriers;
  return *this;
}

WarpCounts operator*(double factor, WarpCounts c) {
  for (double *count :
       {&c.requests, &c.load_phases, &c.sectors_read, &c.sectors_written, &c.local_requests,
        &c.bank_conflicts, &c.steps, &c.divergent_steps, &c.barriers})
    *count *= factor;
  return c;
}

} // namespace weft
