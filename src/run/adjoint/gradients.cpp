#include "run/adjoint/gradients.h"

#include <utility>

#include "form/adjoint/form_derivative.h"
#include "form/adjoint/transposed_form.h"
#include "form/expression/parameter_derivative.h"
#include "op/evaluate/loads.h"
#include "op/set_up/constraints.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

namespace {

// [dof]: the derivatives of prescribed values, and 0 elsewhere.
std::vector<double> derivative_of_prescribed(const Case &derived, const Discretisation &d) {
  std::vector<double> result(d.num_local, 0.);
  const Constraints constraints = make_constraints(derived, d, false);
  for (std::size_t i = 0; i < constraints.dofs.size(); ++i)
    result[constraints.dofs[i]] = constraints.values[i];
  return result;
}

// Differentiates the equations of a problem by the case's parameter: `derivative` is a copy of `d`
// but for its form and what that reads. What depends on the parameter beside them are known fields,
// as make_form_derivative() has them.
void set_derivative(const Case &derived, const Discretisation &d, Discretisation &derivative) {
  derivative.form = make_form_derivative(derived.form);
  derivative.cell_table =
      resolve_table(*d.mesh, Domain::cells, derivative.form.cell_table, classes_of_cells(*d.mesh));
  std::vector<bool> facet_classes(d.mesh->facet_classes.size(), false);
  for (const std::int32_t facet : d.integrated_facets)
    facet_classes[d.mesh->facets[facet].facet_class] = true;
  derivative.facet_table = resolve_part_table(d, derivative.form.facet_table, facet_classes);
  derivative.auxiliary = d.auxiliary;
  for (AuxiliaryField &known : auxiliary_fields(derived, d))
    derivative.auxiliary.push_back(std::move(known));
  const std::vector<double> prescribed = derivative_of_prescribed(derived, derivative);
  for (int f = 0; f < static_cast<int>(d.form.fields.size()); ++f) {
    const int components = d.form.fields[f].components();
    const auto first = prescribed.begin() + d.field_offset[f];
    derivative.auxiliary.push_back(
        {.map = d.field_map[f],
         .components = components,
         .values = {first, first + d.map_of_field(f).num_local * components}});
  }
}

} // namespace

std::unique_ptr<SpaceAdjoint> make_adjoint(const Simulation &s) {
  Discretisation d = s.discretisation;
  OpenConstants constants(s, s.c, d, s.state);
  return std::make_unique<SpaceAdjoint>(s, s.c, std::move(d), std::move(constants), s.state,
                                        s.state);
}

std::vector<FunctionalGradient> gradients_of(SpaceAdjoint &adjoint,
                                             const SolvedFunctional &functional) {
  std::vector<std::vector<double>> solutions;
  for (int k = 0; k < static_cast<int>(functional.values.size()); ++k)
    solutions.push_back(adjoint.solution(functional, k));
  Discretisation d = adjoint.d;
  d.fixed = {}; // at values that depend on nothing
  std::vector<FunctionalGradient> gradients;
  for (const SourceText &text : functional.spec.gradient) {
    Case derived = adjoint.c;
    derived.form.derived_by = parameter_named(adjoint.c.form, text);
    set_derivative(derived, adjoint.d, d);
    std::vector<IntegralFunction> tested;
    for (const FormIntegral &integral : d.form.integrals)
      tested.push_back({integral.domain, tested_integrand(d.form, integral)});
    FunctionalGradient &gradient = gradients.emplace_back(
        FunctionalGradient{.functional = functional.spec.name, .parameter = text.text});
    for (int k = 0; k < static_cast<int>(solutions.size()); ++k) {
      const double of_equations = sum_over_form(d, tested,
                                                {.state = &adjoint.state,
                                                 .direction = &solutions[k],
                                                 .cell_table = &d.cell_table,
                                                 .facet_table = &d.facet_table});
      const double of_value =
          functional.is_reaction()
              ? 0
              : value_at_places(derived, d, functional.spec, k, functional.places, adjoint.state);
      gradient.values.push_back(of_value - of_equations);
    }
  }
  return gradients;
}

} // namespace weft
