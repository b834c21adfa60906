// The rules by which a graph writes an operation in a simpler way.
#pragma once

#include "form/graph/graph.h"

namespace weft {

// A node equal to op(a, b, c) that is simpler than a new one, or -1 where no rule applies.
// The rules hold for finite real operands: x*0 = 0, x/x = 1, x-x = 0, sqrt(x)*sqrt(x) = x are taken
// as they stand. Integer and half-integer powers up to 16 become products, quotients and roots.
NodeId simplify(Graph &graph, Op op, NodeId a, NodeId b, NodeId c);

} // namespace weft
