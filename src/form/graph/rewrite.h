// Expressions with some of their symbols replaced.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "form/graph/pointwise.h"

namespace weft {

// What stands in the place of a symbol; the symbol itself where nothing does.
using SymbolNode = std::function<NodeId(Graph &, const Symbol &)>;

// Adds to `graph` the outputs with all symbols replaced at once: what comes in is not replaced
// again.
std::vector<NodeId> substitute(Graph &graph, std::span<const NodeId> outputs,
                               const SymbolNode &value_of);

// Adds a function to `graph`, its symbols replaced in the same way; its outputs there.
std::vector<NodeId> insert(Graph &graph, const PointwiseFunction &function,
                           const SymbolNode &value_of);
// The same with its symbols as they are.
std::vector<NodeId> insert(Graph &graph, const PointwiseFunction &function);

// Gives of each output f the part f(s) - f(0) that is there because of the chosen symbols s,
// without the terms that cancel where it is a sum, a product or a quotient of them.
std::vector<NodeId> part_with(Graph &graph, std::span<const NodeId> outputs,
                              const std::function<bool(const Symbol &)> &chosen);

// Some output depends on a symbol of the kind.
bool depends_on(const Graph &graph, std::span<const NodeId> outputs, SymbolKind kind);

} // namespace weft
