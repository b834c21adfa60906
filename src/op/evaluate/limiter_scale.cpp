#include "op/evaluate/limiter_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "op/evaluate/field_values.h"
#include "op/evaluate/point_values.h"
#include "op/problem/facet_groups.h"

namespace weft {

namespace {

// Differences that are rounding.
constexpr double same_fraction = 1e-12;

struct ValueRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value))
      return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void take_all(Communicator *ranks) {
    low = smallest(ranks, low);
    high = largest(ranks, high);
  }
  bool is_empty() const { return low > high; }
  double width() const { return is_empty() ? 0 : high - low; }
  double magnitude() const { return is_empty() ? 0 : std::max(std::abs(low), std::abs(high)); }
};

void add_state(const Discretisation &d, const std::vector<double> &state,
               std::vector<ValueRange> &ranges) {
  int first = 0;
  for (std::size_t f = 0; f < d.law->fields.size(); ++f) {
    const int components = d.law->fields[f].components();
    const std::int64_t count = d.map_of_field(static_cast<int>(f)).num_local * components;
    for (std::int64_t i = 0; i < count; ++i)
      ranges[first + i % components].add(state[d.field_offset[f] + i]);
    first += components;
  }
}

// The states outside, at a point of each facet that has a condition.
void add_outer(const Discretisation &d, const std::vector<double> &state,
               std::vector<ValueRange> &ranges) {
  for (std::size_t b = 0; b < d.law->boundaries.size(); ++b) {
    std::vector<bool> selected;
    for (const int condition : d.condition_of_class)
      selected.push_back(condition == static_cast<int>(b));
    for (const FacetGroup &group : group_facets(*d.mesh, select_facets(*d.mesh, selected, false))) {
      const PointTable table = make_facet_table(d, group.set, group.facet, 1);
      PointBatch batch(d, table, group.cells);
      const PointInputs inputs{.state = &state,
                               .cell_table = &d.cell_table,
                               .facet_table = &d.facet_table,
                               .facet_classes = group.classes};
      std::vector<std::vector<double>> values;
      evaluate_at(d.law->boundaries[b].outer, batch, inputs, values);
      for (std::size_t k = 0; k < values.size(); ++k)
        for (const double value : values[k])
          ranges[k].add(value);
    }
  }
}

} // namespace

std::vector<double> limiter_scales(const Case &c, const Discretisation &d) {
  const std::vector<double> state = initial_state(c, d);
  std::vector<ValueRange> ranges(d.law->num_components);
  add_state(d, state, ranges);
  add_outer(d, state, ranges);
  for (ValueRange &range : ranges)
    range.take_all(d.ranks);
  std::vector<double> scales;
  for (const FieldSpec &field : d.law->fields) {
    double width = 0, magnitude = 0;
    for (int k = 0; k < field.components(); ++k) {
      const ValueRange &range = ranges[scales.size() + k];
      width = std::max(width, range.width());
      magnitude = std::max(magnitude, range.magnitude());
    }
    scales.insert(scales.end(), field.components(),
                  width > same_fraction * magnitude ? width : magnitude);
  }
  return scales;
}

} // namespace weft
