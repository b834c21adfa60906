// The least time of a call of Problem::residual(), in seconds: residual CASE THREADS CALLS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <weft/weft.h>

int main(int, char **argv) {
  weft::ProblemOptions options;
  options.threads = std::atoi(argv[2]);
  weft::Problem problem(argv[1], options);
  std::vector<double> u(problem.num_dofs(), 1.0), r(problem.num_dofs());
  problem.residual(u, r);
  double least = 1e9;
  for (int call = 0; call < std::atoi(argv[3]); ++call) {
    const auto begin = std::chrono::steady_clock::now();
    problem.residual(u, r);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  std::printf("%.9f\n", least);
}
