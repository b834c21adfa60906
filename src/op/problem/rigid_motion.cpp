#include "op/problem/rigid_motion.h"

#include <algorithm>
#include <cmath>

#include "op/problem/dof_layout.h"

namespace weft {

namespace {

constexpr double rotation_rounding = 1e-10;

// The largest |f1| for the increment whose gradient is e_i e_j^T + sign e_j e_i^T.
double response(const Discretisation &d, const PointwiseFunction &linearised, int i, int j,
                double sign) {
  const std::vector<bool> used = classes_of_cells(*d.mesh);
  const auto region = std::find(used.begin(), used.end(), true) - used.begin();
  std::vector<double> values(linearised.symbols.size());
  for (std::size_t s = 0; s < values.size(); ++s) {
    const Symbol &symbol = linearised.symbols[s];
    switch (symbol.kind) {
    case SymbolKind::direction_gradient:
      values[s] = symbol.component == i && symbol.direction == j   ? 1
                  : symbol.component == j && symbol.direction == i ? sign
                                                                   : 0;
      break;
    case SymbolKind::cell_parameter:
      values[s] = d.cell_table.values[region * d.cell_table.num_entries + symbol.component];
      break;
    case SymbolKind::coordinate:
      values[s] = d.geometry.coordinates[symbol.component];
      break;
    case SymbolKind::auxiliary:
    case SymbolKind::cell_size:
      values[s] = 1;
      break;
    default:
      break;
    }
  }
  std::vector<std::vector<double>> outputs;
  evaluate(
      linearised, 1,
      [&](const Symbol &symbol) {
        const auto found = std::find(linearised.symbols.begin(), linearised.symbols.end(), symbol);
        return std::span<const double>(&values[found - linearised.symbols.begin()], 1);
      },
      outputs);
  double largest = 0;
  for (std::size_t k = d.form.fields.front().components(); k < outputs.size(); ++k)
    largest = std::max(largest, std::abs(outputs[k].front()));
  return largest;
}

} // namespace

bool ignores_rotations(const Discretisation &d) {
  const int dim = d.form.dim;
  if (num_varying_fields(d.form.fields) != 1 || dim < 2 ||
      d.form.fields.front().components() != dim)
    return false;
  const auto cells =
      std::find_if(d.form.integrals.begin(), d.form.integrals.end(),
                   [](const FormIntegral &integral) { return integral.domain == Domain::cells; });
  if (cells == d.form.integrals.end())
    return false;
  for (int i = 0; i < dim; ++i)
    for (int j = i + 1; j < dim; ++j) {
      const double strain = response(d, cells->linearised, i, j, 1);
      const double rotation = response(d, cells->linearised, i, j, -1);
      if (!(strain > 0 && rotation <= rotation_rounding * strain)) // NaN: not known
        return false;
    }
  return true;
}

} // namespace weft
