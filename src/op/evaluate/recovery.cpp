#include "op/evaluate/recovery.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "op/evaluate/cell_batches.h"
#include "op/evaluate/expression_values.h"
#include "op/problem/dof_layout.h"
#include "op/problem/field_regions.h"
#include "op/problem/quadrature_degree.h"
#include "op/problem/result_form.h"

namespace weft {

namespace {

constexpr double tolerance = 1e-12; // of the residual of the mass matrix's equations
constexpr int most_iterations = 1000;

// The cells of a batch, as the mass matrix sees them.
struct MassBatch {
  std::vector<double> phi;           // [point, node]
  std::vector<double> measure;       // [cell, point]
  std::vector<std::int64_t> entries; // [cell, node]
  int num_points = 0, num_nodes = 0;
};

// Functions that are continuous in each region: vectors are [node of a map, region class]. Of other
// ranks' cells those that touch own nodes are here, so that rows of own nodes are complete.
class RegionSpace {
public:
  RegionSpace(const Discretisation &d, int map, int degree)
      : d_(d), map_(map), regions_(static_cast<std::int64_t>(d.mesh->region_classes.size())),
        degree_(degree), diagonal_(size(), 0.0) {
    for_each_batch([&](PointBatch &batch, const NodeMapSet &nodes) {
      MassBatch &b = batches_.emplace_back();
      b.phi = batch.table().maps[map_].phi;
      b.measure = batch.measure();
      b.num_points = batch.table().num_points;
      b.num_nodes = nodes.element.num_nodes();
      for (const std::int32_t cell : batch.cells())
        for (int i = 0; i < b.num_nodes; ++i)
          b.entries.push_back(entry(nodes, batch.table().set, cell, i));
      for_each_node(b, [&](double phi, double measure, std::int64_t at, std::size_t) {
        diagonal_[at] += phi * phi * measure;
      });
    });
  }

  std::int64_t entry(const NodeMapSet &nodes, int set, std::int32_t cell, int i) const {
    const std::int64_t node = nodes.nodes[std::int64_t{cell} * nodes.element.num_nodes() + i];
    return node * regions_ + d_.mesh->sets[set].region[cell];
  }

  // [component][entry]: the function nearest to an expression.
  std::vector<std::vector<double>> nearest(const ResolvedExpression &expression,
                                           const std::vector<double> &state) const {
    std::vector<std::vector<double>> loads(expression.components(),
                                           std::vector<double>(size(), 0.0));
    const std::vector<bool> there = classes_of_function(d_, expression.expression.function);
    auto b = batches_.begin();
    for_each_batch([&](PointBatch &batch, const NodeMapSet &) {
      std::vector<std::vector<double>> values;
      evaluate_at(expression.expression.function, batch, expression.inputs(&state), values);
      for (int point = 0; point < batch.num_points(); ++point)
        if (!there[d_.mesh->sets[batch.table().set].region[batch.cells()[point / b->num_points]]])
          for (std::vector<double> &of_component : values)
            of_component[point] = 0;
      for (std::size_t k = 0; k < loads.size(); ++k)
        for_each_node(*b, [&](double phi, double measure, std::int64_t at, std::size_t point) {
          loads[k][at] += phi * measure * values[k][point];
        });
      ++b;
    });
    std::vector<std::vector<double>> result;
    for (const std::vector<double> &load : loads)
      result.push_back(solve(load));
    return result;
  }

private:
  std::int64_t size() const { return d_.maps[map_].num_local * regions_; }
  std::int64_t num_own() const { return d_.maps[map_].num_owned * regions_; }

  // body(batch, nodes of the map in its set), in an order that does not depend on threads.
  template <typename Body> void for_each_batch(const Body &body) const {
    for_each_cell_batch(d_, 0, degree_, [&](PointBatch &batch, const NodeMapSet &) {
      body(batch, d_.maps[map_].sets[batch.table().set]);
    });
  }

  // body(basis function, measure, its entry, point of the batch)
  template <typename Body> static void for_each_node(const MassBatch &b, const Body &body) {
    const std::size_t num_cells = b.entries.size() / b.num_nodes;
    for (std::size_t c = 0; c < num_cells; ++c)
      for (int q = 0; q < b.num_points; ++q)
        for (int i = 0; i < b.num_nodes; ++i)
          body(b.phi[q * b.num_nodes + i], b.measure[c * b.num_points + q],
               b.entries[c * b.num_nodes + i], c * b.num_points + q);
  }

  // `x` is complete in ghosts, and the result in own entries.
  std::vector<double> apply(const std::vector<double> &x) const {
    std::vector<double> y(x.size(), 0.0);
    for (const MassBatch &b : batches_) {
      std::vector<double> at_points(b.measure.size(), 0.0);
      for_each_node(b, [&](double phi, double measure, std::int64_t at, std::size_t point) {
        at_points[point] += phi * measure * x[at];
      });
      for_each_node(b, [&](double phi, double, std::int64_t at, std::size_t point) {
        y[at] += phi * at_points[point];
      });
    }
    return y;
  }

  double dot(const std::vector<double> &a, const std::vector<double> &b) const {
    double own = 0;
    for (std::int64_t i = 0; i < num_own(); ++i)
      own += a[i] * b[i];
    return sum(d_.ranks, own);
  }

  // Zero where a node is in no cell of the region.
  std::vector<double> scaled(const std::vector<double> &r) const {
    std::vector<double> z(r.size(), 0.0);
    for (std::int64_t i = 0; i < num_own(); ++i)
      z[i] = diagonal_[i] > 0 ? r[i] / diagonal_[i] : 0;
    return z;
  }

  // Conjugate gradients with the diagonal, which needs a number of iterations that no mesh raises
  // (Wathen 1987).
  std::vector<double> solve(const std::vector<double> &load) const {
    std::vector<double> x(load.size(), 0.0), r = load, p = scaled(r);
    double rz = dot(r, p);
    const double enough = tolerance * tolerance * rz;
    for (int iteration = 0; rz > enough && iteration < most_iterations; ++iteration) {
      fetch_ghosts(d_, map_, static_cast<int>(regions_), p);
      const std::vector<double> q = apply(p);
      const double step = rz / dot(p, q);
      for (std::int64_t i = 0; i < num_own(); ++i) {
        x[i] += step * p[i];
        r[i] -= step * q[i];
      }
      const std::vector<double> z = scaled(r);
      const double next = dot(r, z);
      for (std::int64_t i = 0; i < num_own(); ++i)
        p[i] = z[i] + next / rz * p[i];
      rz = next;
    }
    fetch_ghosts(d_, map_, static_cast<int>(regions_), x);
    return x;
  }

  const Discretisation &d_;
  int map_;
  std::int64_t regions_;
  int degree_;
  std::vector<double> diagonal_;
  std::vector<MassBatch> batches_;
};

// The map on which recovered fields are functions: that of the highest order of the fields.
int map_of_recovered(const Discretisation &d) {
  const auto found = std::find_if(d.maps.begin(), d.maps.end(), [&](const NodeMap &map) {
    return !map.discontinuous && map.order == highest_field_order(d);
  });
  require(found != d.maps.end(), "fields with recovered gradients are continuous");
  return static_cast<int>(found - d.maps.begin());
}

// Where regions meet each cell keeps its own side: values at nodes of its own, [node, component].
AuxiliaryField in_cells(Discretisation &d, int map, const RegionSpace &space,
                        const std::vector<std::vector<double>> &values) {
  const int order = d.maps[map].order;
  auto found = std::find_if(d.maps.begin(), d.maps.end(), [&](const NodeMap &other) {
    return other.discontinuous && other.order == order;
  });
  if (found == d.maps.end()) {
    d.maps.push_back(make_discontinuous_map(*d.mesh, order));
    if (d.ranks)
      d.node_halo.emplace_back();
    found = d.maps.end() - 1;
  }
  const int n = static_cast<int>(values.size());
  AuxiliaryField field{.map = static_cast<int>(found - d.maps.begin()), .components = n};
  field.values.assign(found->num_local * n, 0.0);
  for (int s = 0; s < static_cast<int>(found->sets.size()); ++s) {
    const NodeMapSet &to = found->sets[s], &from = d.maps[map].sets[s];
    std::vector<double> phi, dphi;
    from.element.tabulate(to.element.nodes, phi, dphi);
    const int num_to = to.element.num_nodes(), num_from = from.element.num_nodes();
    const std::int64_t num_cells = d.mesh->sets[s].num_cells();
    for (std::int64_t c = 0; c < num_cells; ++c)
      for (int j = 0; j < num_to; ++j)
        for (int i = 0; i < num_from; ++i) {
          const std::int64_t at = space.entry(from, s, static_cast<std::int32_t>(c), i);
          for (int k = 0; k < n; ++k)
            field.values[std::int64_t{to.nodes[c * num_to + j]} * n + k] +=
                phi[j * num_from + i] * values[k][at];
        }
  }
  return field;
}

// Of a mesh of one region.
AuxiliaryField at_nodes(int map, const std::vector<std::vector<double>> &values) {
  const std::size_t n = values.size();
  AuxiliaryField field{.map = map, .components = static_cast<int>(n)};
  field.values.resize(values.front().size() * n);
  for (std::size_t node = 0; node < values.front().size(); ++node)
    for (std::size_t k = 0; k < n; ++k)
      field.values[node * n + k] = values[k][node];
  return field;
}

} // namespace

std::optional<Discretisation> with_recovered(const Case &c, const Discretisation &d,
                                             const PointwiseFunction &function,
                                             const std::vector<double> &state) {
  const std::size_t first = index_of_recovered(c);
  std::vector<bool> used;
  for (std::size_t e = 0; e < c.recovered.size(); ++e)
    used.push_back(function.uses(SymbolKind::auxiliary, static_cast<int>(first + e)));
  if (std::find(used.begin(), used.end(), true) == used.end())
    return {};
  const int map = map_of_recovered(d);
  std::optional<Discretisation> result(d);
  for (std::size_t e = 0; e < c.recovered.size(); ++e) {
    if (!used[e]) { // to keep the numbers of those behind it
      result->auxiliary.push_back({.map = map});
      continue;
    }
    const ResolvedExpression expression =
        resolve_on_cells(make_expression(c.form, c.recovered[e].value, {}, true, false), d);
    const int degree =
        std::max(degree_of_expression(d, expression.expression.function).used, d.maps[map].order) +
        d.maps[map].order + d.geometry.order - 1;
    const RegionSpace space(d, map, degree);
    const auto values = space.nearest(expression, state);
    result->auxiliary.push_back(d.mesh->region_classes.size() == 1
                                    ? at_nodes(map, values)
                                    : in_cells(*result, map, space, values));
  }
  return result;
}

} // namespace weft
