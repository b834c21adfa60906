// Who used the processors: this process, and everything else on the machine.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace weft {

// Seconds of processor time since the machine was started, of the processors that this process may
// run on.
struct ProcessorTimes {
  double busy_s = 0; // by anyone, and what the host of a virtual machine took away
  double idle_s = 0; // by nobody
  double own_s = 0;  // by this process and those it has waited for
};

// From the text of /proc/stat, for the processors that `is_mine` is true of; nothing where it has
// none of them. `ticks`: of its counters in a second. own_s is left 0.
std::optional<ProcessorTimes> processor_times_from(const std::string &stat, double ticks,
                                                   const std::function<bool(int)> &is_mine);
// Up to now; nothing where the system does not say.
std::optional<ProcessorTimes> processor_times();

// The part of all processors' time that others used, summed over any number of spans: counters go
// in hundredths of a second, so that short spans say something only together.
class OthersUse {
public:
  using Clock = std::function<std::optional<ProcessorTimes>()>;
  OthersUse() = default;
  explicit OthersUse(Clock clock) : clock_(std::move(clock)) {}

  void begin();
  void end(); // of the span that began last
  void add(const OthersUse &other);
  // 0 to 1; nothing where it is not known, or where the spans are too short to tell: less than a
  // fifth of a second of processors' time.
  std::optional<double> share() const;

private:
  Clock clock_ = processor_times;
  std::optional<ProcessorTimes> begun_;
  double others_s_ = 0, all_s_ = 0;
};

// That share just now, looked at for so long.
std::optional<double> others_share_now(double seconds = 0.25);

} // namespace weft
