// The progress of a long stage: a line that is redrawn on a terminal, plain lines elsewhere.
#pragma once

#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/timer.h"

namespace weft {

// "solve [########            ]  42%  0:03 elapsed, 0:05 left, 120.3 Mdof/s"; of a `fraction` below
// 0, which is not known, "mesh  0:03 elapsed". `rate`: units a second, 0 = unknown; `unit`: "dof",
// "cell".
std::string progress_line(const std::string &stage, double fraction, double elapsed_s, double rate,
                          const std::string &unit);

// The share of a linear solve that is done, by the logarithm of the residual: 0 to 1.
double fraction_of_residual(double relative_residual, double tolerance);

class Progress {
public:
  // Says nothing with -q. On a terminal it draws at most ten times a second, elsewhere it prints a
  // line every five seconds.
  Progress(std::string stage, std::string unit, std::FILE *stream = stderr);
  ~Progress(); // clears the line on a terminal
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // `fraction` of the stage that is done (never shown to go back); `work`: units done so far;
  // `note`: what else to say, "time 0.25".
  void update(double fraction, double work = 0, const std::string &note = {});
  // From now on the line is drawn between updates too, with what `what_else` says now, which is
  // called by another thread: for stages that may not call for long.
  void keep_drawing(std::function<std::string()> what_else);
  // Takes the line away from a terminal, so that a row of a table can be printed in its place.
  void make_way();

private:
  void draw(); // where it is time
  void draw_now_and_then(const std::stop_token &end);

  std::string stage_, unit_;
  std::FILE *stream_;
  bool quiet_, terminal_;
  Timer timer_;
  std::mutex mutex_; // over what follows
  double fraction_ = -1, work_ = 0;
  std::string note_;
  double last_s_ = 0;                      // when the last line was made
  double last_work_ = 0, last_work_s_ = 0; // that the rate is of, and when
  double rate_ = 0;
  std::function<std::string()> what_else_;
  std::jthread drawer_; // last: it reads the others
};

} // namespace weft
