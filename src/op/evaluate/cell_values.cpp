#include "op/evaluate/cell_values.h"

#include <algorithm>

namespace weft {

namespace {

// That of the integral of a known field, times a volume ratio of three derivatives of the geometry.
int degree_of_means(const Discretisation &d) {
  int order = 0;
  for (const AuxiliaryField &known : d.auxiliary)
    order = std::max(order, d.maps[known.map].order);
  return order + 3 * d.geometry.order;
}

} // namespace

CellEvaluator::CellEvaluator(const Discretisation &d, int set)
    : d_(d), set_(set),
      centres_(make_point_table(d, set, d.map_of_field(0).sets[set].element.nodes)),
      inside_(make_cell_table(d, set, degree_of_means(d))) {}

std::vector<double> CellEvaluator::position(int axis, std::span<const std::int32_t> cells) const {
  const NodeMap &map = d_.map_of_field(0);
  std::vector<double> result;
  for (const std::int32_t c : cells)
    result.push_back(map.coordinates[std::int64_t(map.sets[set_].nodes[c]) * d_.mesh->dim + axis]);
  return result;
}

std::vector<double> CellEvaluator::mean(const Symbol &known, std::span<const std::int32_t> cells,
                                        const PointInputs &inputs) const {
  PointBatch batch(d_, inside_, cells);
  const std::vector<double> values = batch.values(known, inputs);
  std::vector<double> result;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    double sum = 0, volume = 0;
    for (int q = 0; q < inside_.num_points; ++q) {
      const double measure = batch.measure()[c * inside_.num_points + q];
      sum += measure * values[c * inside_.num_points + q];
      volume += measure;
    }
    result.push_back(sum / volume);
  }
  return result;
}

void CellEvaluator::evaluate(const PointwiseFunction &function, std::span<const std::int32_t> cells,
                             const PointInputs &inputs,
                             std::vector<std::vector<double>> &outputs) const {
  PointBatch batch(d_, centres_, cells);
  if (!d_.law->finite_volume)
    return evaluate_at(function, batch, inputs, outputs);
  std::vector<std::vector<double>> values;
  values.reserve(function.symbols.size()); // spans into it stay valid
  weft::evaluate(
      function, static_cast<int>(cells.size()),
      [&](const Symbol &s) -> std::span<const double> {
        values.push_back(s.kind == SymbolKind::coordinate  ? position(s.component, cells)
                         : s.kind == SymbolKind::auxiliary ? mean(s, cells, inputs)
                                                           : batch.values(s, inputs));
        return values.back();
      },
      outputs);
}

} // namespace weft
