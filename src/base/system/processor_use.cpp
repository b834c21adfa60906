#include "base/system/processor_use.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace weft {

namespace {

constexpr double shortest_s = 0.2; // of processors' time that is believed

double seconds_of(const timeval &time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double own_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return sum;
}

} // namespace

// A line is "cpu3 user nice system idle iowait irq softirq steal ..."; what guests use is in
// "user".
std::optional<ProcessorTimes> processor_times_from(const std::string &stat, double ticks,
                                                   const std::function<bool(int)> &is_mine) {
  std::istringstream lines(stat);
  ProcessorTimes times;
  bool any = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9')
      continue;
    std::istringstream words(line.substr(3));
    int processor = 0;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
    words >> processor >> user >> nice >> system >> idle;
    if (!words || !is_mine(processor))
      continue;
    words >> wait >> irq >> softirq >> steal; // old systems have fewer: those stay 0
    times.busy_s += (user + nice + system + irq + softirq + steal) / ticks;
    times.idle_s += (idle + wait) / ticks;
    any = true;
  }
  return any ? std::optional(times) : std::nullopt;
}

std::optional<ProcessorTimes> processor_times() {
  std::ifstream file("/proc/stat");
  std::ostringstream text;
  text << file.rdbuf();
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  std::optional<ProcessorTimes> times =
      processor_times_from(text.str(), static_cast<double>(sysconf(_SC_CLK_TCK)), [&](int p) {
        return !known || (p < CPU_SETSIZE && CPU_ISSET(p, &mine));
      });
  if (times)
    times->own_s = own_seconds();
  return times;
}

void OthersUse::begin() {
  begun_ = clock_();
}

void OthersUse::end() {
  const std::optional<ProcessorTimes> now = clock_();
  if (begun_ && now) {
    const double busy_s = now->busy_s - begun_->busy_s;
    others_s_ += busy_s - (now->own_s - begun_->own_s);
    all_s_ += busy_s + now->idle_s - begun_->idle_s;
  }
  begun_.reset();
}

void OthersUse::add(const OthersUse &other) {
  others_s_ += other.others_s_;
  all_s_ += other.all_s_;
}

std::optional<double> OthersUse::share() const {
  if (all_s_ < shortest_s)
    return std::nullopt;
  return std::clamp(others_s_ / all_s_, 0.0, 1.0);
}

std::optional<double> others_share_now(double seconds) {
  OthersUse use;
  use.begin();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  use.end();
  return use.share();
}

} // namespace weft
