// Forward differentiation of graphs, whatever the derivative is taken of.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "form/graph/graph.h"

namespace weft {

// The derivative of a symbol, as a node: Graph::constant(0) where it does not depend.
using SymbolDerivative = std::function<NodeId(const Symbol &)>;

// Adds to `graph` the derivative of each output by the chain rule from those of the symbols the
// outputs use. abs, sign, floor, min, max and where: the derivative almost everywhere.
std::vector<NodeId> differentiate(Graph &graph, std::span<const NodeId> outputs,
                                  const SymbolDerivative &derivative_of);

// Which nodes the outputs need; [node].
std::vector<bool> reachable(std::span<const Node> nodes, std::span<const NodeId> outputs);

} // namespace weft
