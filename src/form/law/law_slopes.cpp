#include "form/law/law_slopes.h"

#include <algorithm>

namespace weft {

namespace {

// The derivative of a function's outputs along a direction of states.
PointwiseFunction slope_of(const PointwiseFunction &function) {
  Graph graph;
  std::vector<NodeId> ids, outputs;
  const auto operand = [&](NodeId id) { return id < 0 ? id : ids[id]; };
  for (const Node &node : function.nodes)
    ids.push_back(node.op == Op::constant ? graph.constant(node.value)
                  : node.op == Op::symbol
                      ? graph.symbol(function.symbols[node.symbol])
                      : graph.make(node.op, operand(node.operand[0]), operand(node.operand[1]),
                                   operand(node.operand[2])));
  for (const NodeId output : function.outputs)
    outputs.push_back(ids[output]);
  return extract(graph, directional_derivative(graph, outputs));
}

// All that the rate is made of. The capacity is no function of the state.
std::vector<PointwiseFunction> slopes_of(const ConservationLaw &law) {
  std::vector<PointwiseFunction> slopes = {slope_of(law.flux), slope_of(law.source),
                                           slope_of(law.numerical_flux)};
  for (const BoundaryCondition &boundary : law.boundaries) {
    slopes.push_back(slope_of(boundary.flux));
    slopes.push_back(slope_of(boundary.outer));
  }
  return slopes;
}

} // namespace

LawSlopes law_slopes(const ConservationLaw &law) {
  const std::vector<PointwiseFunction> slopes = slopes_of(law);
  const auto none_uses = [&](SymbolKind kind) {
    return std::none_of(slopes.begin(), slopes.end(),
                        [&](const PointwiseFunction &slope) { return slope.uses(kind); });
  };
  LawSlopes result;
  // A limiter is a function of the state.
  result.constant = none_uses(SymbolKind::field) && none_uses(SymbolKind::field_gradient) &&
                    none_uses(SymbolKind::limiter);
  result.steady = none_uses(SymbolKind::time);
  result.symmetric = result.constant && law.finite_volume && law.two_point && law.viscous &&
                     law.num_components == 1 && !law.flux.uses(SymbolKind::field) &&
                     !law.source.uses(SymbolKind::field_gradient);
  return result;
}

} // namespace weft
