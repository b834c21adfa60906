// Functions of the values at a point: what the physics is, once written as scalar expressions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "form/graph/graph.h"

namespace weft {

// Only nodes that the outputs need, operands before users; evaluating or printing each node once,
// in order, is the whole function.
struct PointwiseFunction {
  std::vector<Node> nodes;
  std::vector<Symbol> symbols; // the inputs in use
  std::vector<NodeId> outputs; // into nodes; one each of the values the caller asked for
  bool output_is_zero(int output) const {
    const Node &n = nodes[outputs[output]];
    return n.op == Op::constant && n.value == 0;
  }
  bool uses(SymbolKind kind) const;
  bool uses(SymbolKind kind, int index) const;
};

// [node]: how often it is used, by other nodes and as an output.
std::vector<int> count_uses(const PointwiseFunction &function);

// The sub-graph of `outputs`.
PointwiseFunction extract(const Graph &graph, std::span<const NodeId> outputs);

// Directional derivative: adds to `graph` the derivative of each output along the direction
// (field -> direction, field_rate -> direction_rate, and so their gradients and second
// derivatives). Forward mode, one pass; nothing is approximated.
std::vector<NodeId> directional_derivative(Graph &graph, std::span<const NodeId> outputs);

// Partial derivative of each output with respect to one symbol.
std::vector<NodeId> derivative(Graph &graph, std::span<const NodeId> outputs, const Symbol &symbol);

// Direct evaluation at many points at once, in double: `input(symbol)` gives that symbol's values
// at all points ([point]; must stay valid during the call); results [output][point].
using InputValues = std::function<std::span<const double>(const Symbol &)>;
void evaluate(const PointwiseFunction &function, int num_points, const InputValues &input,
              std::vector<std::vector<double>> &outputs);

// Number of floating-point operations by the rule of docs (add, sub, mul, neg, min, max, compare,
// select: 1; div, sqrt and every elementary function: 1 too).
int count_flops(const PointwiseFunction &function);

// Degrees above it are not told apart: nobody integrates them exactly.
constexpr int largest_degree = 1'000'000;

// Estimated polynomial degree in the reference coordinates of an output, given the degree of each
// symbol (fields: their order; coordinates: geometry's order; ...). A function that is no
// polynomial adds `not_polynomial`. At most largest_degree.
int estimate_degree(const PointwiseFunction &function, int output,
                    const std::function<int(const Symbol &)> &degree_of, int not_polynomial = 2);

} // namespace weft
