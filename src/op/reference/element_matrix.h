// Element matrices by plain double loops: what kernels of element matrices, and assembly, are
// checked against.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "op/evaluate/point_values.h"
#include "op/problem/discretisation.h"

namespace weft::reference {

// The element matrix of one cell, what one boundary facet adds to that of its cell, or what one
// facet between two cells adds to the rows and columns of both.
struct ElementMatrix {
  int set = 0;
  std::int64_t cell = 0;          // of the set
  int local_facet = -1;           // -1: the integral over the cell
  std::vector<std::int64_t> dofs; // [row], rows numbered [side][field][node][component]
  std::vector<double> values;     // [row][column]
};

// Calls visit for the derivative F'(u) of all cell integrals, cell by cell in the order of the
// mesh, then of all boundary facets that the form is integrated over, then of all facets between
// two cells, of which set, cell and facet are the minus side's. Constrained dofs are treated like
// others.
void for_each_element_matrix(const Discretisation &d, const std::vector<double> &u,
                             const std::function<void(const ElementMatrix &)> &visit,
                             const Rate &rate = {});

// Integrates the load vector of a linear form, -F(0) of each cell, [cell][row], rows as above.
std::vector<std::vector<double>> cell_load_vectors(const Discretisation &d, int set);

} // namespace weft::reference
