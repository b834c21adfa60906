// How many iterations of a solver in low precision pay before the defect is computed anew.
#pragma once

namespace weft {

// What was measured of one correction by `iterations` iterations.
struct InnerContraction {
  int iterations = 1;
  double inner = 1; // |d - A' c| / |d|, A' being the matrix in low precision
  double outer = 1; // |d - A c| / |d|
};

// The number m of iterations with the least work for a digit. An iteration contracts the inner
// residual by q = inner^(1/iterations), so that m of them leave q^m; the precision adds what made
// the difference between `outer` and `inner`, which no number of iterations takes away. A
// correction costs the update, `update_cost` in units of an inner iteration, and m:
//   the m of the largest  -log(q^m + max(0, outer - inner)) / (update_cost + m),
// at most `growth` times as many or as few as were measured, since q changes with m.
int choose_iterations(const InnerContraction &measured, double update_cost);

} // namespace weft
