// Problem::residual() called and timed by C++, for a process that does so from Python in turn.
#include <algorithm>
#include <chrono>
#include <vector>

#include <weft/weft.h>

namespace {

struct Timed {
  weft::Problem problem;
  std::vector<double> u, r;
};

} // namespace

extern "C" {

void *make_problem(const char *file, int threads) {
  weft::ProblemOptions options;
  options.threads = threads;
  auto *timed = new Timed{weft::Problem(file, options), {}, {}};
  timed->u.assign(timed->problem.num_dofs(), 1.0);
  timed->r.resize(timed->problem.num_dofs());
  return timed;
}

// Seconds of the fastest of `calls` calls.
double least_time(void *made, int calls) {
  Timed &timed = *static_cast<Timed *>(made);
  double least = 1e9;
  for (int call = 0; call < calls; ++call) {
    const auto begin = std::chrono::steady_clock::now();
    timed.problem.residual(timed.u, timed.r);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

void drop_problem(void *made) {
  delete static_cast<Timed *>(made);
}
}
