// Whether timings were disturbed: by what else ran on the machine, as far as that shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/system/processor_use.h"

namespace weft {

// What is known of the timings of one thing.
struct TimingEvidence {
  std::vector<double> seconds;  // of the timings that count; or their ratios to what ran in turn
  int num_taken = 0;            // timings beside which the state of the cores was looked at
  int num_undisturbed = 0;      // of them those beside undisturbed cores
  std::optional<double> others; // share of the processors that others used meanwhile
};

// Cores that are slower than undisturbed ones by more than this are disturbed.
inline constexpr double disturbed_core = 0.07;
// Beyond these, timings count as disturbed.
inline constexpr double widest_spread = 0.25; // range of the middle half over the median
inline constexpr double fewest_undisturbed_share = 0.5;
inline constexpr double most_others = 0.15;
inline constexpr double most_share_of_limit = 1.1;

// In words, what disturbed them; empty: nothing that shows.
//   "other processes took 61% of the cores; timings differ by 35%"
std::string find_disturbance(const TimingEvidence &evidence);

// That, and whether the share of a limit is more than measurement allows: then the limit, which was
// measured in turn, was disturbed. Data in caches may pass the limit that memory sets: no reason.
std::string find_disturbance(const TimingEvidence &evidence, double share_of_limit, bool in_cache);

// How many of such rates, of cores, are those of undisturbed ones, by the best of them.
int count_undisturbed(const std::vector<double> &core_gops);

// Quantile of sorted values by linear interpolation; `share` 0 to 1.
double quantile(const std::vector<double> &sorted, double share);

// Range of the middle half of the values over their median, 0 for less than three.
double spread_of(std::vector<double> values);

// The machine's state at the start: in words what else uses it now, empty where nothing does.
std::string busy_now(std::optional<double> others);

} // namespace weft
