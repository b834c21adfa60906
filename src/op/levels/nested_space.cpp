#include "op/levels/nested_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "op/problem/quadrature_degree.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

namespace {

// The basis of a coarse numbering at the nodes of a finer one.
struct NodeInterpolation {
  std::vector<std::int64_t> start;                      // [fine node + 1]
  std::vector<std::pair<std::int32_t, double>> entries; // coarse node, weight; nodes ascending
  std::vector<std::int32_t> injection;                  // [coarse node]: a fine node

  // Ends the row of a fine node: nodes that periodicity makes one are added.
  void close_row() {
    const auto begin = entries.begin() + start.back();
    std::sort(begin, entries.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    auto last = begin;
    for (auto entry = begin; entry != entries.end(); ++entry)
      if (last != begin && std::prev(last)->first == entry->first)
        std::prev(last)->second += entry->second;
      else
        *last++ = *entry;
    entries.erase(last, entries.end());
    start.push_back(static_cast<std::int64_t>(entries.size()));
  }
};

void check_injection(const NodeInterpolation &interpolation) {
  require(std::find(interpolation.injection.begin(), interpolation.injection.end(), -1) ==
              interpolation.injection.end(),
          "every coarse node is a node of the finer space");
}

// What interpolation does in the cells of a set.
struct LocalInterpolation {
  int num_fine = 0, num_coarse = 0;
  std::vector<double> weights; // [fine node, coarse node]
  std::vector<int> injection;  // [coarse node]: fine node
};

LocalInterpolation local_interpolation(const Element &fine, const Element &coarse) {
  constexpr double rounding = 1e-12;
  LocalInterpolation local{fine.num_nodes(), coarse.num_nodes(), {}, {}};
  std::vector<double> gradients;
  coarse.tabulate(fine.nodes, local.weights, gradients);
  for (double &weight : local.weights)
    if (std::abs(weight) < rounding)
      weight = 0;
  local.injection.assign(local.num_coarse, -1);
  for (int i = 0; i < local.num_fine; ++i)
    for (int j = 0; j < local.num_coarse; ++j)
      if (std::abs(local.weights[i * local.num_coarse + j] - 1) < rounding)
        local.injection[j] = i;
  return local;
}

// Between orders on one mesh.
NodeInterpolation interpolate_orders(const NodeMap &fine, const NodeMap &coarse) {
  struct FineNode { // where a fine node was met
    std::int32_t cell = -1;
    std::int16_t set = 0, local = 0;
  };
  std::vector<FineNode> fine_nodes(fine.num_local);
  std::vector<LocalInterpolation> locals;
  NodeInterpolation result;
  result.injection.assign(coarse.num_local, -1);
  for (std::size_t s = 0; s < fine.sets.size(); ++s) {
    locals.push_back(local_interpolation(fine.sets[s].element, coarse.sets[s].element));
    const LocalInterpolation &local = locals.back();
    const auto num_cells = static_cast<std::int64_t>(fine.sets[s].nodes.size()) / local.num_fine;
    for (std::int64_t c = 0; c < num_cells; ++c) {
      for (int i = 0; i < local.num_fine; ++i)
        if (FineNode &node = fine_nodes[fine.sets[s].nodes[c * local.num_fine + i]]; node.cell < 0)
          node = {static_cast<std::int32_t>(c), static_cast<std::int16_t>(s),
                  static_cast<std::int16_t>(i)};
      for (int j = 0; j < local.num_coarse; ++j)
        if (local.injection[j] >= 0)
          result.injection[coarse.sets[s].nodes[c * local.num_coarse + j]] =
              fine.sets[s].nodes[c * local.num_fine + local.injection[j]];
    }
  }
  result.start.push_back(0);
  for (const FineNode &node : fine_nodes) {
    const LocalInterpolation &local = locals[node.set];
    const double *weights = &local.weights[node.local * local.num_coarse];
    const std::int32_t *nodes =
        &coarse.sets[node.set].nodes[std::int64_t(node.cell) * local.num_coarse];
    for (int j = 0; j < local.num_coarse; ++j)
      if (weights[j] != 0)
        result.entries.emplace_back(nodes[j], weights[j]);
    result.close_row();
  }
  check_injection(result);
  return result;
}

// The node of each vertex of a mesh; -1 for nodes of the mesh that are none.
std::vector<std::int32_t> nodes_of_vertices(const Mesh &mesh, const NodeMap &map) {
  std::vector<std::int32_t> nodes(mesh.num_nodes(), -1);
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const CellSet &set = mesh.sets[s];
    const int vertices = num_vertices(set.type);
    for (std::int64_t c = 0; c < set.num_cells(); ++c)
      for (int v = 0; v < vertices; ++v)
        nodes[set.nodes[c * set.nodes_per_cell + v]] = map.sets[s].nodes[c * vertices + v];
  }
  return nodes;
}

// Between elements of order 1 on two meshes.
NodeInterpolation interpolate_meshes(const NodeMap &fine, const NodeMap &coarse,
                                     const CoarserMesh &coarser) {
  const std::vector<std::int32_t> node_of = nodes_of_vertices(coarser.mesh, coarse);
  NodeInterpolation result;
  result.injection.assign(coarse.num_local, -1);
  result.start.push_back(0);
  for (std::int64_t node = 0; node < fine.num_local; ++node) {
    const auto parents = coarser.parents.of(fine.mesh_nodes[node]);
    for (const auto parent : parents)
      result.entries.emplace_back(node_of[parent], 1 / static_cast<double>(parents.size()));
    if (parents.size() == 1)
      result.injection[node_of[parents[0]]] = static_cast<std::int32_t>(node);
    result.close_row();
  }
  check_injection(result);
  return result;
}

void check_fields(const Discretisation &d) {
  for (const FieldSpec &field : d.form.fields)
    if (field.discontinuous || field.order < 1)
      throw Error(ErrorKind::unsupported, {.what = "coarser spaces of a discontinuous field",
                                           .where = field.place,
                                           .found = field.name,
                                           .allowed = "elements P1 to P4",
                                           .remedy = "choose another preconditioner"});
}

std::vector<char> prescribed(const Discretisation &d) {
  std::vector<char> result(d.num_local, 0);
  for (const auto dof : d.constraints.dofs)
    result[dof] = 1;
  return result;
}

// Prescribed dofs and their values from the finer space.
void constrain(NestedSpace &space, const Discretisation &fine) {
  std::vector<double> value(fine.num_local, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < fine.constraints.dofs.size(); ++i)
    value[fine.constraints.dofs[i]] = fine.constraints.values[i];
  Constraints &constraints = space.d.constraints;
  constraints = {.depend_on_time = fine.constraints.depend_on_time};
  const std::vector<char> is_prescribed = prescribed(fine);
  for (std::int64_t dof = 0; dof < space.d.num_local; ++dof)
    if (is_prescribed[space.injection[dof]]) {
      constraints.dofs.push_back(static_cast<std::int32_t>(dof));
      constraints.values.push_back(value[space.injection[dof]]);
    }
}

// Numbers the dofs of all fields by the interpolation of their nodes; [field].
void make_dofs(NestedSpace &space, const Discretisation &fine,
               const std::vector<const NodeInterpolation *> &of_field) {
  const Discretisation &coarse = space.d;
  space.injection.resize(coarse.num_local);
  for (std::size_t f = 0; f < of_field.size(); ++f) {
    const int n = coarse.form.fields[f].components();
    const auto &injection = of_field[f]->injection;
    for (std::size_t node = 0; node < injection.size(); ++node)
      for (int k = 0; k < n; ++k)
        space.injection[coarse.field_offset[f] + static_cast<std::int64_t>(node) * n + k] =
            static_cast<std::int32_t>(fine.field_offset[f] + std::int64_t(injection[node]) * n + k);
  }
  constrain(space, fine);
  const std::vector<char> fine_prescribed = prescribed(fine), is_prescribed = prescribed(coarse);
  HostMatrix &p = space.prolongation;
  p.row_start.push_back(0);
  for (std::size_t f = 0; f < of_field.size(); ++f) { // in the order of the fine dofs
    const int n = coarse.form.fields[f].components();
    const NodeInterpolation &nodes = *of_field[f];
    for (std::size_t node = 0; node + 1 < nodes.start.size(); ++node)
      for (int k = 0; k < n; ++k) {
        const std::int64_t row = fine.field_offset[f] + static_cast<std::int64_t>(node) * n + k;
        for (auto e = nodes.start[node]; e < nodes.start[node + 1] && !fine_prescribed[row]; ++e) {
          const auto [coarse_node, weight] = nodes.entries[e];
          const std::int64_t column = coarse.field_offset[f] + std::int64_t(coarse_node) * n + k;
          if (is_prescribed[column])
            continue;
          p.columns.push_back(static_cast<std::int32_t>(column));
          p.values.push_back(weight);
        }
        require(p.columns.size() <= std::numeric_limits<std::int32_t>::max(),
                "entries of a prolongation are numbered in 32 bits");
        p.row_start.push_back(static_cast<std::int32_t>(p.columns.size()));
      }
  }
}

// The space without what ties it to the finer one. Conditions are not evaluated on its mesh: they
// come from the finer space.
NestedSpace make_space(const Case &c, const Mesh &mesh, int order,
                       std::optional<int> quadrature_degree) {
  NestedSpace space;
  space.c = c;
  space.c.dirichlet.clear();
  for (FieldSpec &field : space.c.form.fields)
    field.order = std::min(field.order, order);
  space.d = make_discretisation(space.c, mesh, quadrature_degree);
  return space;
}

// `interpolate`: called once for each pair of maps.
template <typename Interpolate>
void tie(NestedSpace &space, const Discretisation &fine, Interpolate interpolate) {
  std::vector<std::pair<int, int>> pairs; // maps of the finer and the coarser space
  std::vector<NodeInterpolation> interpolations;
  std::vector<std::size_t> of_field;
  for (std::size_t f = 0; f < fine.form.fields.size(); ++f) {
    const std::pair pair(fine.field_map[f], space.d.field_map[f]);
    of_field.push_back(std::find(pairs.begin(), pairs.end(), pair) - pairs.begin());
    if (of_field.back() < pairs.size())
      continue;
    pairs.push_back(pair);
    interpolations.push_back(interpolate(fine.maps[pair.first], space.d.maps[pair.second]));
  }
  std::vector<const NodeInterpolation *> used;
  for (const std::size_t i : of_field)
    used.push_back(&interpolations[i]);
  make_dofs(space, fine, used);
}

} // namespace

NestedSpace make_lower_order_space(const Case &c, const Discretisation &fine, int order,
                                   std::optional<int> quadrature_degree) {
  require(order >= 1, "an order of continuous elements");
  check_fields(fine);
  NestedSpace space = make_space(c, *fine.mesh, order, quadrature_degree);
  tie(space, fine, interpolate_orders);
  return space;
}

NestedSpace make_coarser_space(const Case &c, const Discretisation &fine,
                               const CoarserMesh &coarser, std::optional<int> quadrature_degree) {
  check_fields(fine);
  require(highest_field_order(fine) == 1, "coarser meshes are for elements of order 1");
  NestedSpace space = make_space(c, coarser.mesh, 1, quadrature_degree);
  tie(space, fine, [&](const NodeMap &from, const NodeMap &to) {
    return interpolate_meshes(from, to, coarser);
  });
  return space;
}

void set_time(NestedSpace &space, const Discretisation &fine) {
  set_time(space.c, space.d, fine.time);
  constrain(space, fine);
}

std::vector<double> inject(const NestedSpace &space, const std::vector<double> &values) {
  std::vector<double> result(space.injection.size());
  for (std::size_t dof = 0; dof < result.size(); ++dof)
    result[dof] = values[space.injection[dof]];
  return result;
}

} // namespace weft
