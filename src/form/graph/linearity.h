// How a node depends on the test functions, by its structure.
#pragma once

#include <vector>

#include "form/graph/graph.h"

namespace weft {

enum class TestDegree : std::uint8_t {
  zero,      // the constant 0: fits everywhere
  without,   // no test function
  linear,    // every term has exactly one
  mixed,     // some terms have one, some have none
  nonlinear, // a product of two, or a test function in a non-linear function
};

// Keeps what it found, so that asking after each new node costs the new nodes only.
class Linearity {
public:
  TestDegree degree(const Graph &graph, NodeId id);

private:
  std::vector<TestDegree> known_; // [node]
};

} // namespace weft
