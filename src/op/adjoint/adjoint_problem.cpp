#include "op/adjoint/adjoint_problem.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "form/adjoint/transposed_form.h"
#include "op/evaluate/loads.h"
#include "op/set_up/constraints.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

Discretisation transposed(const Discretisation &d, const std::vector<double> &state) {
  Discretisation result = d;
  result.form = transposed_form(d.form);
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const int components = d.form.fields[f].components();
    const auto first = state.begin() + d.field_offset[f];
    result.auxiliary.push_back(
        {.map = d.field_map[f],
         .components = components,
         .values = {first, first + d.map_of_field(static_cast<int>(f)).num_local * components}});
  }
  std::fill(result.constraints.values.begin(), result.constraints.values.end(), 0.);
  return result;
}

std::vector<double> transposed_product(const Discretisation &d, const std::vector<double> &state,
                                       const std::vector<double> &w) {
  const Discretisation adjoint = transposed(d, state);
  std::vector<IntegralFunction> functions;
  for (const FormIntegral &integral : adjoint.form.integrals)
    functions.push_back({integral.domain, integral.residual});
  return load_of_fields(adjoint, functions,
                        {.state = &w, .cell_table = &d.cell_table, .facet_table = &d.facet_table});
}

Case enriched_case(const Case &c) {
  Case enriched = c;
  for (FieldSpec &field : enriched.form.fields)
    ++field.order;
  enriched.form.quadrature.degree.reset(); // which is for the order that the case has
  return enriched;
}

std::string without_next_order(const Case &c, const Mesh &mesh) {
  for (const FieldSpec &field : c.form.fields)
    for (const CellSet &set : mesh.sets)
      if (field.order == 0 || field.order >= highest_order(set.type))
        return fmt::format("{} of `{}` on a {}", field.element(), field.name, to_string(set.type));
  return {};
}

Discretisation make_enriched(const Case &enriched, const Mesh &mesh) {
  Case unprescribed = enriched;
  unprescribed.dirichlet.clear();
  Discretisation d = make_discretisation(unprescribed, mesh);
  d.constraints = make_constraints(enriched, d, false);
  return d;
}

std::vector<double> interpolate(const Discretisation &from, const Discretisation &to,
                                const std::vector<double> &values) {
  std::vector<double> result(to.num_local);
  std::vector<double> phi, dphi;
  for (int f = 0; f < static_cast<int>(to.form.fields.size()); ++f) {
    const int components = to.form.fields[f].components();
    const double *in = values.data() + from.field_offset[f];
    double *out = result.data() + to.field_offset[f];
    for (std::size_t s = 0; s < to.mesh->sets.size(); ++s) {
      const NodeMapSet &source = from.map_of_field(f).sets[s], &target = to.map_of_field(f).sets[s];
      const int num_in = source.element.num_nodes(), num_out = target.element.num_nodes();
      source.element.tabulate(target.element.nodes, phi, dphi);
      const std::int64_t num_cells = to.mesh->sets[s].num_cells();
      for (std::int64_t cell = 0; cell < num_cells; ++cell)
        for (int i = 0; i < num_out; ++i)
          for (int k = 0; k < components; ++k) {
            double value = 0;
            for (int j = 0; j < num_in; ++j)
              value += phi[i * num_in + j] *
                       in[std::int64_t{source.nodes[cell * num_in + j]} * components + k];
            out[std::int64_t{target.nodes[cell * num_out + i]} * components + k] = value;
          }
    }
  }
  return result;
}

} // namespace weft
