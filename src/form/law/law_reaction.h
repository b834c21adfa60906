// The sources of a conservation law on their own, for splitting them from the rest of it in time.
#pragma once

#include <vector>

#include "case/form_spec.h"
#include "form/graph/pointwise.h"
#include "form/weak_form/form.h"

namespace weft {

// At each node dq_k/dt = rate_k(q). Symbols of fields: component k itself has Side::minus in its
// own rate and slope, all other components have Side::plus, so that both may be taken from
// different states. Then coordinates, time, cell_size, cell_parameter, auxiliary fields.
struct LawReactions {
  int dim = 2;
  int num_components = 0;
  std::vector<FieldSpec> fields;
  std::vector<FieldSpec> auxiliary;
  PointwiseFunction rate;             // [component]: source / capacity
  PointwiseFunction slope;            // [component]: d rate_k / d q_k
  std::vector<TableEntry> cell_table; // symbol cell_parameter, component = index
};

// `spec`: of a conservation law. Errors (input): sources with gradients of fields, which are no
// functions of the values at a node; and what make_conservation_law() says of sources.
LawReactions make_law_reactions(const FormSpec &spec);

// The rest of the law.
FormSpec without_sources(FormSpec spec);

} // namespace weft
