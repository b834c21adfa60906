#include "op/problem/law_cell_cost.h"

#include "space/nodal_element.h"

namespace weft {

double law_cell_cost(const FormSpec &form, CellType cell) {
  const int order = form.fields.front().order;
  // Finite volumes, and pyramids with them, have fluxes alone.
  if (order == 0 || cell == CellType::pyramid)
    return num_facets(cell);
  return make_nodal_element(cell, order).num_nodes();
}

} // namespace weft
