// Whether a linearisation equals its transpose.
#pragma once

#include <span>

#include "form/graph/graph.h"

namespace weft {

// One value of the test functions and the trial symbols that belong to it: the output
// d(form)/d(test) pairs with the field's own value (and rate), d(form)/d(grad test) with its
// gradient, and so second derivatives.
struct TestPair {
  NodeId output;
  Symbol trial;
};

// d(output_a)/d(trial_b) = d(output_b)/d(trial_a) for all a, b, and the same for the rates of the
// values. Found on the graph where both are the same node; where terms are only written in another
// order, by comparing values at random points to 1e-10 relative. Products of several factors, as
// in the p-Laplacian, need the second.
bool is_symmetric(Graph &graph, std::span<const TestPair> pairs);

} // namespace weft
