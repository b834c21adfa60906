#include "run/model/problem_text.h"

#include <fmt/format.h>

#include "form/expression/shape.h"
#include "form/law/form_text.h"
#include "op/law/mesh/k_orthogonality.h"
#include "op/set_up/explicit_terms.h"

namespace weft {

namespace {

// What facets see, and what the mesh has to do with it.
std::string finite_volumes_text(const Discretisation &d) {
  std::string text = finite_volume_text(*d.law) + "\n";
  if (!d.law->conormal.outputs.empty())
    text += fmt::format("diffusion: {}\n", to_string(k_orthogonality(d), d.mesh->dim));
  return text;
}

} // namespace

std::string space_text(const Discretisation &d) {
  std::string text;
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const FieldSpec &field = d.form.fields[f];
    const std::int64_t nodes = d.map_of_field(static_cast<int>(f)).num_global;
    text += fmt::format("field {}: {}, {}, {} nodes, dofs {} .. {}\n", field.name, field.element(),
                        to_string(field.shape), nodes, d.field_offset[f],
                        d.field_offset[f] + nodes * field.components() - 1);
  }
  if (d.law)
    return text + fmt::format("{} dofs\n", d.num_global) +
           (d.law->finite_volume ? finite_volumes_text(d) : "");
  return text + fmt::format("{} dofs, {} of them prescribed; quadrature of degree {} in cells, {} "
                            "on facets\n",
                            d.num_global, d.constraints.dofs.size(), d.cell_degree, d.facet_degree);
}

std::string equations_text(const Case &c, const Discretisation &d) {
  if (d.law)
    return law_text(*d.law, d.form);
  if (c.form.explicit_integrals.empty())
    return form_text(d.form);
  return form_text(d.form) + "explicit in time: " + form_text(form_of_explicit_terms(c));
}

} // namespace weft
