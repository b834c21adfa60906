#include "op/set_up/make_near_null_space.h"

#include "base/error.h"
#include "op/problem/dof_layout.h"
#include "op/set_up/rigid_body_values.h"

namespace weft {

namespace {

std::vector<std::uint8_t> functions_of_fields(const Discretisation &d) {
  std::vector<std::uint8_t> functions(d.num_owned - num_border_dofs(d.form.fields));
  int first = 0;
  for (std::size_t f = 0; f < num_varying_fields(d.form.fields); ++f) {
    const int components = d.form.fields[f].components();
    require(first + components <= 256, "components of all fields are numbered in a byte");
    const std::int64_t num_dofs = d.map_of_field(static_cast<int>(f)).num_owned * components;
    for (std::int64_t i = 0; i < num_dofs; ++i)
      functions[d.own_offset[f] + i] = static_cast<std::uint8_t>(first + i % components);
    first += components;
  }
  return functions;
}

} // namespace

NearNullSpace make_near_null_space(const Discretisation &d, bool rigid_body_modes) {
  NearNullSpace space;
  if (num_varying_fields(d.form.fields) > 1) {
    space.functions = functions_of_fields(d);
    return space;
  }
  return near_null_space_of_field(d, 0, rigid_body_modes);
}

NearNullSpace near_null_space_of_field(const Discretisation &d, int field, bool rigid_body_modes) {
  NearNullSpace space;
  space.components = d.form.fields[field].components();
  const int dim = d.mesh->dim;
  if (!rigid_body_modes || dim < 2 || space.components != dim)
    return space;
  space.num_vectors = dim * (dim + 1) / 2;
  const NodeMap &map = d.map_of_field(field);
  space.values =
      rigid_body_values(std::span(map.coordinates).first(map.num_owned * dim), dim, d.ranks);
  const std::int64_t first = d.field_offset[field], end = first + map.num_owned * dim;
  for (const auto *dofs : {&d.constraints.dofs, &d.ties.dofs})
    for (const std::int32_t dof : *dofs)
      if (dof >= first && dof < end)
        for (int v = 0; v < space.num_vectors; ++v)
          space.values[(dof - first) * space.num_vectors + v] = 0;
  return space;
}

} // namespace weft
