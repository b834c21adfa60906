// Uses the installed Weft: reads a case, applies its residual to arrays of its own, solves it, and
// reads functionals. Exit code 0 if all that comes back is right.
#include <weft/weft.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check_close(const char *what, double found, double expected, double tolerance) {
  if (std::abs(found - expected) <= tolerance) {
    return;
  }
  std::fprintf(stderr, "%s is %.17g, but should be %.17g\n", what, found, expected);
  ++failures;
}

// The residual tested with the function 1: what leaves minus what enters.
double sum_of_residual(weft::Problem &problem, double temperature) {
  std::vector<double> u(problem.num_dofs(), temperature);
  std::vector<double> r(problem.num_dofs(), NAN);
  problem.residual(u, r);
  double sum = 0;
  for (double value : r) {
    sum += value;
  }
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: consumer CASE\n");
    return 2;
  }
  weft::Problem problem = weft::read(argv[1]);
  check_close("number of dofs", static_cast<double>(problem.num_dofs()), 81, 0);

  // A constant temperature T leaves h T through x1; q enters through x0.
  check_close("sum of the residual of 0", sum_of_residual(problem, 0), -6, 1e-12);
  check_close("sum of the residual of 10", sum_of_residual(problem, 10), 3.0 * 10 - 6, 1e-11);

  // The solution is linear in x: T(1) = q / h, and q / k more at x = 0.
  problem.solve();
  check_close("Q_out", problem.functional("Q_out"), 6, 1e-9);
  check_close("T_hot", problem.functional("T_hot"), 2 + 3, 1e-9);

  // A value that is not finite is an error that names its place.
  std::vector<double> broken(problem.state().begin(), problem.state().end());
  broken.front() = NAN;
  problem.set_state(broken);
  try {
    problem.functional("T_hot");
    std::fprintf(stderr, "a maximum passes over NaN\n");
    ++failures;
  } catch (const std::runtime_error &error) {
    if (std::string(error.what()).find("is nan at (") == std::string::npos) {
      std::fprintf(stderr, "no place in: %s\n", error.what());
      ++failures;
    }
  }
  return failures == 0 ? 0 : 1;
}
