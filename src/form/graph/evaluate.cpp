#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "form/graph/operation.h"
#include "form/graph/pointwise.h"

namespace weft {

namespace {

constexpr int block_points = 256; // a node's values in a block are 2 KiB

// One operation over a block; the operation is chosen outside the loop, so that the arithmetic ones
// become vector instructions.
template <Op op>
void apply_block(int n, const double *a, const double *b, const double *c, double *result) {
  for (int q = 0; q < n; ++q) {
    if constexpr (op == Op::add)
      result[q] = a[q] + b[q];
    else if constexpr (op == Op::sub)
      result[q] = a[q] - b[q];
    else if constexpr (op == Op::mul)
      result[q] = a[q] * b[q];
    else if constexpr (op == Op::div)
      result[q] = a[q] / b[q];
    else if constexpr (op == Op::neg)
      result[q] = -a[q];
    else if constexpr (op == Op::sqrt)
      result[q] = std::sqrt(a[q]);
    else
      result[q] = a[q] != 0 ? b[q] : c[q];
  }
}

void apply_block(Op op, int n, const double *a, const double *b, const double *c, double *result) {
  switch (op) {
  case Op::add:
    return apply_block<Op::add>(n, a, b, c, result);
  case Op::sub:
    return apply_block<Op::sub>(n, a, b, c, result);
  case Op::mul:
    return apply_block<Op::mul>(n, a, b, c, result);
  case Op::div:
    return apply_block<Op::div>(n, a, b, c, result);
  case Op::neg:
    return apply_block<Op::neg>(n, a, b, c, result);
  case Op::sqrt:
    return apply_block<Op::sqrt>(n, a, b, c, result);
  case Op::where:
    return apply_block<Op::where>(n, a, b, c, result);
  default:
    for (int q = 0; q < n; ++q)
      result[q] = apply_operation(op, a[q], b ? b[q] : 0.0, c ? c[q] : 0.0);
  }
}

} // namespace

void evaluate(const PointwiseFunction &function, int num_points, const InputValues &input,
              std::vector<std::vector<double>> &outputs) {
  const std::size_t num_nodes = function.nodes.size();
  std::vector<std::span<const double>> inputs;
  for (const Symbol &symbol : function.symbols) {
    inputs.push_back(input(symbol));
    require(inputs.back().size() >= static_cast<std::size_t>(num_points),
            "an input of a pointwise function has a value at every point");
  }
  std::vector<double> scratch(num_nodes * block_points); // [node, point of the block]
  std::vector<const double *> values(num_nodes);         // where each node's values are
  for (std::size_t i = 0; i < num_nodes; ++i) {
    values[i] = scratch.data() + i * block_points;
    if (function.nodes[i].op == Op::constant)
      std::fill_n(scratch.data() + i * block_points, block_points, function.nodes[i].value);
  }
  outputs.assign(function.outputs.size(), std::vector<double>(num_points));
  for (int first = 0; first < num_points; first += block_points) {
    const int n = std::min(block_points, num_points - first);
    for (std::size_t i = 0; i < num_nodes; ++i) {
      const Node &node = function.nodes[i];
      if (node.op == Op::symbol)
        values[i] = inputs[node.symbol].data() + first;
      if (num_operands(node.op) == 0)
        continue;
      const auto operand = [&](int k) {
        return node.operand[k] >= 0 ? values[node.operand[k]] : nullptr;
      };
      apply_block(node.op, n, operand(0), operand(1), operand(2),
                  scratch.data() + i * block_points);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o)
      std::copy_n(values[function.outputs[o]], n, outputs[o].data() + first);
  }
}

} // namespace weft
