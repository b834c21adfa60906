#include "run/explain/work_estimate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace weft {

void WorkEstimate::expect(const std::string &kind, double pieces, double guess_s) {
  kinds_[kind].expected += pieces;
  kinds_[kind].guess_s = guess_s;
}

void WorkEstimate::done(const std::string &kind, double pieces, double seconds) {
  kinds_[kind].done += pieces;
  kinds_[kind].seconds += seconds;
}

void WorkEstimate::drop(const std::string &kind, double pieces) {
  kinds_[kind].expected = std::max(0.0, kinds_[kind].expected - pieces);
}

double WorkEstimate::left_s() const {
  double sum = 0;
  for (const auto &[name, kind] : kinds_)
    sum += std::max(0.0, kind.expected - kind.done) * kind.each_s();
  return sum;
}

double WorkEstimate::fraction() const {
  double spent_s = 0;
  for (const auto &[name, kind] : kinds_)
    spent_s += kind.seconds;
  return spent_s > 0 ? spent_s / (spent_s + left_s()) : 0;
}

double WorkEstimate::seconds_of(const std::string &kind) const {
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? 0 : found->second.each_s();
}

std::string announcement(int candidates, double each_s, double budget_s) {
  const double all_s = candidates * each_s;
  if (all_s <= budget_s)
    return fmt::format("about {} for all {} candidates", about(all_s), candidates);
  return fmt::format("the {:.0f} s allowed are enough for about {:.0f} of {} candidates; "
                     "--exhaustive tries all, in about {}",
                     budget_s, std::max(1.0, budget_s / each_s), candidates, about(all_s));
}

std::string about(double seconds) {
  if (seconds < 90)
    return fmt::format("{:.0f} s", std::max(1.0, std::round(seconds)));
  if (seconds < 90 * 60)
    return fmt::format("{:.0f} min", std::round(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

} // namespace weft
