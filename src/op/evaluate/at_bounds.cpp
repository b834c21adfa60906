#include "op/evaluate/at_bounds.h"

#include "op/problem/dof_layout.h"

namespace weft {

std::vector<FieldAtBounds> dofs_at_bounds(const Case &c, const Discretisation &d,
                                          const std::vector<double> &state, Precision precision) {
  const auto rounded = [&](double value) {
    return precision == Precision::f64 ? value : static_cast<double>(static_cast<float>(value));
  };
  const std::vector<double> entries = own_entries(d, state);
  std::vector<FieldAtBounds> result;
  for (std::size_t f = 0; f < d.form.fields.size(); ++f)
    for (const BoundsSpec &spec : c.bounds) {
      const FieldSpec &field = d.form.fields[f];
      if (spec.field != field.name)
        continue;
      FieldAtBounds count{.field = field.name};
      const std::int64_t first = d.own_offset[f];
      const std::int64_t num = d.map_of_field(static_cast<int>(f)).num_owned * field.components();
      for (std::int64_t i = first; i < first + num; ++i) {
        count.lower += entries[i] <= rounded(d.bounds.lower[i]) ? 1 : 0;
        count.upper += entries[i] >= rounded(d.bounds.upper[i]) ? 1 : 0;
      }
      count.lower = sum(d.ranks, count.lower);
      count.upper = sum(d.ranks, count.upper);
      result.push_back(count);
    }
  return result;
}

} // namespace weft
