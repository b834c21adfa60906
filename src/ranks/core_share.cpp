#include "ranks/core_share.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace weft {

namespace {

// Where a process may run.
struct Place {
  char machine[256] = {}; // its name
  cpu_set_t cores;
};

Place own_place() {
  Place place;
  gethostname(place.machine, sizeof place.machine - 1);
  CPU_ZERO(&place.cores);
  // Machines of more cores than the set has are told by a failure: then all ranks share all.
  if (sched_getaffinity(0, sizeof place.cores, &place.cores) != 0)
    std::memset(&place.cores, 0xff, sizeof place.cores);
  return place;
}

bool share_cores(const Place &a, const Place &b) {
  cpu_set_t both;
  CPU_AND(&both, &a.cores, &b.cores);
  return std::string_view(a.machine) == b.machine && CPU_COUNT(&both) > 0;
}

} // namespace

int allowed_cores() {
  const Place place = own_place();
  const long online = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  return static_cast<int>(std::clamp<long>(CPU_COUNT(&place.cores), 1, online));
}

int core_share(Communicator *ranks) {
  if (!ranks)
    return allowed_cores();
  const Place own = own_place();
  std::vector<Place> all(ranks->size());
  ranks->gather(&own, sizeof own, all.data());
  const auto sharers = std::count_if(all.begin(), all.end(),
                                     [&](const Place &other) { return share_cores(own, other); });
  return std::max(1, allowed_cores() / static_cast<int>(sharers));
}

} // namespace weft
