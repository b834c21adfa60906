// Wall-clock time: since the process started, and of named stages (results.json `timings.STAGE_s`).
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace weft {

// Seconds since this process was started (read from the operating system, not from main()).
double seconds_since_process_start();

class Timer {
public:
  Timer() : start_(std::chrono::steady_clock::now()) {}
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_;
};

// Seconds by stage name, without the `_s`; a stage entered twice adds up.
class Timings {
public:
  void add(const std::string &stage, double seconds) { seconds_[stage] += seconds; }
  const std::map<std::string, double> &stages() const { return seconds_; }

private:
  std::map<std::string, double> seconds_;
};

// Adds the time from its construction to its destruction to a stage.
class StageTimer {
public:
  StageTimer(Timings &timings, std::string stage) : timings_(timings), stage_(std::move(stage)) {}
  ~StageTimer() { timings_.add(stage_, timer_.seconds()); }
  StageTimer(const StageTimer &) = delete;
  StageTimer &operator=(const StageTimer &) = delete;

private:
  Timings &timings_;
  std::string stage_;
  Timer timer_;
};

} // namespace weft
