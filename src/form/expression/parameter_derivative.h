// Derivatives of values by a parameter.
#pragma once

#include <vector>

#include "case/form_spec.h"
#include "form/expression/table_entry.h"
#include "form/graph/pointwise.h"

namespace weft {

// The parameter that a text names: "k", or "k.fins" of one that has a value in each group.
// Errors (input): no such parameter or group, a parameter by group without one, a value that is no
// number or depends on place.
ParameterChoice parameter_named(const FormSpec &spec, const SourceText &text);

// The derivative of each output by a parameter, which is the entry of that name of the tables; they
// get one more where the parameter has a group. Fields and known fields depend on it too: their
// derivatives are further known fields, behind the first `num_known` those of the known ones, in
// their order, and then those of the fields.
PointwiseFunction parameter_derivative(const PointwiseFunction &function,
                                       const ParameterChoice &parameter, int num_known,
                                       std::vector<TableEntry> &cell_table,
                                       std::vector<TableEntry> &facet_table);

} // namespace weft
