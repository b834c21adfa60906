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

// The basis of a coarse numbering at the nodes of a finer one, and the way back.
struct NodeInterpolation {
  std::vector<std::int64_t> start;                      // [fine node + 1]
  std::vector<std::pair<std::int32_t, double>> entries; // coarse node, weight; nodes ascending
  NodeEvaluation evaluation;

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

// Functions of one element at the nodes of another: [node][function].
std::vector<double> functions_at_nodes(const Element &functions, const Element &nodes) {
  constexpr double rounding = 1e-12;
  std::vector<double> weights, gradients;
  functions.tabulate(nodes.nodes, weights, gradients);
  for (double &weight : weights)
    if (std::abs(weight) < rounding)
      weight = 0;
    else if (std::abs(weight - 1) < rounding)
      weight = 1;
  return weights;
}

// Of each node a cell that it was met in; [node].
std::vector<NodeEvaluation::Place> places_of_nodes(const NodeMap &map) {
  std::vector<NodeEvaluation::Place> places(map.num_local, {.node = -1});
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const int num_nodes = map.sets[s].element.num_nodes();
    const std::vector<std::int32_t> &nodes = map.sets[s].nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (places[nodes[i]].node < 0)
        places[nodes[i]] = {.node = nodes[i],
                            .cell = static_cast<std::int32_t>(i / num_nodes),
                            .set = static_cast<std::int16_t>(s),
                            .local = static_cast<std::int16_t>(i % num_nodes)};
  }
  return places;
}

// The nodes and weights of a place's functions: f(node, weight) for each that is not 0 there.
template <typename F>
void for_functions(const NodeEvaluation::Place &place, const NodeMap &functions,
                   const std::vector<std::vector<double>> &weights, F f) {
  const int num = functions.sets[place.set].element.num_nodes();
  const double *weight = &weights[place.set][std::int64_t{place.local} * num];
  const std::int32_t *node = &functions.sets[place.set].nodes[std::int64_t{place.cell} * num];
  for (int j = 0; j < num; ++j)
    if (weight[j] != 0)
      f(node[j], weight[j]);
}

NodeEvaluation evaluate_orders(const NodeMap &fine, const NodeMap &coarse) {
  NodeEvaluation result;
  for (std::size_t s = 0; s < fine.sets.size(); ++s)
    result.weights.push_back(functions_at_nodes(fine.sets[s].element, coarse.sets[s].element));
  result.same.assign(coarse.num_local, -1);
  for (const NodeEvaluation::Place &place : places_of_nodes(coarse)) {
    for_functions(place, fine, result.weights, [&](std::int32_t node, double weight) {
      if (weight == 1)
        result.same[place.node] = node;
    });
    if (result.same[place.node] < 0)
      result.others.push_back(place);
  }
  return result;
}

// Between orders on one mesh.
NodeInterpolation interpolate_orders(const NodeMap &fine, const NodeMap &coarse) {
  NodeInterpolation result{.evaluation = evaluate_orders(fine, coarse)};
  std::vector<std::vector<double>> weights;
  for (std::size_t s = 0; s < fine.sets.size(); ++s)
    weights.push_back(functions_at_nodes(coarse.sets[s].element, fine.sets[s].element));
  result.start.push_back(0);
  for (const NodeEvaluation::Place &place : places_of_nodes(fine)) {
    for_functions(place, coarse, weights, [&](std::int32_t node, double weight) {
      result.entries.emplace_back(node, weight);
    });
    result.close_row();
  }
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
  std::vector<std::int32_t> &same = result.evaluation.same;
  same.assign(coarse.num_local, -1);
  result.start.push_back(0);
  for (std::int64_t node = 0; node < fine.num_local; ++node) {
    const auto parents = coarser.parents.of(fine.mesh_nodes[node]);
    for (const auto parent : parents)
      result.entries.emplace_back(node_of[parent], 1 / static_cast<double>(parents.size()));
    if (parents.size() == 1)
      same[node_of[parents[0]]] = static_cast<std::int32_t>(node);
    result.close_row();
  }
  require(std::find(same.begin(), same.end(), -1) == same.end(),
          "every coarse node is a node of the finer mesh");
  return result;
}

void check_fields(const Discretisation &d) {
  for (const FieldSpec &field : d.form.fields)
    if (field.discontinuous || field.order < 1)
      throw Error(ErrorKind::unsupported, {.what = "coarser spaces of a discontinuous field",
                                           .where = field.place,
                                           .found = field.name,
                                           .allowed = "elements P1 to P8",
                                           .remedy = "choose another preconditioner"});
}

std::vector<char> prescribed(const Discretisation &d) {
  std::vector<char> result(d.num_local, 0);
  for (const auto dof : d.constraints.dofs)
    result[dof] = 1;
  return result;
}

// Prescribed dofs and their values from the finer space. A node at which that has none is
// prescribed where all that its value depends on is.
void constrain(NestedSpace &space, const Discretisation &fine) {
  std::vector<double> values(fine.num_local, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < fine.constraints.dofs.size(); ++i)
    values[fine.constraints.dofs[i]] = fine.constraints.values[i];
  values = inject(space, fine, values); // NaN unless all are prescribed
  Constraints &constraints = space.d.constraints;
  constraints = {.depend_on_time = fine.constraints.depend_on_time};
  for (std::int64_t dof = 0; dof < space.d.num_local; ++dof)
    if (!std::isnan(values[dof])) {
      constraints.dofs.push_back(static_cast<std::int32_t>(dof));
      constraints.values.push_back(values[dof]);
    }
}

// Numbers the dofs of all fields by the interpolation of their nodes.
void make_dofs(NestedSpace &space, const Discretisation &fine,
               const std::vector<NodeInterpolation> &interpolations) {
  const Discretisation &coarse = space.d;
  constrain(space, fine);
  const std::vector<char> fine_prescribed = prescribed(fine), is_prescribed = prescribed(coarse);
  HostMatrix &p = space.prolongation;
  p.row_start.push_back(0);
  for (std::size_t f = 0; f < coarse.form.fields.size(); ++f) { // in the order of the fine dofs
    const int n = coarse.form.fields[f].components();
    const NodeInterpolation &nodes = interpolations[space.field_evaluation[f]];
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
  space.c.form.quadrature.degree.reset(); // which is for the order that the case has
  space.d = make_discretisation(space.c, mesh, quadrature_degree);
  return space;
}

// `interpolate`: called once for each pair of maps.
template <typename Interpolate>
void tie(NestedSpace &space, const Discretisation &fine, Interpolate interpolate) {
  std::vector<std::pair<int, int>> pairs; // maps of the finer and the coarser space
  std::vector<NodeInterpolation> interpolations;
  for (std::size_t f = 0; f < fine.form.fields.size(); ++f) {
    const std::pair pair(fine.field_map[f], space.d.field_map[f]);
    const auto known = std::find(pairs.begin(), pairs.end(), pair);
    space.field_evaluation.push_back(static_cast<int>(known - pairs.begin()));
    if (known != pairs.end())
      continue;
    pairs.push_back(pair);
    interpolations.push_back(interpolate(fine.maps[pair.first], space.d.maps[pair.second]));
    space.evaluations.push_back(std::move(interpolations.back().evaluation));
  }
  make_dofs(space, fine, interpolations);
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

std::vector<double> inject(const NestedSpace &space, const Discretisation &fine,
                           const std::vector<double> &values) {
  std::vector<double> result(space.d.num_local);
  for (std::size_t f = 0; f < fine.form.fields.size(); ++f) {
    const int n = fine.form.fields[f].components();
    const NodeEvaluation &nodes = space.evaluations[space.field_evaluation[f]];
    const double *from = values.data() + fine.field_offset[f];
    double *to = result.data() + space.d.field_offset[f];
    for (std::size_t node = 0; node < nodes.same.size(); ++node)
      for (int k = 0; k < n && nodes.same[node] >= 0; ++k)
        to[node * n + k] = from[std::int64_t{nodes.same[node]} * n + k];
    for (const NodeEvaluation::Place &place : nodes.others) {
      double *value = to + std::int64_t{place.node} * n;
      for_functions(place, fine.map_of_field(static_cast<int>(f)), nodes.weights,
                    [&](std::int32_t node, double weight) {
                      for (int k = 0; k < n; ++k)
                        value[k] += weight * from[std::int64_t{node} * n + k];
                    });
    }
  }
  return result;
}

} // namespace weft
