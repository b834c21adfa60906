#include "cost/warp_counts.h"

namespace weft {

WarpCounts &WarpCounts::operator+=(const WarpCounts &other) {
  requests += other.requests;
  sectors_read += other.sectors_read;
  sectors_written += other.sectors_written;
  local_requests += other.local_requests;
  bank_conflicts += other.bank_conflicts;
  steps += other.steps;
  divergent_steps += other.divergent_steps;
  barriers += other.barriers;
  return *this;
}

} // namespace weft
