#include "run/adjoint/space_adjoint.h"

#include <cmath>
#include <fmt/format.h>

#include "base/error.h"
#include "op/adjoint/adjoint_problem.h"
#include "op/evaluate/field_values.h"
#include "op/evaluate/reaction.h"

namespace weft {

namespace {

// [dof]: 1 for a component of the field at the reaction's nodes.
std::vector<double> ones_at_nodes(const Discretisation &d, const Reaction &reaction,
                                  int component) {
  std::vector<double> result(d.num_local, 0.);
  const int components = d.form.fields[reaction.field].components();
  for (std::size_t node = 0; node < reaction.nodes.size(); ++node)
    if (reaction.nodes[node])
      result[d.field_offset[reaction.field] + static_cast<std::int64_t>(node) * components +
             component] = 1;
  return result;
}

} // namespace

SolvedFunctional solved_functional(const Simulation &s, const FunctionalSpec &spec) {
  const FunctionalValue value = functional(s.c, s.discretisation, spec, s.state);
  for (const double component : value.values)
    if (!std::isfinite(component))
      throw Error(
          ErrorKind::numerical,
          {.what = fmt::format("no error and no gradient of `{}`: it {}", spec.name, value.fault),
           .where = spec.expression.where()});
  return {spec, value.values, places_of_extremes(s.c, s.discretisation, spec, s.state)};
}

std::vector<double> SpaceAdjoint::derivative(const SolvedFunctional &functional,
                                             int component) const {
  if (functional.is_reaction())
    return std::vector<double>(d.num_local, 0.);
  std::vector<double> load =
      derivative_by_dofs(c, d, functional.spec, component, functional.places, middle);
  constants.make_orthogonal(load);
  return load;
}

std::vector<double> SpaceAdjoint::solution(const SolvedFunctional &functional, int component) {
  if (!functional.is_reaction()) {
    std::vector<double> z = solver.solve(derivative(functional, component));
    constants.match_means(z);
    return z;
  }
  const Reaction reaction = make_reaction(d, functional.spec);
  const std::vector<double> test =
      ones_at_nodes(d, reaction, reaction.component < 0 ? component : reaction.component);
  std::vector<double> z = solver.solve(transposed_product(d, middle, test));
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] -= test[i];
  return z;
}

} // namespace weft
