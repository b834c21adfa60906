#include "op/evaluate/point_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "form/graph/hessian_entries.h"
#include "form/weak_form/rates.h"

namespace weft {

namespace {

Tabulation tabulate(const Element &element, const std::vector<double> &points) {
  Tabulation t{.num_nodes = element.num_nodes()};
  element.tabulate(points, t.phi, t.dphi);
  return t;
}

// Inverse of a dim x dim matrix [d * dim + e]; returns the determinant.
double invert(int dim, const double *m, double *inverse) {
  if (dim == 2) {
    const double det = m[0] * m[3] - m[1] * m[2];
    inverse[0] = m[3] / det;
    inverse[1] = -m[1] / det;
    inverse[2] = -m[2] / det;
    inverse[3] = m[0] / det;
    return det;
  }
  const auto cofactor = [&](int r, int c) {
    const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
  };
  const double det = m[0] * cofactor(0, 0) + m[1] * cofactor(0, 1) + m[2] * cofactor(0, 2);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      inverse[3 * c + r] = cofactor(r, c) / det;
  return det;
}

// Of J t, with a tangent t in the reference cell.
double length_along(int dim, const double *jacobian, const double *t) {
  double square = 0;
  for (int d = 0; d < dim; ++d) {
    double along = 0;
    for (int e = 0; e < dim; ++e)
      along += jacobian[d * dim + e] * t[e];
    square += along * along;
  }
  return std::sqrt(square);
}

bool straight_simplex(CellType cell, int geometry_order) {
  return geometry_order == 1 && (cell == CellType::triangle || cell == CellType::tetrahedron);
}

} // namespace

PointTable make_point_table(const Discretisation &d, int set, const std::vector<double> &points) {
  PointTable table{.set = set,
                   .num_points = static_cast<int>(points.size()) / d.mesh->dim,
                   .points = points,
                   .part_dim = d.mesh->dim,
                   .geometry = tabulate(d.geometry.sets[set].element, points)};
  for (const auto &map : d.maps)
    table.maps.push_back(tabulate(map.sets[set].element, points));
  return table;
}

PointTable make_cell_table(const Discretisation &d, int set, int degree, LinePoints points) {
  const Quadrature rule = make_quadrature(d.mesh->sets[set].type, degree, points);
  PointTable table = make_point_table(d, set, rule.points);
  table.weights = rule.weights;
  return table;
}

PointTable make_facet_table(const Discretisation &d, int set, int facet, int degree,
                            LinePoints points) {
  return make_part_table(d, set, Domain::facets, facet, degree, points);
}

PointTable make_part_table(const Discretisation &d, int set, Domain domain, int local, int degree,
                           LinePoints points) {
  const FacetQuadrature rule =
      make_part_quadrature(d.mesh->sets[set].type, domain, local, degree, points);
  PointTable table = make_point_table(d, set, rule.points.points);
  table.weights = rule.points.weights;
  table.tangents = rule.tangents;
  table.part_dim = static_cast<int>(rule.tangents.size()) / d.mesh->dim;
  return table;
}

PointTable make_form_table(const Discretisation &d, int set) {
  return make_cell_table(d, set, d.cell_degree, d.line_points);
}

PointTable make_form_facet_table(const Discretisation &d, int set, int facet) {
  return make_facet_table(d, set, facet, d.facet_degree, d.line_points);
}

PointTable make_form_part_table(const Discretisation &d, int set, Domain domain, int local) {
  return make_part_table(d, set, domain, local, d.facet_degree, d.line_points);
}

PointTable make_opposite_table(const Discretisation &d, const InteriorGroup &group) {
  return make_point_table(d, group.plus_set,
                          plus_points(*d.mesh, group, d.facet_degree, d.line_points));
}

PointTable make_part_node_table(const Discretisation &d, int set, Domain domain, int local,
                                const Element &element) {
  const int dim = d.mesh->dim;
  std::vector<double> points;
  for (const int i : nodes_on_part(element, domain, local))
    points.insert(points.end(), &element.nodes[i * dim], &element.nodes[i * dim] + dim);
  PointTable table = make_point_table(d, set, points);
  table.tangents = make_part_quadrature(element.cell, domain, local, 0).tangents;
  table.part_dim = static_cast<int>(table.tangents.size()) / dim;
  return table;
}

// Where values at nodes come from: a vector of dofs, or one basis function.
struct PointBatch::Source {
  int map = 0;
  int components = 1;
  const double *values = nullptr; // of component 0 at node 0; null: see unit_node
  int unit_node = -1;             // >= 0: this basis function; with values null and -1: zero
};

PointBatch::PointBatch(const Discretisation &d, const PointTable &table,
                       std::span<const std::int32_t> cells)
    : d_(d), table_(table), cells_(cells), dim_(d.mesh->dim) {}

// The shift that a time derivative of a field has.
double PointBatch::shift_of(const Symbol &rate, const Rate &rates) const {
  if (rate.order == 2)
    return rates.acceleration_shift;
  return time_orders(d_.form)[rate.index] == 2 ? rates.velocity_shift : rates.shift;
}

const PointBatch::Geometry &PointBatch::geometry() const {
  if (!geometry_) {
    const std::vector<double> array(num_points());
    geometry_.emplace();
    geometry_->coordinates.assign(dim_, array);
    geometry_->inverse.assign(dim_ * dim_, array);
    geometry_->measure = array;
    if (table_.part_dim == dim_ - 1)
      geometry_->normal.assign(dim_, array);
    set_geometry(*geometry_);
  }
  return *geometry_;
}

void PointBatch::set_geometry(Geometry &result) const {
  const NodeMapSet &geometry = d_.geometry.sets[table_.set];
  const int n = table_.geometry.num_nodes;
  const bool affine = straight_simplex(geometry.element.cell, d_.geometry.order);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const std::int32_t *nodes = &geometry.nodes[std::int64_t(cells_[c]) * n];
    double jacobian[9]; // [d * dim + e]: derivative of x_d with respect to reference coordinate e
    for (int q = 0; q < table_.num_points; ++q) {
      const int at = static_cast<int>(c) * table_.num_points + q;
      const double *phi = &table_.geometry.phi[q * n];
      const double *dphi = &table_.geometry.dphi[q * n * dim_];
      double position[3] = {0, 0, 0};
      const bool reuse = affine && q > 0;
      if (!reuse)
        std::fill_n(jacobian, 9, 0.0);
      for (int g = 0; g < n; ++g) {
        const double *x = &d_.geometry.coordinates[std::int64_t(nodes[g]) * dim_];
        for (int d = 0; d < dim_; ++d) {
          position[d] += phi[g] * x[d];
          for (int e = 0; !reuse && e < dim_; ++e)
            jacobian[d * dim_ + e] += dphi[g * dim_ + e] * x[d];
        }
      }
      for (int d = 0; d < dim_; ++d)
        result.coordinates[d][at] = position[d];
      set_point(result, at, jacobian, q);
    }
  }
}

// Inverse, measure and normal at a point. A facet with tangents t_a in the reference cell has the
// normal det J^-T (t_0 x t_1), whose length is the facet's area element.
void PointBatch::set_point(Geometry &geometry, int at, const double *jacobian, int q) const {
  double inverse[9];
  const double det = invert(dim_, jacobian, inverse);
  for (int k = 0; k < dim_ * dim_; ++k)
    geometry.inverse[k][at] = inverse[k];
  const double weight = table_.weights.empty() ? 0.0 : table_.weights[q];
  const double *t = table_.tangents.data();
  if (table_.part_dim != dim_ - 1) {
    geometry.measure[at] = weight * (table_.part_dim == dim_ ? det
                                     : table_.part_dim == 0  ? 1
                                                             : length_along(dim_, jacobian, t));
    return;
  }
  double reference[3] = {t[1], -t[0], 0};
  if (dim_ == 3)
    for (int e = 0; e < 3; ++e)
      reference[e] = t[(e + 1) % 3] * t[3 + (e + 2) % 3] - t[(e + 2) % 3] * t[3 + (e + 1) % 3];
  double normal[3] = {0, 0, 0}, square = 0;
  for (int d = 0; d < dim_; ++d) {
    for (int e = 0; e < dim_; ++e)
      normal[d] += det * inverse[e * dim_ + d] * reference[e];
    square += normal[d] * normal[d];
  }
  const double area = std::sqrt(square);
  geometry.measure[at] = weight * area;
  for (int d = 0; d < dim_; ++d)
    geometry.normal[d][at] = normal[d] / area;
}

PointBatch::Source PointBatch::source_of(const Symbol &symbol, const PointInputs &inputs) const {
  const int k = symbol.component;
  if (symbol.kind == SymbolKind::auxiliary || symbol.kind == SymbolKind::auxiliary_gradient ||
      symbol.kind == SymbolKind::auxiliary_hessian) {
    const AuxiliaryField &field = d_.auxiliary[symbol.index];
    return {field.map, field.components, field.values.data() + k, -1};
  }
  const bool direction = symbol.kind == SymbolKind::direction ||
                         symbol.kind == SymbolKind::direction_gradient ||
                         symbol.kind == SymbolKind::direction_hessian;
  Source source{d_.field_map[symbol.index], d_.form.fields[symbol.index].components(), nullptr, -1};
  const std::vector<double> *dofs = direction ? inputs.direction : inputs.state;
  if (dofs)
    source.values = dofs->data() + d_.field_offset[symbol.index] + k;
  const UnitDirection *unit = direction ? inputs.unit_direction : nullptr;
  if (unit && unit->field == symbol.index && unit->component == k && unit->side == symbol.side)
    source.unit_node = unit->node;
  return source;
}

std::vector<double> PointBatch::nodal(const Symbol &symbol, const PointInputs &inputs) const {
  const Source source = source_of(symbol, inputs);
  const Tabulation &t = table_.maps[source.map];
  const int n = t.num_nodes, num_q = table_.num_points;
  std::vector<double> result(num_points(), 0.0);
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    double *out = &result[c * num_q];
    if (source.unit_node >= 0)
      for (int q = 0; q < num_q; ++q)
        out[q] = t.phi[q * n + source.unit_node];
    if (!source.values)
      continue;
    const std::int32_t *nodes =
        &d_.maps[source.map].sets[table_.set].nodes[std::int64_t(cells_[c]) * n];
    for (int i = 0; i < n; ++i) {
      const double value = source.values[std::int64_t(nodes[i]) * source.components];
      for (int q = 0; q < num_q; ++q)
        out[q] += t.phi[q * n + i] * value;
    }
  }
  return result;
}

namespace {

// What a time derivative is taken of.
SymbolKind kind_without_rate(SymbolKind rate) {
  switch (rate) {
  case SymbolKind::field_rate_gradient:
    return SymbolKind::field_gradient;
  case SymbolKind::field_rate_hessian:
    return SymbolKind::field_hessian;
  case SymbolKind::direction_rate:
    return SymbolKind::direction;
  case SymbolKind::direction_rate_gradient:
    return SymbolKind::direction_gradient;
  case SymbolKind::direction_rate_hessian:
    return SymbolKind::direction_hessian;
  default:
    return SymbolKind::field;
  }
}

} // namespace

// shift * u + offset, or shift * direction; or their gradients or second derivatives.
std::vector<double> PointBatch::rate(const Symbol &symbol, const PointInputs &inputs) {
  const bool of_direction = symbol.kind == SymbolKind::direction_rate ||
                            symbol.kind == SymbolKind::direction_rate_gradient ||
                            symbol.kind == SymbolKind::direction_rate_hessian;
  const Rate &rate = inputs.rate;
  const double shift = shift_of(symbol, rate);
  Symbol without = symbol;
  without.order = 0;
  without.kind = kind_without_rate(symbol.kind);
  const auto value = [&](const PointInputs &of) {
    switch (without.kind) {
    case SymbolKind::field_gradient:
    case SymbolKind::direction_gradient:
      return gradients(without, of)[symbol.direction];
    case SymbolKind::field_hessian:
    case SymbolKind::direction_hessian:
      return hessians(without, of)[symbol.direction];
    default:
      return nodal(without, of);
    }
  };
  if (inputs.of_results) {
    if (d_.rates.size() < static_cast<std::size_t>(symbol.order))
      return std::vector<double>(num_points(), std::numeric_limits<double>::quiet_NaN());
    return value({.state = &d_.rates[symbol.order - 1]});
  }
  std::vector<double> result = value(inputs);
  for (double &entry : result)
    entry *= shift;
  const std::vector<double> *known = symbol.order == 2 ? rate.second_offset : rate.offset;
  if (of_direction || !known)
    return result;
  const std::vector<double> offset = value({.state = known});
  for (std::size_t at = 0; at < result.size(); ++at)
    result[at] += offset[at];
  return result;
}

std::vector<double> PointBatch::gradient(const Symbol &symbol, const PointInputs &inputs) {
  const FieldKey key{symbol.kind, symbol.index, symbol.component};
  auto &kept = gradients_[key];
  if (kept.empty())
    kept = gradients(symbol, inputs);
  return kept[symbol.direction];
}

// [direction][cell, point]
std::vector<std::vector<double>> PointBatch::gradients(const Symbol &symbol,
                                                       const PointInputs &inputs) {
  std::vector<std::vector<double>> result(dim_, std::vector<double>(num_points(), 0.0));
  const std::vector<std::vector<double>> &inverse = geometry().inverse;
  const Source source = source_of(symbol, inputs);
  const Tabulation &t = table_.maps[source.map];
  const int n = t.num_nodes, num_q = table_.num_points;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const std::int32_t *nodes =
        &d_.maps[source.map].sets[table_.set].nodes[std::int64_t(cells_[c]) * n];
    for (int q = 0; q < num_q; ++q) {
      const std::size_t at = c * num_q + q;
      const double *dphi = &t.dphi[q * n * dim_];
      double reference[3] = {0, 0, 0};
      for (int i = 0; i < n; ++i) {
        const double value = source.values
                                 ? source.values[std::int64_t(nodes[i]) * source.components]
                                 : (i == source.unit_node ? 1.0 : 0.0);
        for (int e = 0; e < dim_; ++e)
          reference[e] += dphi[i * dim_ + e] * value;
      }
      for (int d = 0; d < dim_; ++d)
        for (int e = 0; e < dim_; ++e)
          result[d][at] += inverse[e * dim_ + d][at] * reference[e];
    }
  }
  return result;
}

const std::vector<double> &PointBatch::reference_hessians(int map) const {
  std::vector<double> &known = reference_hessians_[map];
  if (known.empty())
    known = (map < 0 ? d_.geometry : d_.maps[map])
                .sets[table_.set]
                .element.tabulate_hessians(table_.points);
  return known;
}

std::array<double, 27> PointBatch::map_hessian(std::size_t cell, int point) const {
  std::array<double, 27> result{};
  const NodeMapSet &set = d_.geometry.sets[table_.set];
  const int n = table_.geometry.num_nodes, entries = dim_ * dim_;
  const std::int32_t *nodes = &set.nodes[std::int64_t(cells_[cell]) * n];
  const double *hessians = &reference_hessians(-1)[std::size_t(point) * n * entries];
  for (int g = 0; g < n; ++g)
    for (int m = 0; m < dim_; ++m)
      for (int entry = 0; entry < entries; ++entry)
        result[m * entries + entry] += hessians[g * entries + entry] *
                                       d_.geometry.coordinates[std::int64_t(nodes[g]) * dim_ + m];
  return result;
}

// K^T (reference Hessian - sum_m g_m X_m) K with K = d xi / d x, the gradient g = K^T (reference
// gradient) and X_m the map's second derivatives of x_m.
std::array<double, 6> PointBatch::hessian_by_place(const ReferenceJet &jet, std::size_t cell,
                                                   int point,
                                                   const std::array<double, 27> &of_map) const {
  const std::size_t at = cell * table_.num_points + point;
  double inverse[9], bare[9];
  for (int k = 0; k < dim_ * dim_; ++k) {
    inverse[k] = geometry().inverse[k][at];
    bare[k] = jet.hessian[k];
  }
  for (int m = 0; m < dim_; ++m) {
    double slope = 0;
    for (int e = 0; e < dim_; ++e)
      slope += inverse[e * dim_ + m] * jet.gradient[e];
    for (int k = 0; k < dim_ * dim_; ++k)
      bare[k] -= slope * of_map[m * dim_ * dim_ + k];
  }
  std::array<double, 6> result{};
  for (int entry = 0; entry < num_hessian_entries(dim_); ++entry) {
    const auto [a, b] = hessian_directions(dim_, entry);
    for (int e = 0; e < dim_; ++e)
      for (int e2 = 0; e2 < dim_; ++e2)
        result[entry] += inverse[e * dim_ + a] * bare[e * dim_ + e2] * inverse[e2 * dim_ + b];
  }
  return result;
}

std::vector<double> PointBatch::basis_hessians(int map, std::size_t cell, int point) const {
  const Tabulation &t = table_.maps[map];
  const std::vector<double> &hessians = reference_hessians(map);
  const std::array<double, 27> of_map = map_hessian(cell, point);
  std::vector<double> result;
  for (int i = 0; i < t.num_nodes; ++i) {
    const std::size_t at = std::size_t(point) * t.num_nodes + i;
    ReferenceJet jet;
    std::copy_n(&t.dphi[at * dim_], dim_, jet.gradient);
    std::copy_n(&hessians[at * dim_ * dim_], dim_ * dim_, jet.hessian);
    const std::array<double, 6> by_place = hessian_by_place(jet, cell, point, of_map);
    result.insert(result.end(), by_place.begin(), by_place.begin() + num_hessian_entries(dim_));
  }
  return result;
}

// [entry][cell, point]
std::vector<std::vector<double>> PointBatch::hessians(const Symbol &symbol,
                                                      const PointInputs &inputs) const {
  std::vector<std::vector<double>> result(num_hessian_entries(dim_),
                                          std::vector<double>(num_points(), 0.0));
  const Source source = source_of(symbol, inputs);
  const Tabulation &t = table_.maps[source.map];
  const std::vector<double> &hessians = reference_hessians(source.map);
  const int n = t.num_nodes, num_q = table_.num_points;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const std::int32_t *nodes =
        &d_.maps[source.map].sets[table_.set].nodes[std::int64_t(cells_[c]) * n];
    for (int q = 0; q < num_q; ++q) {
      ReferenceJet jet;
      for (int i = 0; i < n; ++i) {
        const double value = source.values
                                 ? source.values[std::int64_t(nodes[i]) * source.components]
                                 : (i == source.unit_node ? 1.0 : 0.0);
        const std::size_t at = std::size_t(q) * n + i;
        for (int e = 0; e < dim_; ++e)
          jet.gradient[e] += t.dphi[at * dim_ + e] * value;
        for (int k = 0; k < dim_ * dim_; ++k)
          jet.hessian[k] += hessians[at * dim_ * dim_ + k] * value;
      }
      const std::array<double, 6> by_place = hessian_by_place(jet, c, q, map_hessian(c, q));
      for (std::size_t entry = 0; entry < result.size(); ++entry)
        result[entry][c * num_q + q] = by_place[entry];
    }
  }
  return result;
}

std::vector<double> PointBatch::hessian(const Symbol &symbol, const PointInputs &inputs) {
  const FieldKey key{symbol.kind, symbol.index, symbol.component};
  auto &kept = hessians_[key];
  if (kept.empty())
    kept = hessians(symbol, inputs);
  return kept[symbol.direction];
}

std::vector<double> PointBatch::constant_in_cell(const Symbol &symbol,
                                                 const PointInputs &inputs) const {
  std::vector<double> result;
  result.reserve(num_points());
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    double value = d_.time;
    if (symbol.kind == SymbolKind::cell_size)
      value = cell_size(d_, table_.set, cells_[c]);
    else if (symbol.kind == SymbolKind::cell_parameter)
      value = inputs.cell_table->values[d_.mesh->sets[table_.set].region[cells_[c]] *
                                            inputs.cell_table->num_entries +
                                        symbol.component];
    else if (symbol.kind == SymbolKind::facet_parameter)
      value = inputs.facet_table->values[inputs.facet_classes[c] * inputs.facet_table->num_entries +
                                         symbol.component];
    result.insert(result.end(), table_.num_points, value);
  }
  return result;
}

std::vector<double> PointBatch::values(const Symbol &symbol, const PointInputs &inputs) {
  switch (symbol.kind) {
  case SymbolKind::field:
  case SymbolKind::direction:
  case SymbolKind::auxiliary:
    return nodal(symbol, inputs);
  case SymbolKind::field_gradient:
  case SymbolKind::direction_gradient:
  case SymbolKind::auxiliary_gradient:
    return gradient(symbol, inputs);
  case SymbolKind::field_hessian:
  case SymbolKind::direction_hessian:
  case SymbolKind::auxiliary_hessian:
    return hessian(symbol, inputs);
  case SymbolKind::coordinate:
    return coordinate(symbol.component);
  case SymbolKind::normal:
    require(!table_.tangents.empty(), "normals are asked for on facets only");
    return normal(symbol.component);
  case SymbolKind::field_rate:
  case SymbolKind::field_rate_gradient:
  case SymbolKind::field_rate_hessian:
  case SymbolKind::direction_rate:
  case SymbolKind::direction_rate_gradient:
  case SymbolKind::direction_rate_hessian:
    return rate(symbol, inputs);
  case SymbolKind::time:
  case SymbolKind::cell_size:
  case SymbolKind::cell_parameter:
  case SymbolKind::facet_parameter:
    return constant_in_cell(symbol, inputs);
  case SymbolKind::rate_offset: // of kernels
  case SymbolKind::rate_offset_gradient:
  case SymbolKind::rate_offset_hessian:
  case SymbolKind::inverse_jacobian:
  case SymbolKind::map_hessian:
  case SymbolKind::shift:
  case SymbolKind::penalty:
  case SymbolKind::facet_offset:
  case SymbolKind::limiter:
  case SymbolKind::test:
  case SymbolKind::test_gradient:
  case SymbolKind::test_hessian:
    break;
  }
  require(false, "a pointwise function has no test functions");
  return {};
}

void evaluate_at(const PointwiseFunction &function, PointBatch &minus, const PointInputs &inputs,
                 std::vector<std::vector<double>> &outputs, PointBatch *plus) {
  std::vector<std::vector<double>> values;
  values.reserve(function.symbols.size()); // spans into it stay valid
  minus.forget_fields();
  if (plus)
    plus->forget_fields();
  weft::evaluate(
      function, minus.num_points(),
      [&](const Symbol &symbol) -> std::span<const double> {
        const bool on_plus = plus && symbol.side == Side::plus && symbol.kind != SymbolKind::normal;
        PointBatch &side = on_plus ? *plus : minus;
        values.push_back(side.values(symbol, inputs));
        return values.back();
      },
      outputs);
}

} // namespace weft
