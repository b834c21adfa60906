// Ranks that are threads of one process: for tests, and for networks that are not there.
#pragma once

#include <functional>

#include "ranks/communicator.h"

namespace weft {

// How long messages take: latency, and bytes over the bandwidth of the sender, one message after
// the other. A gather takes the latency for each doubling of the ranks, and all bytes.
struct SimulatedNetwork {
  double latency_s = 0;
  double bytes_per_s = 0; // 0: no time for bytes
};

// Runs body on so many threads, each with its own communicator, and returns when all have ended.
// Rethrows what the lowest rank threw by itself. Ranks that wait for what no other will send any
// more all throw an invariant error that says who waits for what.
void run_thread_ranks(int ranks, const std::function<void(Communicator &)> &body,
                      const SimulatedNetwork &network = {});

} // namespace weft
