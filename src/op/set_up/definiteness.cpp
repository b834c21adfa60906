#include "op/set_up/definiteness.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "op/evaluate/point_values.h"

namespace weft {

namespace {

constexpr std::int64_t cells_a_set = 24; // that are looked at
constexpr double rounding = 1e-9;

// The inputs and outputs of a linearised integrand, in one order: of each field its value's
// components, then its gradient's.
struct Slot {
  SymbolKind kind = SymbolKind::direction;
  int field = 0, component = 0, direction = 0;
};

std::vector<Slot> slots_of(const Form &form) {
  std::vector<Slot> slots;
  for (int f = 0; f < static_cast<int>(form.fields.size()); ++f) {
    const int components = form.fields[f].components();
    for (int k = 0; k < components; ++k)
      slots.push_back({SymbolKind::direction, f, k, 0});
    for (int k = 0; k < components; ++k)
      for (int i = 0; i < form.dim; ++i)
        slots.push_back({SymbolKind::direction_gradient, f, k, i});
  }
  return slots;
}

bool is_symbol(const Symbol &symbol, const Slot &slot) {
  return symbol.kind == slot.kind && symbol.index == slot.field &&
         symbol.component == slot.component &&
         (slot.kind == SymbolKind::direction || symbol.direction == slot.direction);
}

// [point]: the integrand's matrix, rows and columns as slots.
std::vector<Eigen::MatrixXd> matrices_of(const PointwiseFunction &linearised,
                                         const std::vector<Slot> &slots, PointBatch &batch,
                                         const PointInputs &inputs) {
  const int num_points = batch.num_points();
  const auto size = static_cast<Eigen::Index>(slots.size());
  std::vector<Eigen::MatrixXd> matrices(num_points, Eigen::MatrixXd::Zero(size, size));
  const std::vector<double> ones(num_points, 1.0), zeros(num_points, 0.0);
  std::vector<std::vector<double>> outputs;
  for (Eigen::Index column = 0; column < size; ++column) {
    std::vector<std::vector<double>> kept; // values of symbols, until evaluate() is done
    kept.reserve(linearised.symbols.size());
    evaluate(
        linearised, num_points,
        [&](const Symbol &symbol) -> std::span<const double> {
          if (is_symbol(symbol, slots[column]))
            return ones;
          if (symbol.kind == SymbolKind::direction ||
              symbol.kind == SymbolKind::direction_gradient ||
              symbol.kind == SymbolKind::direction_rate)
            return zeros;
          return kept.emplace_back(batch.values(symbol, inputs));
        },
        outputs);
    for (Eigen::Index row = 0; row < size; ++row)
      for (int point = 0; point < num_points; ++point)
        matrices[point](row, column) = outputs[row][point];
  }
  return matrices;
}

// Scaled so that fields of different units weigh alike, which leaves the signs of eigenvalues.
bool is_semidefinite(Eigen::MatrixXd matrix) {
  if (!matrix.allFinite())
    return false;
  const Eigen::VectorXd largest = matrix.cwiseAbs().rowwise().maxCoeff();
  Eigen::VectorXd scale(matrix.rows());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const double entry = std::abs(matrix(i, i)) > 0 ? std::abs(matrix(i, i)) : largest[i];
    scale[i] = entry > 0 ? 1 / std::sqrt(entry) : 1;
  }
  matrix = scale.asDiagonal() * matrix * scale.asDiagonal();
  const Eigen::MatrixXd symmetric = 0.5 * (matrix + matrix.transpose());
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
          .eigenvalues();
  return values.minCoeff() >= -rounding * std::max(1.0, values.cwiseAbs().maxCoeff());
}

} // namespace

bool integrand_is_semidefinite(const Discretisation &d, const std::vector<double> &state) {
  const auto cells =
      std::find_if(d.form.integrals.begin(), d.form.integrals.end(),
                   [](const FormIntegral &integral) { return integral.domain == Domain::cells; });
  if (cells == d.form.integrals.end())
    return false;
  const std::vector<Slot> slots = slots_of(d.form);
  const PointInputs inputs{.state = &state, .cell_table = &d.cell_table};
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const std::int64_t num_cells = d.mesh->sets[s].num_cells();
    std::vector<std::int32_t> chosen;
    for (std::int64_t i = 0; i < std::min(num_cells, cells_a_set); ++i)
      chosen.push_back(static_cast<std::int32_t>(i * num_cells / std::min(num_cells, cells_a_set)));
    if (chosen.empty())
      continue;
    const PointTable table = make_cell_table(d, static_cast<int>(s), 1);
    PointBatch batch(d, table, chosen);
    for (const Eigen::MatrixXd &matrix : matrices_of(cells->linearised, slots, batch, inputs))
      if (!is_semidefinite(matrix))
        return false;
  }
  return true;
}

} // namespace weft
