#include "op/set_up/sampled_integrand.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>

#include "form/graph/hessian_entries.h"
#include "form/weak_form/rates.h"
#include "op/evaluate/point_values.h"

namespace weft {

namespace {

constexpr std::int64_t cells_a_set = 24; // that are looked at
constexpr double rounding = 1e-9;

const FormIntegral *cell_integral(const Form &form) {
  for (const FormIntegral &integral : form.integrals)
    if (integral.domain == Domain::cells)
      return &integral;
  return nullptr;
}

int num_second(const Form &form) {
  const FormIntegral *cells = cell_integral(form);
  return cells && cells->second ? num_hessian_entries(form.dim) : 0;
}

std::vector<IncrementEntry> slots_of(const Form &form) {
  std::vector<IncrementEntry> slots;
  for (int f = 0; f < static_cast<int>(form.fields.size()); ++f) {
    const int components = form.fields[f].components();
    for (int k = 0; k < components; ++k)
      slots.push_back({SymbolKind::direction, f, k, 0});
    for (int k = 0; k < components; ++k)
      for (int i = 0; i < form.dim; ++i)
        slots.push_back({SymbolKind::direction_gradient, f, k, i});
    for (int k = 0; k < components; ++k)
      for (int i = 0; i < num_second(form); ++i)
        slots.push_back({SymbolKind::direction_hessian, f, k, i});
  }
  return slots;
}

// Outputs in the order of slots_of(): those of second derivatives come last in a form.
void sort_by_field(PointwiseFunction &function, const Form &form) {
  const int second = num_second(form);
  int components = 0;
  for (const FieldSpec &field : form.fields)
    components += field.components();
  auto first = function.outputs.begin();
  auto first_second = first + static_cast<std::ptrdiff_t>(components) * (1 + form.dim);
  std::vector<NodeId> sorted;
  for (const FieldSpec &field : form.fields) {
    const std::ptrdiff_t count = field.components();
    sorted.insert(sorted.end(), first, first + count * (1 + form.dim));
    sorted.insert(sorted.end(), first_second, first_second + count * second);
    first += count * (1 + form.dim);
    first_second += count * second;
  }
  function.outputs = std::move(sorted);
}

bool is_symbol(const Symbol &symbol, const IncrementEntry &slot) {
  return symbol.kind == slot.kind && symbol.index == slot.field &&
         symbol.component == slot.component &&
         (slot.kind == SymbolKind::direction || symbol.direction == slot.direction);
}

// [point]: the integrand's matrix, rows and columns as slots.
std::vector<Eigen::MatrixXd> matrices_of(const PointwiseFunction &linearised,
                                         const std::vector<IncrementEntry> &slots,
                                         PointBatch &batch, const PointInputs &inputs,
                                         double shift) {
  const int num_points = batch.num_points();
  const auto size = static_cast<Eigen::Index>(slots.size());
  std::vector<Eigen::MatrixXd> matrices(num_points, Eigen::MatrixXd::Zero(size, size));
  for (Eigen::Index column = 0; column < size; ++column) {
    const std::vector<std::vector<double>> outputs =
        integrand_for(linearised, slots[column], batch, inputs, shift);
    for (Eigen::Index row = 0; row < size; ++row)
      for (int point = 0; point < num_points; ++point)
        matrices[point](row, column) = outputs[row][point];
  }
  return matrices;
}

} // namespace

std::optional<PointwiseFunction> cell_integrand(const Form &form) {
  const FormIntegral *cells = cell_integral(form);
  if (!cells)
    return {};
  PointwiseFunction function = with_shift(cells->linearised, time_orders(form));
  sort_by_field(function, form);
  return function;
}

std::vector<std::vector<double>> integrand_for(const PointwiseFunction &linearised,
                                               const IncrementEntry &entry, PointBatch &batch,
                                               const PointInputs &inputs, double shift) {
  const std::vector<double> ones(batch.num_points(), 1.0), zeros(batch.num_points(), 0.0);
  const std::vector<double> shifts(batch.num_points(), shift);
  std::vector<std::vector<double>> outputs, kept; // values of symbols, until evaluate() is done
  kept.reserve(linearised.symbols.size());
  evaluate(
      linearised, batch.num_points(),
      [&](const Symbol &symbol) -> std::span<const double> {
        if (symbol.kind == SymbolKind::shift)
          return shifts;
        if (is_symbol(symbol, entry))
          return ones;
        switch (symbol.kind) {
        case SymbolKind::direction:
        case SymbolKind::direction_gradient:
        case SymbolKind::direction_hessian:
        case SymbolKind::rate_offset:
        case SymbolKind::rate_offset_gradient:
        case SymbolKind::rate_offset_hessian:
          return zeros;
        default:
          break;
        }
        return kept.emplace_back(batch.values(symbol, inputs));
      },
      outputs);
  return outputs;
}

std::vector<IntegrandBlock> integrand_blocks(const Form &form) {
  std::vector<IntegrandBlock> blocks;
  int first = 0;
  for (const FieldSpec &field : form.fields) {
    const int components = field.components();
    blocks.push_back(
        {first, first + components, first + components * (1 + form.dim + num_second(form))});
    first = blocks.back().end;
  }
  return blocks;
}

namespace {

// At equal distances.
std::int64_t chosen_number(std::int64_t i, std::int64_t num_cells) {
  return i * num_cells / std::min(num_cells, cells_a_set);
}

// Of a set; where fields are in some regions only, of each region by itself.
std::vector<std::int32_t> chosen_cells(const Discretisation &d, std::size_t set) {
  const std::vector<std::int32_t> &region = d.mesh->sets[set].region;
  const auto num_cells = static_cast<std::int64_t>(region.size());
  std::vector<std::int32_t> chosen;
  if (!has_regions(d.form.fields, d.form.auxiliary)) {
    for (std::int64_t i = 0; i < std::min(num_cells, cells_a_set); ++i)
      chosen.push_back(static_cast<std::int32_t>(chosen_number(i, num_cells)));
    return chosen;
  }
  std::map<std::int32_t, std::vector<std::int32_t>> by_region;
  for (std::int32_t c = 0; c < num_cells; ++c)
    by_region[region[c]].push_back(c);
  for (const auto &[of_region, cells] : by_region) {
    const auto count = static_cast<std::int64_t>(cells.size());
    for (std::int64_t i = 0; i < std::min(count, cells_a_set); ++i)
      chosen.push_back(cells[chosen_number(i, count)]);
  }
  return chosen;
}

// Its points are those that samples are taken at.
PointTable sample_table(const Discretisation &d, std::size_t set) {
  return make_cell_table(d, static_cast<int>(set), 1);
}

} // namespace

std::vector<SampledCell> sampled_cells(const Discretisation &d) {
  std::vector<SampledCell> cells;
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const std::vector<std::int32_t> chosen = chosen_cells(d, s);
    const int points = chosen.empty() ? 0 : sample_table(d, s).num_points;
    for (const std::int32_t cell : chosen)
      cells.insert(cells.end(), points, {static_cast<int>(s), cell});
  }
  return cells;
}

std::vector<Eigen::MatrixXd> sampled_integrand(const Discretisation &d,
                                               const std::vector<double> &state, double shift) {
  std::vector<Eigen::MatrixXd> all;
  const std::optional<PointwiseFunction> linearised = cell_integrand(d.form);
  if (!linearised)
    return all;
  const std::vector<IncrementEntry> slots = slots_of(d.form);
  const PointInputs inputs{.state = &state, .cell_table = &d.cell_table};
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const std::vector<std::int32_t> chosen = chosen_cells(d, s);
    if (chosen.empty())
      continue;
    const PointTable table = sample_table(d, s);
    PointBatch batch(d, table, chosen);
    const std::vector<Eigen::MatrixXd> matrices =
        matrices_of(*linearised, slots, batch, inputs, shift);
    all.insert(all.end(), matrices.begin(), matrices.end());
  }
  return all;
}

bool is_symmetric(const Eigen::MatrixXd &matrix) {
  return (matrix - matrix.transpose()).cwiseAbs().maxCoeff() <=
         rounding * matrix.cwiseAbs().maxCoeff(); // false for NaN
}

bool is_semidefinite(const Eigen::MatrixXd &matrix) {
  if (!matrix.allFinite())
    return false;
  const Eigen::VectorXd largest = matrix.cwiseAbs().rowwise().maxCoeff();
  Eigen::VectorXd scale(matrix.rows());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const double entry = std::abs(matrix(i, i)) > 0 ? std::abs(matrix(i, i)) : largest[i];
    scale[i] = entry > 0 ? 1 / std::sqrt(entry) : 1;
  }
  const Eigen::MatrixXd scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                     0.5 * (scaled + scaled.transpose()), Eigen::EigenvaluesOnly)
                                     .eigenvalues();
  return values.minCoeff() >= -rounding * std::max(1.0, values.cwiseAbs().maxCoeff());
}

} // namespace weft
