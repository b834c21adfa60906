// The functions that kernels/fem/fem_matrix_<loop order>.kernel call beside those of
// cell_functions.h, printed for one integral. i and j count the nodes of all fields' elements,
// field by field; a row of the matrix belongs to a node and a component.
//
//   weft_matrix_sum(c, f)         adds to sums over the points what needs no point afterwards
//   weft_matrix_add(c, q, f, a)   adds a point's coefficients to all entries
//   weft_matrix_finish(c, a)      adds what the sums give
//   weft_matrix_row_add(c, q, i, f, r), weft_matrix_row_finish(c, i, r)  rows of node i:
//                                 r[component][column]
//   weft_matrix_entry_add(c, q, i, j, f, b), weft_matrix_entry_finish(c, i, j, b)  one pair of
//                                 nodes: b[component of i][component of j]
//   weft_matrix_tensor(f, a)      all entries from coefficients that are the same at all points
//   weft_vector_add(c, q, f, b)   the load vector
//   weft_first_row(i), weft_num_components(i)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/cell/cell_functions.h"
#include "kernel/cell/cell_integral.h"
#include "kernel/matrix/matrix_kernel.h"

namespace weft {

struct MatrixFunctions {
  std::string tables, functions;
  int num_values = 0;
  std::vector<std::pair<std::string, int>> local_tables; // name, entries: copied to local memory
  bool unrolled = true; // rows and columns are written out, or their loops are to be unrolled
  CellCost cost;        // of all that a lane group does but reading and putting entries
};

MatrixFunctions print_matrix_functions(const CellIntegral &integral, const MatrixVariant &variant);

// Elements of more entries get loops over rows and columns in the text.
bool unrolls_matrix(const CellIntegral &integral);

} // namespace weft
