// A solve made again and again, and watched launch by launch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/profiling_device.h"
#include "run/explain/modelled_timing.h"
#include "run/simulation.h"

namespace weft {

// Solves from the same state again and again.
class Solves {
public:
  explicit Solves(Simulation &s) : s_(s), initial_(s.state) {}

  // Operators as they are before a solve: a matrix that was assembled is there no more.
  void begin_anew() { s_.model->set_up(s_.kernel_variant); }
  // Returns what was solved, in words. The first time decides how many steps there are: a transient
  // run is looked at for some seconds.
  std::string run();

private:
  Simulation &s_;
  std::vector<double> initial_;
  std::int64_t most_steps_ = 0;
};

// Solves that were watched, one after the other.
struct WatchedSolves {
  std::vector<std::map<std::string, StageProfile>> profiles; // of each
  std::vector<PairedSample> states; // of the machine, after each; where it was asked for
  std::vector<double> seconds;      // that each took
};

// So many, or as many as some seconds hold. `timer`: looks at the machine's state after each; may
// be null.
WatchedSolves watch(const Simulation &s, Solves &solves, ProfilingDevice &device,
                    ModelledTimer *timer, int repeats);

} // namespace weft
