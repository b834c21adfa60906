#include "op/set_up/field_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "form/graph/hessian_entries.h"
#include "linalg/start_vector.h"
#include "op/evaluate/cell_batches.h"
#include "op/set_up/sampled_integrand.h"

namespace weft {

namespace {

using Matrices = std::vector<Eigen::MatrixXd>;

// Parts of the integrand's matrix. Definiteness is that of the state given; what is there, and
// symmetric, that of states near it as well: a flow that starts from rest convects later.
struct Parts {
  const Matrices &matrices, &nearby;
  const std::vector<IntegrandBlock> &blocks;

  bool any(int row, int num_rows, int column, int num_columns) const {
    const auto has = [&](const Eigen::MatrixXd &m) {
      return (m.block(row, column, num_rows, num_columns).array() != 0).any();
    };
    return std::any_of(matrices.begin(), matrices.end(), has) ||
           std::any_of(nearby.begin(), nearby.end(), has);
  }
  bool is_symmetric_block(int field) const {
    const IntegrandBlock &f = blocks[field];
    const int size = f.end - f.value;
    return std::all_of(nearby.begin(), nearby.end(), [&](const Eigen::MatrixXd &m) {
      return is_symmetric(m.block(f.value, f.value, size, size));
    });
  }
  bool couples(int field, int other) const {
    const IntegrandBlock &f = blocks[field], &o = blocks[other];
    return any(f.value, f.end - f.value, o.value, o.end - o.value);
  }
  // The equation of `field`, tested by values, has gradients of `other`, and the other way round.
  bool constrains(int field, int other) const {
    const IntegrandBlock &f = blocks[field], &o = blocks[other];
    return any(f.value, f.gradient - f.value, o.gradient, o.end - o.gradient) &&
           any(o.gradient, o.end - o.gradient, f.value, f.gradient - f.value);
  }
  bool has_gradients(int field, int other) const {
    const IntegrandBlock &f = blocks[field], &o = blocks[other];
    return any(f.gradient, f.end - f.gradient, o.value, o.end - o.value) ||
           any(f.value, f.end - f.value, o.gradient, o.end - o.gradient);
  }
  // The field's own block, with that sign, is symmetric and positive semi-definite.
  bool is_semidefinite_block(int field, double sign) const {
    const IntegrandBlock &f = blocks[field];
    return std::all_of(matrices.begin(), matrices.end(), [&](const Eigen::MatrixXd &m) {
      const Eigen::MatrixXd own =
          sign * m.block(f.value, f.value, f.end - f.value, f.end - f.value);
      return own.allFinite() && is_symmetric(own) && is_semidefinite(own);
    });
  }
  // Terms of the field's own block but those with gradients on both sides.
  bool has_own_values(int field) const {
    const IntegrandBlock &f = blocks[field];
    return any(f.value, f.gradient - f.value, f.value, f.end - f.value) ||
           any(f.gradient, f.end - f.gradient, f.value, f.gradient - f.value);
  }
  // The symmetric part of these rows and columns has no negative direction.
  bool is_semidefinite_in(int begin, int end) const {
    return std::all_of(matrices.begin(), matrices.end(), [&](const Eigen::MatrixXd &m) {
      return m.allFinite() && is_semidefinite(m.block(begin, begin, end - begin, end - begin));
    });
  }
  // The part with gradients on both sides is symmetric and positive semi-definite.
  bool is_semidefinite_in_gradients(int field) const {
    const IntegrandBlock &f = blocks[field];
    const int size = f.end - f.gradient;
    return is_semidefinite_in(f.gradient, f.end) &&
           std::all_of(matrices.begin(), matrices.end(), [&](const Eigen::MatrixXd &m) {
             return is_symmetric(m.block(f.gradient, f.gradient, size, size));
           });
  }
  bool has_own_gradients(int field) const {
    const IntegrandBlock &f = blocks[field];
    return any(f.gradient, f.end - f.gradient, f.gradient, f.end - f.gradient);
  }
};

bool sees_no_turns(const Parts &parts, const Form &form, int field) {
  const int dim = form.dim;
  if (dim < 2 || form.fields[field].components() != dim)
    return false;
  const int first = parts.blocks[field].gradient;
  bool any = false;
  return std::all_of(
             parts.matrices.begin(), parts.matrices.end(),
             [&](const Eigen::MatrixXd &m) {
               const auto own = m.block(first, first, dim * dim, dim * dim);
               const double size = own.cwiseAbs().maxCoeff();
               for (int i = 0; i < dim; ++i)
                 for (int j = i + 1; j < dim; ++j)
                   if (!((own.col(i * dim + j) - own.col(j * dim + i)).cwiseAbs().maxCoeff() <=
                         1e-10 * size))
                     return false;
               any = any || size > 0; // not where the field is not
               return true;
             }) &&
         any;
}

// Which fields' increments an integral over facets reads, and which equations it is in.
void add_facet_couplings(const Form &form, FieldBlocks &blocks) {
  for (const FormIntegral &integral : form.integrals) {
    if (integral.domain == Domain::cells)
      continue;
    int output = 0;
    const int sides = integral.domain == Domain::interior ? 2 : 1;
    const auto add = [&](std::size_t f, int entries) {
      const int end = output + form.fields[f].components() * entries;
      bool any = false;
      for (; output < end; ++output)
        any = any || !integral.linearised.output_is_zero(output);
      for (std::size_t o = 0; any && o < form.fields.size(); ++o)
        for (const SymbolKind kind :
             {SymbolKind::direction, SymbolKind::direction_gradient, SymbolKind::direction_hessian})
          if (integral.linearised.uses(kind, static_cast<int>(o)))
            blocks.couples[f][o] = true;
    };
    for (std::size_t i = 0; i < sides * form.fields.size(); ++i)
      add(i % form.fields.size(), 1 + form.dim);
    for (std::size_t i = 0; integral.second && i < sides * form.fields.size(); ++i)
      add(i % form.fields.size(), num_hessian_entries(form.dim));
  }
}

// Each field after those that its equation has, constraints before what they constrain.
std::vector<int> solving_order(const FieldBlocks &blocks) {
  const int count = static_cast<int>(blocks.kinds.size());
  std::vector<int> order, left(count);
  std::iota(left.begin(), left.end(), 0);
  const auto waits = [&](int field) {
    return std::any_of(left.begin(), left.end(), [&](int other) {
      return other != field && blocks.couples[field][other] && blocks.constrained[field] != other;
    });
  };
  while (!left.empty()) {
    auto next = std::find_if_not(left.begin(), left.end(), waits);
    if (next == left.end()) // a circle: constraints first
      next = std::find_if(left.begin(), left.end(),
                          [&](int field) { return blocks.kinds[field] == FieldKind::constraint; });
    if (next == left.end())
      next = left.begin();
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

FieldKind kind_of(const Parts &parts, const Form &form, int field, FieldBlocks &found) {
  if (form.fields[field].whole_domain)
    return FieldKind::border;
  if (parts.has_own_gradients(field) && parts.is_semidefinite_block(field, 1) &&
      parts.is_symmetric_block(field))
    return FieldKind::elliptic;
  if (parts.has_own_gradients(field) && parts.is_semidefinite_in_gradients(field))
    return FieldKind::transported;
  std::vector<int> others;
  for (int other = 0; other < static_cast<int>(form.fields.size()); ++other)
    if (other != field && !form.fields[other].whole_domain &&
        (parts.couples(field, other) || parts.couples(other, field)))
      others.push_back(other);
  if (form.fields[field].components() == 1 && parts.is_semidefinite_block(field, -1)) {
    std::erase_if(others, [&](int other) { return !parts.constrains(field, other); });
    if (others.size() != 1 || !parts.has_own_gradients(others.front()))
      return FieldKind::other;
    const bool commutes = parts.has_own_values(others.front());
    if (commutes && parts.couples(field, field)) // the commutator knows no block of its own
      return FieldKind::other;
    found.constrained[field] = others.front();
    found.commutes[field] = commutes;
    return FieldKind::constraint;
  }
  const bool is_mass =
      parts.has_own_values(field) && !parts.has_own_gradients(field) &&
      parts.is_semidefinite_block(field, 1) &&
      std::none_of(others.begin(), others.end(), [&](int other) {
        return parts.has_gradients(field, other) || parts.has_gradients(other, field);
      });
  return is_mass ? FieldKind::mass : FieldKind::other;
}

// The integrand at a state that nothing is special about; empty where it is not finite there.
Matrices integrand_nearby(const Discretisation &d, std::vector<double> state) {
  constexpr double share = 0.01; // of a field's largest value, or of 1
  const std::vector<double> noise = start_vector(static_cast<std::int64_t>(state.size()), 1);
  for (std::size_t f = 0; f < d.field_offset.size(); ++f) {
    const auto begin = static_cast<std::size_t>(d.field_offset[f]);
    const std::size_t end = f + 1 < d.field_offset.size()
                                ? static_cast<std::size_t>(d.field_offset[f + 1])
                                : state.size();
    double largest = 0;
    for (std::size_t i = begin; i < end; ++i)
      largest = std::max(largest, std::abs(state[i]));
    for (std::size_t i = begin; i < end; ++i)
      state[i] += share * (largest > 0 ? largest : 1) * noise[i];
  }
  Matrices matrices = sampled_integrand(d, state);
  if (!std::all_of(matrices.begin(), matrices.end(),
                   [](const Eigen::MatrixXd &m) { return m.allFinite(); }))
    matrices.clear();
  return matrices;
}

} // namespace

bool FieldBlocks::solvable() const {
  for (std::size_t f = 0; f < kinds.size(); ++f)
    if (kinds[f] == FieldKind::other ||
        (kinds[f] == FieldKind::constraint && kinds[constrained[f]] != FieldKind::elliptic &&
         kinds[constrained[f]] != FieldKind::transported))
      return false;
  return !kinds.empty();
}

bool FieldBlocks::definite() const {
  for (std::size_t f = 0; f < kinds.size(); ++f)
    if (kinds[f] == FieldKind::transported || kinds[f] == FieldKind::border || commutes[f])
      return false;
  return solvable();
}

FieldBlocks find_field_blocks(const Discretisation &d, const std::vector<double> &state) {
  const int count = static_cast<int>(d.form.fields.size());
  FieldBlocks found{.kinds = std::vector<FieldKind>(count, FieldKind::other),
                    .ignores_rotations = std::vector<bool>(count, false),
                    .couples = std::vector(count, std::vector<bool>(count, true)),
                    .constrained = std::vector<int>(count, -1),
                    .commutes = std::vector<bool>(count, false),
                    .damped = std::vector<bool>(count, false)};
  const Matrices matrices = sampled_integrand(d, state);
  if (!matrices.empty()) {
    const std::vector<IntegrandBlock> blocks = integrand_blocks(d.form);
    const Matrices nearby = integrand_nearby(d, state);
    const Parts parts{matrices, nearby, blocks};
    for (int f = 0; f < count; ++f) {
      found.kinds[f] = kind_of(parts, d.form, f, found);
      found.damped[f] = parts.is_semidefinite_in(blocks[f].value, blocks[f].gradient);
      found.ignores_rotations[f] = sees_no_turns(parts, d.form, f);
      for (int other = 0; other < count; ++other)
        found.couples[f][other] = parts.couples(f, other);
    }
    add_facet_couplings(d.form, found);
  }
  found.order = solving_order(found);
  return found;
}

HostMatrix constraint_mass(const Discretisation &d, const std::vector<double> &state,
                           int constraint, int constrained, const HostMatrix &pattern) {
  const PointwiseFunction linearised = *cell_integrand(d.form);
  const std::vector<IntegrandBlock> blocks = integrand_blocks(d.form);
  const IntegrandBlock &p = blocks[constraint], &u = blocks[constrained];
  const PointInputs inputs{.state = &state, .cell_table = &d.cell_table};
  HostMatrix mass = pattern;
  std::fill(mass.values.begin(), mass.values.end(), 0.);
  const int degree = 2 * d.form.fields[constraint].order;
  for_each_cell_batch(d, constraint, degree, [&](PointBatch &batch, const NodeMapSet &nodes) {
    const int num_points = batch.table().num_points, n = nodes.element.num_nodes();
    const Tabulation &basis = batch.table().maps[d.field_map[constraint]];
    const auto by_pressure =
        integrand_for(linearised, {SymbolKind::direction, constraint, 0, 0}, batch, inputs);
    const auto by_stretch = integrand_for(
        linearised, {SymbolKind::direction_gradient, constrained, 0, 0}, batch, inputs);
    for (std::size_t c = 0; c < batch.cells().size(); ++c)
      for (int q = 0; q < num_points; ++q) {
        const std::size_t at = c * num_points + q;
        const double mu = std::abs(by_stretch[u.gradient][at]);
        const double coupling = by_pressure[u.gradient][at] * by_stretch[p.value][at];
        const double weight = (mu > 0 ? std::abs(coupling) / mu : std::abs(coupling)) +
                              std::abs(by_pressure[p.value][at]);
        for (int i = 0; i < n; ++i) {
          const std::int32_t row = nodes.nodes[std::int64_t{batch.cells()[c]} * n + i];
          for (int j = 0; j < n; ++j) {
            const std::int32_t column = nodes.nodes[std::int64_t{batch.cells()[c]} * n + j];
            const auto begin = mass.columns.begin() + mass.row_start[row],
                       end = mass.columns.begin() + mass.row_start[row + 1];
            const auto found = std::lower_bound(begin, end, column);
            mass.values[found - mass.columns.begin()] +=
                batch.measure()[at] * weight * basis.phi[q * n + i] * basis.phi[q * n + j];
          }
        }
      }
  });
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(mass.row_start.size()) - 1; ++row) {
    const auto begin = mass.columns.begin() + mass.row_start[row],
               end = mass.columns.begin() + mass.row_start[row + 1];
    const auto diagonal = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
    double &value = mass.values[diagonal - mass.columns.begin()];
    if (diagonal != end && value == 0) // no cell has the field there
      value = 1;
  }
  return mass;
}

} // namespace weft
