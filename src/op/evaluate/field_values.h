// Expressions over the mesh on the host: nodal values, functionals, errors, output data.
#pragma once

#include <string>
#include <vector>

#include "op/problem/discretisation.h"

namespace weft {

// Of a problem with ranks all of them call what follows, and have the same functionals, errors,
// faults and probes; output fields are right in the cells of this rank.

// Initial state of all fields: [initial] where given, else zero; constrained dofs set. [dof]
// Error (input): a value that is not finite.
std::vector<double> initial_state(const Case &c, const Discretisation &d);

// [initial] "dt(u)", zero where nothing is said; empty where nothing is said of any field. [dof]
std::vector<double> initial_rate(const Case &c, const Discretisation &d);

// A functional's value: one entry, or the components of a vector expression.
struct FunctionalValue {
  std::string name;
  std::vector<double> values;
  // Where it is not finite but should be: "is nan at (0.25, 0.5) of region box"; else empty.
  std::string fault;
};
// Integrals and averages by quadrature of the form's degree (at least what the integrand needs);
// maximum and minimum over nodes, quadrature points or both, NaN where one is; point values are
// means over the cells that touch the point, those of the functional's regions alone, which matters
// where values jump or have gradients. Of
// expressions with first times points that are not reached are left out; NaN where none is.
// `state`: all dofs.
FunctionalValue functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec,
                           const std::vector<double> &state);
// The components it has, found without evaluating it. Errors (input): all that functional() throws.
int check_functional(const Case &c, const Discretisation &d, const FunctionalSpec &spec);
// All functionals of a case.
std::vector<FunctionalValue> functionals(const Case &c, const Discretisation &d,
                                         const std::vector<double> &state);

struct FieldError {
  std::string field;
  double l2 = 0;
  double h1 = 0;     // full norm: sqrt(L2^2 + |grad|^2)
  std::string fault; // as that of a FunctionalValue
};
// Against [exact], by quadrature of degree 2p+3 or more.
std::vector<FieldError> errors(const Case &c, const Discretisation &d,
                               const std::vector<double> &state);

// One output field: on the nodes of its element (continuous) or at each cell's own nodes
// (discontinuous, for nodal elements and expressions with gradients): values [node or (set, cell,
// node), component].
struct OutputField {
  std::string name;
  int components = 1;
  bool discontinuous = false;
  bool nodal = false; // at the nodes of make_nodal_element(); then discontinuous
  int order = 1;      // element order of the values
  std::vector<double> values;
  std::string fault; // as that of a FunctionalValue; first times may be NaN
};
// [output] fields, or all fields of the form.
std::vector<OutputField> output_fields(const Case &c, const Discretisation &d,
                                       const std::vector<double> &state);
// Values of all fields at a point of space, the mean over the cells that touch it. Errors: of
// locate_named_point().
std::vector<double> probe(const Discretisation &d, const std::vector<double> &state,
                          const std::vector<double> &point);

} // namespace weft
