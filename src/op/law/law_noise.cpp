#include "op/law/law_noise.h"

#include "linalg/start_vector.h"

namespace weft {

std::vector<double> law_noise(const Discretisation &d) {
  std::vector<double> values(d.num_local, 0.0);
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const NodeMap &map = d.map_of_field(static_cast<int>(f));
    const int components = d.form.fields[f].components();
    for (std::size_t s = 0; s < map.sets.size(); ++s) {
      const NodeMapSet &set = map.sets[s];
      const std::int64_t per_cell = std::int64_t{set.element.num_nodes()} * components;
      const std::vector<std::int32_t> numbers = canonical_numbers(*d.mesh, static_cast<int>(s));
      for (std::size_t c = 0; c < numbers.size(); ++c)
        for (std::int64_t i = 0; i < per_cell; ++i) {
          const std::int32_t node =
              set.nodes[c * set.element.num_nodes() + static_cast<std::size_t>(i / components)];
          values[d.field_offset[f] + std::int64_t{node} * components + i % components] =
              random_value(s * d.form.fields.size() + f, numbers[c] * per_cell + i);
        }
    }
  }
  return values;
}

} // namespace weft
