#include "op/set_up/make_near_null_space.h"

#include <array>

#include "base/error.h"

namespace weft {

namespace {

std::vector<std::uint8_t> functions_of_fields(const Discretisation &d) {
  std::vector<std::uint8_t> functions(d.num_owned);
  int first = 0;
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const int components = d.form.fields[f].components();
    require(first + components <= 256, "components of all fields are numbered in a byte");
    const std::int64_t num_dofs = d.map_of_field(static_cast<int>(f)).num_owned * components;
    for (std::int64_t i = 0; i < num_dofs; ++i)
      functions[d.field_offset[f] + i] = static_cast<std::uint8_t>(first + i % components);
    first += components;
  }
  return functions;
}

// Translations along each axis, then rotations in each plane about the mean of all nodes.
std::vector<double> rigid_body_values(const NodeMap &map, int dim) {
  const int num_vectors = dim * (dim + 1) / 2;
  std::array<double, 3> mean = {};
  for (std::int64_t node = 0; node < map.num_owned; ++node)
    for (int k = 0; k < dim; ++k)
      mean[k] += map.coordinates[node * dim + k] / static_cast<double>(map.num_global);
  std::vector<double> values(map.num_owned * dim * num_vectors, 0.);
  for (std::int64_t node = 0; node < map.num_owned; ++node) {
    double *of_node = &values[node * dim * num_vectors]; // [component, vector]
    const auto from_mean = [&](int k) { return map.coordinates[node * dim + k] - mean[k]; };
    int v = 0;
    for (; v < dim; ++v)
      of_node[v * num_vectors + v] = 1;
    for (int i = 0; i < dim; ++i)
      for (int j = i + 1; j < dim; ++j, ++v) {
        of_node[i * num_vectors + v] = -from_mean(j);
        of_node[j * num_vectors + v] = from_mean(i);
      }
  }
  return values;
}

} // namespace

NearNullSpace make_near_null_space(const Discretisation &d, bool rigid_body_modes) {
  NearNullSpace space;
  if (d.form.fields.size() > 1) {
    space.functions = functions_of_fields(d);
    return space;
  }
  space.components = d.form.fields[0].components();
  const int dim = d.mesh->dim;
  if (!rigid_body_modes || dim < 2 || space.components != dim)
    return space;
  space.num_vectors = dim * (dim + 1) / 2;
  space.values = rigid_body_values(d.map_of_field(0), dim);
  for (const std::int32_t dof : d.constraints.dofs)
    for (int v = 0; v < space.num_vectors; ++v)
      space.values[std::int64_t{dof} * space.num_vectors + v] = 0;
  return space;
}

} // namespace weft
