#include "run/advice/vanishing_derivatives.h"

#include <algorithm>
#include <fmt/format.h>

#include "form/graph/hessian_entries.h"

namespace weft {

namespace {

bool are_tested(const Form &form, const FormIntegral &integral, int field) {
  std::size_t first = 0, components = 0; // of the field, of all
  for (int f = 0; f < static_cast<int>(form.fields.size()); ++f) {
    first += f < field ? form.fields[f].components() : 0;
    components += form.fields[f].components();
  }
  const std::size_t sides = integral.domain == Domain::interior ? 2 : 1;
  const std::size_t entries = num_hessian_entries(form.dim);
  for (std::size_t side = 0; side < sides; ++side) {
    const std::size_t begin =
        sides * components * (1 + form.dim) + (side * components + first) * entries;
    for (std::size_t i = 0; i < form.fields[field].components() * entries; ++i)
      if (!integral.residual.output_is_zero(static_cast<int>(begin + i)))
        return true;
  }
  return false;
}

} // namespace

std::vector<std::string> vanishing_derivatives(const Discretisation &d) {
  std::vector<std::string> remarks;
  const bool straight =
      d.geometry.order == 1 &&
      std::all_of(d.mesh->sets.begin(), d.mesh->sets.end(), [](const CellSet &set) {
        return set.type == CellType::triangle || set.type == CellType::tetrahedron;
      });
  for (int f = 0; straight && f < static_cast<int>(d.form.fields.size()); ++f) {
    const FieldSpec &field = d.form.fields[f];
    const bool used = std::any_of(
        d.form.integrals.begin(), d.form.integrals.end(), [&](const FormIntegral &integral) {
          return integral.second && (integral.residual.uses(SymbolKind::field_hessian, f) ||
                                     are_tested(d.form, integral, f));
        });
    if (used && field.order == 1)
      remarks.push_back(fmt::format(
          "{}: second derivatives of `{}` are 0 in every cell, as {} is linear there: take {}2 "
          "where terms with them matter",
          field.place.empty() ? "[fields] " + field.name : field.place, field.name, field.element(),
          field.discontinuous ? "DG" : "P"));
  }
  return remarks;
}

} // namespace weft
