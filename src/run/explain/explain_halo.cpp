#include "run/explain/explain_halo.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "run/kernel_timing.h"

namespace weft {

namespace {

// Of the slowest rank, all beginning at once; the median.
double seconds_in_step(const Simulation &s, int repeats, const std::function<void()> &work) {
  std::vector<double> seconds;
  work(); // compiles
  for (int i = 0; i < repeats; ++i) {
    sum(s.ranks, std::int64_t{0}); // none is ahead
    const Timer timer;
    work();
    s.device->finish();
    seconds.push_back(largest(s.ranks, timer.seconds()));
  }
  return median(std::move(seconds));
}

LeastMost of_ranks(const Simulation &s, std::int64_t count) {
  return {smallest(s.ranks, static_cast<double>(count)),
          largest(s.ranks, static_cast<double>(count))};
}

std::string range_text(const LeastMost &counts, double unit) {
  const double least = counts.least * unit, most = counts.most * unit;
  return least == most ? fmt::format("{:.4g}", most) : fmt::format("{:.4g} to {:.4g}", least, most);
}

} // namespace

double ExplainedHalo::hidden() const {
  if (!(exchange_s > 0))
    return 1;
  return std::clamp(1 - (whole_s - kernels_s) / exchange_s, 0.0, 1.0);
}

std::optional<ExplainedHalo> explain_halo(Simulation &s, int repeats) {
  if (!s.ranks)
    return {};
  const SharedWork work = s.model->shared_work(s.state);
  ExplainedHalo halo{.ranks = s.ranks->size(),
                     .what = work.what,
                     .messages = of_ranks(s, work.counts.messages),
                     .bytes = of_ranks(s, work.counts.bytes)};
  halo.whole_s = seconds_in_step(s, repeats, work.run);
  halo.kernels_s = seconds_in_step(s, repeats, work.kernels);
  halo.exchange_s = seconds_in_step(s, repeats, work.exchange);
  return halo;
}

std::string halo_text(const ExplainedHalo &halo) {
  return fmt::format(
      "{} processes; in a {} each sends {} message{}, {} kB. Of the slowest: kernels alone {:.3g} "
      "ms, messages alone {:.3g} ms, a {} {:.3g} ms: {:.0f}% of the messages' time is hidden "
      "behind kernels.\n",
      halo.ranks, halo.what, range_text(halo.messages, 1), halo.messages.most == 1 ? "" : "s",
      range_text(halo.bytes, 1e-3), 1e3 * halo.kernels_s, 1e3 * halo.exchange_s, halo.what,
      1e3 * halo.whole_s, 100 * halo.hidden());
}

} // namespace weft
