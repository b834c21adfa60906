// Cells cut into parts of about equal size with few neighbours in other parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/order/cell_adjacency.h"

namespace weft {

struct CellPartition {
  std::int32_t num_parts = 0;
  std::vector<std::int32_t> part; // [cell]; no part is empty
};

// Parts of about `part_cells` cells (>= 1) by METIS (Karypis and Kumar 1998, DOI
// 10.1137/S1064827595287997), within a few hundredths of it. Where that makes very many parts, they
// are cut out of larger ones, one after the other: a k-way partition takes longer than the number
// of its parts. The same result in every run.
// Errors: unsupported (more than 2^31 - 1 entries), system (METIS found no memory).
CellPartition partition_cells(const CellAdjacency &adjacency, std::int64_t part_cells);

// So many parts of about equal cost by METIS, [cell]: for ranks, whose number is given. Parts may
// be empty, where there are few cells. `cost`: [cell], above 0. The same result in every run;
// errors as above.
std::vector<std::int32_t> partition_into(const CellAdjacency &adjacency,
                                         std::span<const double> cost, std::int32_t num_parts);

} // namespace weft
