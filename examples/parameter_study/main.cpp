// How warm the inner side of a wall is, for three winds: T_air + q/h for the film outside and
// q 0.2/k for the wall itself, by hand.
#include <weft/weft.h>

#include <cmath>
#include <cstdio>

int main(int argc, char **argv) {
  try {
    weft::ProblemOptions options;
    options.settable = {"h"}; // kernels read it as an argument, and are made once
    weft::Problem wall(argc > 1 ? argv[1] : "wall.toml", options);
    for (const double h : {5.0, 10.0, 20.0}) {
      wall.set_parameter("h", h);
      const weft::SolveResult result = wall.solve(); // begins at the solution before
      const double warm = wall.functional("T_hot"), by_hand = 15 + 100 / h + 100 * 0.2 / 0.8;
      std::printf("h = %g: T_hot = %.6g, Q_out = %.6g, %d iterations\n", h, warm,
                  wall.functional("Q_out"), result.iterations);
      if (!(std::abs(warm - by_hand) < 1e-6)) {
        std::fprintf(stderr, "error: %.6g by hand\n", by_hand);
        return 1;
      }
    }
  } catch (const weft::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.kind() == weft::ErrorKind::input ? 2 : 1;
  }
  return 0;
}
