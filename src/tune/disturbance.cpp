#include "tune/disturbance.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace weft {

namespace {

void add_reason(std::string &reasons, const std::string &reason) {
  reasons += (reasons.empty() ? "" : "; ") + reason;
}

} // namespace

double quantile(const std::vector<double> &sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[above] * part;
}

double spread_of(std::vector<double> values) {
  if (values.size() < 3)
    return 0;
  std::sort(values.begin(), values.end());
  return (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5);
}

int count_undisturbed(const std::vector<double> &core_gops) {
  if (core_gops.empty())
    return 0;
  const double best = *std::max_element(core_gops.begin(), core_gops.end());
  return static_cast<int>(std::count_if(core_gops.begin(), core_gops.end(), [&](double rate) {
    return rate >= (1 - disturbed_core) * best;
  }));
}

std::string busy_now(std::optional<double> others) {
  if (!others || *others <= most_others)
    return "";
  return fmt::format("other processes took {:.0f}% of the cores", 100 * *others);
}

std::string find_disturbance(const TimingEvidence &evidence) {
  std::string reasons = busy_now(evidence.others);
  if (evidence.num_taken > 0 &&
      evidence.num_undisturbed < fewest_undisturbed_share * evidence.num_taken)
    add_reason(reasons,
               fmt::format("{} of {} timings were taken beside disturbed cores",
                           evidence.num_taken - evidence.num_undisturbed, evidence.num_taken));
  if (const double spread = spread_of(evidence.seconds); spread > widest_spread)
    add_reason(reasons, fmt::format("timings differ by {:.0f}%", 100 * spread));
  return reasons;
}

std::string find_disturbance(const TimingEvidence &evidence, double share_of_limit, bool in_cache) {
  std::string reasons = find_disturbance(evidence);
  if (share_of_limit > most_share_of_limit && !in_cache)
    add_reason(reasons,
               fmt::format("{:.0f}% of the limit that was measured in turn", 100 * share_of_limit));
  return reasons;
}

} // namespace weft
