// Whether cells lie in regions, as a value in expressions.
#pragma once

#include <string>
#include <vector>

#include "form/expression/parameter_tables.h"
#include "form/graph/graph.h"

namespace weft {

// A truth value: the cell lies in one of the regions; of facets between two cells that of the side.
NodeId in_regions(Graph &graph, ParameterTables &tables, const std::vector<std::string> &regions,
                  Domain domain, Side side, const SourceText &where);

} // namespace weft
