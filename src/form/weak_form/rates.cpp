#include "form/weak_form/rates.h"

#include "form/graph/rewrite.h"

namespace weft {

PointwiseFunction with_shift(const PointwiseFunction &function) {
  if (!function.uses(SymbolKind::field_rate) && !function.uses(SymbolKind::direction_rate))
    return function;
  Graph graph;
  const auto without_rates = [](Graph &g, Symbol s) {
    const auto scaled = [&](SymbolKind kind) {
      s.kind = kind;
      return g.mul(g.symbol({.kind = SymbolKind::shift}), g.symbol(s));
    };
    if (s.kind == SymbolKind::direction_rate)
      return scaled(SymbolKind::direction);
    if (s.kind != SymbolKind::field_rate)
      return g.symbol(s);
    Symbol offset = s;
    offset.kind = SymbolKind::rate_offset;
    return g.add(scaled(SymbolKind::field), g.symbol(offset));
  };
  return extract(graph, insert(graph, function, without_rates));
}

} // namespace weft
