// The coarse matrix of algebraic multigrid.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/block_matrix.h"

namespace weft {

// P^T A P from P and P^T, a row of P^T A at a time. Every sum follows the order of fine rows and of
// columns: the same bits whatever the number of threads. `dropped`, [coarse unknown]: those without
// a column in P, whose diagonal entry becomes 1. Where A has fewer rows than columns, P has rows
// for all columns and P^T columns for the rows alone.
BlockMatrix galerkin_product(const BlockView &matrix, const BlockView &prolongation,
                             const BlockView &restriction,
                             const std::vector<std::uint8_t> &dropped);

} // namespace weft
