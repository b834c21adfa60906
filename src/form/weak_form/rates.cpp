#include "form/weak_form/rates.h"

#include <algorithm>

#include "form/graph/rewrite.h"

namespace weft {

namespace {

bool has_rates(const PointwiseFunction &function) {
  for (const SymbolKind kind :
       {SymbolKind::field_rate, SymbolKind::field_rate_gradient, SymbolKind::field_rate_hessian,
        SymbolKind::direction_rate, SymbolKind::direction_rate_gradient,
        SymbolKind::direction_rate_hessian})
    if (function.uses(kind))
      return true;
  return false;
}

int shift_of(const Symbol &rate, const std::vector<int> &orders) {
  if (rate.order == 2)
    return acceleration_shift;
  return orders[rate.index] == 2 ? velocity_shift : first_order_shift;
}

// `rate` without the time derivative, times the shift.
NodeId shifted(Graph &g, Symbol rate, SymbolKind kind, const std::vector<int> &orders) {
  const NodeId shift = g.symbol({.kind = SymbolKind::shift, .component = shift_of(rate, orders)});
  rate.kind = kind;
  rate.order = 0;
  return g.mul(shift, g.symbol(rate));
}

NodeId offset_of(Graph &g, Symbol rate, SymbolKind kind) {
  rate.kind = kind;
  return g.symbol(rate);
}

} // namespace

std::vector<int> time_orders(const Form &form) {
  std::vector<int> orders(form.fields.size(), 0);
  for (const FormIntegral &integral : form.integrals)
    for (const Symbol &s : integral.residual.symbols)
      if (s.kind == SymbolKind::field_rate || s.kind == SymbolKind::field_rate_gradient ||
          s.kind == SymbolKind::field_rate_hessian)
        orders[s.index] = std::max(orders[s.index], s.order);
  return orders;
}

PointwiseFunction with_shift(const PointwiseFunction &function, const std::vector<int> &orders) {
  if (!has_rates(function))
    return function;
  Graph graph;
  const auto without_rates = [&](Graph &g, const Symbol &s) {
    switch (s.kind) {
    case SymbolKind::direction_rate:
      return shifted(g, s, SymbolKind::direction, orders);
    case SymbolKind::direction_rate_gradient:
      return shifted(g, s, SymbolKind::direction_gradient, orders);
    case SymbolKind::direction_rate_hessian:
      return shifted(g, s, SymbolKind::direction_hessian, orders);
    case SymbolKind::field_rate: {
      const NodeId of_field = shifted(g, s, SymbolKind::field, orders);
      return g.add(of_field, offset_of(g, s, SymbolKind::rate_offset));
    }
    case SymbolKind::field_rate_gradient: {
      const NodeId of_field = shifted(g, s, SymbolKind::field_gradient, orders);
      return g.add(of_field, offset_of(g, s, SymbolKind::rate_offset_gradient));
    }
    case SymbolKind::field_rate_hessian: {
      const NodeId of_field = shifted(g, s, SymbolKind::field_hessian, orders);
      return g.add(of_field, offset_of(g, s, SymbolKind::rate_offset_hessian));
    }
    default:
      return g.symbol(s);
    }
  };
  return extract(graph, insert(graph, function, without_rates));
}

PointwiseFunction rate_part(const PointwiseFunction &linearised) {
  Graph graph;
  const auto rates_alone = [](Graph &g, const Symbol &s) {
    const bool is_direction = s.kind == SymbolKind::direction ||
                              s.kind == SymbolKind::direction_gradient ||
                              s.kind == SymbolKind::direction_hessian;
    return is_direction ? g.constant(0) : g.symbol(s);
  };
  return extract(graph, insert(graph, linearised, rates_alone));
}

} // namespace weft
