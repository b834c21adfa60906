#include "form/expression/in_regions.h"

namespace weft {

NodeId in_regions(Graph &graph, ParameterTables &tables, const std::vector<std::string> &regions,
                  Domain domain, Side side, const SourceText &where) {
  Symbol indicator = tables.indicator(SymbolKind::cell_parameter, regions, domain, where);
  indicator.side = side;
  return graph.make(Op::less, graph.constant(0.5), graph.symbol(indicator));
}

} // namespace weft
