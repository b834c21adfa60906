#include "form/graph/linearity.h"

#include <algorithm>

#include "form/graph/operation.h"

namespace weft {

namespace {

TestDegree degree_of_sum(TestDegree a, TestDegree b) {
  if (a == TestDegree::zero)
    return b;
  if (b == TestDegree::zero || a == b)
    return a;
  return std::max({a, b, TestDegree::mixed});
}

TestDegree degree_of_product(TestDegree a, TestDegree b) {
  const auto [less, more] = std::minmax(a, b);
  if (less == TestDegree::zero)
    return TestDegree::zero;
  return less == TestDegree::without ? more : TestDegree::nonlinear;
}

bool has_test(TestDegree d) {
  return d > TestDegree::without;
}

} // namespace

TestDegree Linearity::degree(const Graph &graph, NodeId id) {
  // Operands come before their users, so one pass in order finds them known.
  for (auto next = static_cast<NodeId>(known_.size()); next <= id; ++next) {
    const Node &node = graph[next];
    TestDegree d[3] = {TestDegree::zero, TestDegree::zero, TestDegree::zero};
    for (int i = 0; i < num_operands(node.op); ++i)
      d[i] = known_[node.operand[i]];
    TestDegree result = TestDegree::without;
    switch (node.op) {
    case Op::constant:
      result = node.value == 0 ? TestDegree::zero : TestDegree::without;
      break;
    case Op::symbol: {
      const SymbolKind kind = graph.symbols()[node.symbol].kind;
      if (kind == SymbolKind::test || kind == SymbolKind::test_gradient ||
          kind == SymbolKind::test_hessian)
        result = TestDegree::linear;
      break;
    }
    case Op::neg:
      result = d[0];
      break;
    case Op::add:
    case Op::sub:
      result = degree_of_sum(d[0], d[1]);
      break;
    case Op::mul:
      result = degree_of_product(d[0], d[1]);
      break;
    case Op::div:
      result = has_test(d[1]) ? TestDegree::nonlinear : d[0];
      break;
    case Op::where:
      result = has_test(d[0]) ? TestDegree::nonlinear : degree_of_sum(d[1], d[2]);
      break;
    default:
      if (has_test(std::max({d[0], d[1], d[2]})))
        result = TestDegree::nonlinear;
    }
    known_.push_back(result);
  }
  return known_[id];
}

} // namespace weft
