#include "solve/precondition/name_of_dof.h"

#include <algorithm>
#include <fmt/format.h>

namespace weft {

std::string name_of_dof(std::int64_t dof, const std::vector<FieldDofs> &fields) {
  std::string name = fmt::format("row {}", dof);
  const auto after = std::upper_bound(
      fields.begin(), fields.end(), dof,
      [](std::int64_t row, const FieldDofs &field) { return row < field.first_dof; });
  if (after == fields.begin())
    return name;
  const FieldDofs &field = *(after - 1);
  const std::int64_t in_field = dof - field.first_dof;
  if (!field.name.empty())
    name += ", field " + field.name;
  if (field.components > 1)
    name += fmt::format(", component {}", in_field % field.components);
  return name + fmt::format(", node {}", in_field / field.components);
}

} // namespace weft
