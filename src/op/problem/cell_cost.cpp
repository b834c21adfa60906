#include "op/problem/cell_cost.h"

#include <algorithm>

#include "space/element.h"
#include "space/nodal_element.h"

namespace weft {

namespace {

double cost_of_law(int order, CellType cell) {
  // Finite volumes, and pyramids with them, have fluxes alone.
  if (order == 0 || cell == CellType::pyramid)
    return num_facets(cell);
  return make_nodal_element(cell, order).num_nodes();
}

} // namespace

double cell_cost(const FormSpec &form, CellType cell) {
  if (form.law)
    return cost_of_law(form.fields.front().order, cell);
  int order = 1;
  for (const FieldSpec &field : form.fields)
    order = std::max(order, field.order);
  // About as many points as nodes, at each of which all nodes count.
  const double nodes = make_element(cell, order).num_nodes();
  return nodes * nodes;
}

} // namespace weft
