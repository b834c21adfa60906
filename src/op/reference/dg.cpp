#include "op/reference/dg.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <set>
#include <tuple>

#include "base/error.h"
#include "mesh/build/periodic_facets.h"
#include "op/reference/dg_cell.h"
#include "op/reference/fv.h"

namespace weft::reference {

namespace {

using Eigen::VectorXd;

// A node of a cell.
struct DgNode {
  int set = 0;
  std::int32_t cell = 0;
  int local = 0;
  std::int64_t global = 0;
};

// One side of where a pointwise function is evaluated: a node of a cell, or a point of its facet.
struct DgSide {
  int set = 0;
  std::int32_t cell = 0;
  int facet = -1;
  int index = 0; // of the node, or of the point
};

// Where a pointwise function is evaluated: in a cell, or on a facet.
struct DgPoint {
  DgSide minus, plus;
  std::array<double, 3> position = {0, 0, 0}; // order 0: on facets their middle
  std::array<double, 3> normal = {0, 0, 0};
  double penalty = 0;
  std::int32_t facet_class = 0;
};

// Components at all nodes: [component][global node].
using NodalValues = std::vector<std::vector<double>>;

class DgLoops {
public:
  DgLoops(const Discretisation &d, double time)
      : d_(d), law_(*d.law), map_(d.map_of_field(0)), dim_(d.mesh->dim), time_(time) {
    for (std::size_t s = 0; s < map_.sets.size(); ++s) {
      const DgMatrixSet &set = sets_.emplace_back(make_dg_matrix_set(d, map_.sets[s].element));
      auto &cells = geometry_.emplace_back();
      for (std::int32_t c = 0; c < d.mesh->sets[s].num_cells(); ++c)
        cells.push_back(make_dg_cell_geometry(d, set, static_cast<int>(s), c));
      auto &tables = known_tables_.emplace_back();
      std::vector<double> unused;
      for (const AuxiliaryField &known : d.auxiliary)
        d.maps[known.map].sets[s].element.tabulate(map_.sets[s].element.nodes,
                                                   tables.emplace_back(), unused);
    }
  }

  std::vector<double> rate(const std::vector<double> &dofs) {
    state_ = by_component(dofs);
    rate_ = zeros(law_.num_components);
    if (law_.viscous)
      find_gradients();
    for_each_cell([&](int s, std::int32_t c) { add_cell(s, c); });
    for_each_facet([&](const Facet &facet, int condition) { add_facet(facet, condition); });
    for_each_cell([&](int s, std::int32_t c) { finish_cell(s, c); });
    return to_dofs(rate_);
  }

  std::vector<double> integrals(const std::vector<double> &dofs) {
    const NodalValues values = by_component(dofs);
    std::vector<double> sums(law_.num_components, 0.0);
    for_each_cell([&](int s, std::int32_t c) {
      for (const DgNode &node : nodes_of(s, c))
        for (int k = 0; k < law_.num_components; ++k)
          sums[k] += sets_[s].operators.weights[node.local] * geometry_[s][c].volume[node.local] *
                     values[k][node.global];
    });
    return sums;
  }

private:
  // Calls visit(set, cell).
  template <typename Visit> void for_each_cell(const Visit &visit) {
    for (std::size_t s = 0; s < sets_.size(); ++s)
      for (std::int32_t c = 0; c < d_.mesh->sets[s].num_cells(); ++c)
        visit(static_cast<int>(s), c);
  }

  // Calls visit(facet, boundary condition or -1) for every facet once.
  template <typename Visit> void for_each_facet(const Visit &visit) {
    for (const Facet &facet : interior_facets(*d_.mesh))
      visit(facet, -1);
    std::set<std::tuple<int, int, int>> periodic;
    for (const Facet &facet : periodic_facets(*d_.mesh)) {
      visit(facet, -1);
      for (const FacetRef &ref : {facet.minus, facet.plus})
        periodic.emplace(ref.set, ref.cell, ref.facet);
    }
    for (std::int64_t f = 0; f < d_.mesh->num_boundary_facets; ++f) {
      const Facet &facet = d_.mesh->facets[f];
      if (!periodic.contains({facet.minus.set, facet.minus.cell, facet.minus.facet}))
        visit(facet, d_.condition_of_class[facet.facet_class]);
    }
  }

  NodalValues zeros(int count) const {
    return NodalValues(count, std::vector<double>(map_.num_local, 0.0));
  }
  NodalValues by_component(const std::vector<double> &dofs) const {
    NodalValues result;
    for (std::size_t f = 0; f < law_.fields.size(); ++f)
      for (int k = 0; k < law_.fields[f].components(); ++k) {
        auto &values = result.emplace_back();
        for (std::int64_t i = 0; i < map_.num_local; ++i)
          values.push_back(dofs[d_.field_offset[f] + i * law_.fields[f].components() + k]);
      }
    return result;
  }
  std::vector<double> to_dofs(const NodalValues &values) const {
    std::vector<double> dofs;
    int first = 0;
    for (const FieldSpec &field : law_.fields) {
      for (std::int64_t i = 0; i < map_.num_local; ++i)
        for (int k = 0; k < field.components(); ++k)
          dofs.push_back(values[first + k][i]);
      first += field.components();
    }
    return dofs;
  }

  DgNode node(int set, std::int32_t cell, int local) const {
    const NodeMapSet &nodes = map_.sets[set];
    return {set, cell, local, nodes.nodes[std::int64_t(cell) * nodes.element.num_nodes() + local]};
  }
  std::vector<DgNode> nodes_of(int set, std::int32_t cell) const {
    std::vector<DgNode> result;
    for (int i = 0; i < sets_[set].operators.element.num_nodes(); ++i)
      result.push_back(node(set, cell, i));
    return result;
  }
  std::vector<DgSide> points_of(const FacetRef &ref) const {
    std::vector<DgSide> result;
    for (int i = 0; i < sets_[ref.set].operators.facets[ref.facet].num_points(); ++i)
      result.push_back({ref.set, ref.cell, ref.facet, i});
    return result;
  }

  // Finds for each point of one side the one on the other side at the same position, or at the one
  // to which periodicity moves it.
  std::vector<DgSide> opposite(const std::vector<DgSide> &points,
                               const std::vector<DgSide> &others) const {
    std::array<double, 3> shift = {0, 0, 0};
    for (int k = 0; k < dim_; ++k)
      for (std::size_t i = 0; i < points.size(); ++i)
        shift[k] += (position_of(others[i])[k] - position_of(points[i])[k]) /
                    static_cast<double>(points.size());
    std::vector<DgSide> result;
    for (const DgSide &a : points) {
      double least = std::numeric_limits<double>::infinity();
      DgSide nearest;
      for (const DgSide &b : others) {
        double square = 0;
        for (int k = 0; k < dim_; ++k)
          square += std::pow(position_of(b)[k] - position_of(a)[k] - shift[k], 2);
        if (square < least) {
          least = square;
          nearest = b;
        }
      }
      require(std::sqrt(least) < 1e-8 * std::cbrt(geometry_[a.set][a.cell].cell_volume),
              "points of neighbours meet on their facet");
      result.push_back(nearest);
    }
    return result;
  }
  int order() const { return map_.order; }
  std::array<double, 3> position_of(const DgNode &n) const {
    std::array<double, 3> x = {0, 0, 0};
    std::copy_n(&map_.coordinates[n.global * dim_], dim_, x.begin());
    return x;
  }
  const std::array<double, 3> &position_of(const DgSide &side) const {
    return geometry_[side.set][side.cell].positions[side.facet][side.index];
  }

  // What nodal values, value(node), are there.
  template <typename Value> double at_side(const DgSide &side, const Value &value) const {
    if (side.facet < 0)
      return value(node(side.set, side.cell, side.index));
    const auto trace = sets_[side.set].trace[side.facet].row(side.index);
    double sum = 0;
    for (int i = 0; i < static_cast<int>(trace.size()); ++i)
      sum += trace[i] * value(node(side.set, side.cell, i));
    return sum;
  }

  double penalty_of(const FacetRef &ref) const {
    const DgCellGeometry &g = geometry_[ref.set][ref.cell];
    return (order() + 1.0) * (order() + dim_) / dim_ * g.facet_areas[ref.facet] / g.cell_volume;
  }

  std::vector<DgPoint> points_of(const Facet &facet, int condition) const {
    const bool inside = condition < 0;
    const std::vector<DgSide> minus = points_of(facet.minus);
    const std::vector<DgSide> plus = inside ? opposite(minus, points_of(facet.plus)) : minus;
    std::vector<DgPoint> points;
    for (std::size_t i = 0; i < minus.size(); ++i) {
      DgPoint p{.minus = minus[i], .plus = plus[i], .facet_class = facet.facet_class};
      const auto &middle =
          geometry_[facet.minus.set][facet.minus.cell].facet_middles[facet.minus.facet];
      p.position = order() == 0 ? middle : position_of(minus[i]);
      const auto &normal = area_normal(facet, i);
      for (int k = 0; k < dim_; ++k)
        p.normal[k] = normal[k] / std::hypot(normal[0], normal[1], normal[2]);
      p.penalty = penalty_of(facet.minus);
      if (inside)
        p.penalty = std::max(p.penalty, penalty_of(facet.plus));
      points.push_back(p);
    }
    return points;
  }
  const std::array<double, 3> &area_normal(const Facet &facet, std::size_t i) const {
    return geometry_[facet.minus.set][facet.minus.cell].normals[facet.minus.facet][i];
  }

  int component_of(const Symbol &s) const {
    int first = 0;
    for (int f = 0; f < s.index; ++f)
      first += law_.fields[f].components();
    return first + s.component;
  }

  double known_value(const Symbol &s, const DgNode &at) const {
    const AuxiliaryField &known = d_.auxiliary[s.index];
    const NodeMapSet &nodes = d_.maps[known.map].sets[at.set];
    const int n = nodes.element.num_nodes();
    double value = 0;
    for (int j = 0; j < n; ++j)
      value +=
          known_tables_[at.set][s.index][at.local * n + j] *
          known.values[std::int64_t(nodes.nodes[std::int64_t(at.cell) * n + j]) * known.components +
                       s.component];
    return value;
  }

  // Gradients: those that the function sees, [component * dim + direction].
  double value_at(const Symbol &s, const DgPoint &p, const NodalValues &gradients) const {
    const DgSide &at = s.side == Side::plus ? p.plus : p.minus;
    const auto of_nodes = [&](const std::vector<double> &values) {
      return at_side(at, [&](const DgNode &n) { return values[n.global]; });
    };
    switch (s.kind) {
    case SymbolKind::field:
      return of_nodes(state_[component_of(s)]);
    case SymbolKind::field_gradient:
      return of_nodes(gradients[component_of(s) * dim_ + s.direction]);
    case SymbolKind::auxiliary:
      return at_side(at, [&](const DgNode &n) { return known_value(s, n); });
    case SymbolKind::coordinate:
      return p.position[s.component];
    case SymbolKind::time:
      return time_;
    case SymbolKind::normal:
      return p.normal[s.component];
    case SymbolKind::penalty:
      return p.penalty;
    case SymbolKind::cell_size:
      return cell_size(d_, at.set, at.cell);
    case SymbolKind::cell_parameter:
      return d_.cell_table
          .values[d_.mesh->sets[at.set].region[at.cell] * d_.cell_table.num_entries + s.component];
    case SymbolKind::facet_parameter:
      return d_.facet_table.values[p.facet_class * d_.facet_table.num_entries + s.component];
    default:
      require(false, "a conservation law has symbols of fields, place and parameters only");
      return 0;
    }
  }

  // [output][point]
  std::vector<std::vector<double>> evaluate_at(const PointwiseFunction &function,
                                               const std::vector<DgPoint> &points,
                                               const NodalValues &gradients) const {
    std::deque<std::vector<double>> inputs;
    std::vector<std::vector<double>> outputs;
    const auto input = [&](const Symbol &s) -> std::span<const double> {
      auto &values = inputs.emplace_back();
      for (const DgPoint &p : points)
        values.push_back(value_at(s, p, gradients));
      return values;
    };
    evaluate(function, static_cast<int>(points.size()), input, outputs);
    return outputs;
  }
  std::vector<DgPoint> points_in(int set, std::int32_t cell) const {
    std::vector<DgPoint> points;
    for (const DgNode &n : nodes_of(set, cell)) {
      const DgSide side{set, cell, -1, n.local};
      points.push_back({.minus = side, .plus = side, .position = position_of(n)});
    }
    return points;
  }

  // Adds lift * values / volume ratio of one side's facet, values parallel to `points`, which are
  // the facet's in any order.
  void add_lifted(const FacetRef &ref, const std::vector<DgSide> &points,
                  const std::vector<double> &values, std::vector<double> &sum) const {
    VectorXd ordered(Eigen::Index(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
      ordered[points[i].index] = values[i];
    const VectorXd lifted = sets_[ref.set].lift[ref.facet] * ordered;
    for (const DgNode &n : nodes_of(ref.set, ref.cell))
      sum[n.global] += lifted[n.local] / geometry_[ref.set][ref.cell].volume[n.local];
  }

  void find_gradients() {
    own_gradient_ = zeros(law_.num_components * dim_);
    for_each_cell([&](int s, std::int32_t c) {
      const auto nodes = nodes_of(s, c);
      for (int k = 0; k < law_.num_components; ++k)
        for (int r = 0; r < dim_; ++r)
          for (const DgNode &i : nodes)
            for (const DgNode &j : nodes)
              for (int e = 0; e < dim_; ++e)
                own_gradient_[k * dim_ + e][i.global] +=
                    geometry_[s][c].metric[r](i.local, e) / geometry_[s][c].volume[i.local] *
                    sets_[s].derivative[r](i.local, j.local) * state_[k][j.global];
    });
    whole_gradient_ = own_gradient_;
    for_each_facet([&](const Facet &facet, int condition) { lift_jumps(facet, condition); });
  }

  void lift_jumps(const Facet &facet, int condition) {
    const auto points = points_of(facet, condition);
    std::vector<std::vector<double>> outer;
    if (condition >= 0)
      outer = evaluate_at(law_.boundaries[condition].outer, points, own_gradient_);
    std::vector<DgSide> minus, plus;
    for (const DgPoint &p : points) {
      minus.push_back(p.minus);
      plus.push_back(p.plus);
    }
    for (int k = 0; k < law_.num_components; ++k)
      for (int e = 0; e < dim_; ++e) {
        std::vector<double> jumps; // the same on both sides: the jump and n change sign
        for (std::size_t i = 0; i < points.size(); ++i) {
          const auto state = [&](const DgNode &n) { return state_[k][n.global]; };
          const double other = condition >= 0 ? outer[k][i] : at_side(plus[i], state);
          jumps.push_back((other - at_side(minus[i], state)) / 2 * area_normal(facet, i)[e]);
        }
        add_lifted(facet.minus, minus, jumps, whole_gradient_[k * dim_ + e]);
        if (condition < 0)
          add_lifted(facet.plus, plus, jumps, whole_gradient_[k * dim_ + e]);
      }
  }

  void add_cell(int s, std::int32_t c) {
    const auto nodes = nodes_of(s, c);
    const auto flux = evaluate_at(law_.flux, points_in(s, c), whole_gradient_);
    const DgCellGeometry &g = geometry_[s][c];
    for (int k = 0; k < law_.num_components; ++k)
      for (int r = 0; r < dim_; ++r) {
        VectorXd contravariant = VectorXd::Zero(Eigen::Index(nodes.size()));
        for (const DgNode &n : nodes)
          for (int e = 0; e < dim_; ++e)
            contravariant[n.local] += g.metric[r](n.local, e) * flux[k * dim_ + e][n.local];
        const VectorXd sum = sets_[s].weak[r] * contravariant;
        for (const DgNode &n : nodes)
          rate_[k][n.global] += sum[n.local] / g.volume[n.local];
      }
  }

  void add_facet(const Facet &facet, int condition) {
    const auto points = points_of(facet, condition);
    const PointwiseFunction &function =
        condition < 0 ? law_.numerical_flux : law_.boundaries[condition].flux;
    const auto flux = evaluate_at(function, points, own_gradient_);
    std::vector<DgSide> minus, plus;
    for (const DgPoint &p : points) {
      minus.push_back(p.minus);
      plus.push_back(p.plus);
    }
    for (int k = 0; k < law_.num_components; ++k) {
      std::vector<double> out, in;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto &normal = area_normal(facet, i);
        in.push_back(flux[k][i] * std::hypot(normal[0], normal[1], normal[2]));
        out.push_back(-in.back());
      }
      add_lifted(facet.minus, minus, out, rate_[k]);
      if (condition < 0)
        add_lifted(facet.plus, plus, in, rate_[k]);
    }
  }

  void finish_cell(int s, std::int32_t c) {
    const auto points = points_in(s, c);
    const auto source = evaluate_at(law_.source, points, whole_gradient_);
    const auto capacity = evaluate_at(law_.capacity, points, whole_gradient_);
    for (const DgNode &n : nodes_of(s, c))
      for (int k = 0; k < law_.num_components; ++k) {
        double &rate = rate_[k][n.global];
        rate = (rate + source[k][n.local]) / capacity[k][n.local];
      }
  }

  const Discretisation &d_;
  const ConservationLaw &law_;
  const NodeMap &map_;
  int dim_;
  double time_;
  std::vector<DgMatrixSet> sets_;
  std::vector<std::vector<DgCellGeometry>> geometry_;          // [set][cell]
  std::vector<std::vector<std::vector<double>>> known_tables_; // [set][known field]
  NodalValues state_, rate_;
  NodalValues own_gradient_, whole_gradient_; // [component * dim + direction]
};

} // namespace

std::vector<double> dg_rate(const Discretisation &d, const std::vector<double> &state,
                            double time) {
  return d.law->finite_volume ? fv_rate(d, state, time) : DgLoops(d, time).rate(state);
}

std::vector<double> dg_integrals(const Discretisation &d, const std::vector<double> &values) {
  return DgLoops(d, d.time).integrals(values);
}

} // namespace weft::reference
