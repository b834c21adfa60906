#include "op/levels/nested_space.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "op/levels/low_order_mesh.h"
#include "op/problem/dof_layout.h"
#include "op/problem/quadrature_degree.h"
#include "op/set_up/make_discretisation.h"

namespace weft {

namespace {

struct NodeInterpolation {
  ForRows for_rows;
  NodeEvaluation evaluation;
};

// Adds up what nodes have that periodicity made one; they follow one another.
void merge_nodes(Row &row) {
  auto last = row.begin();
  for (auto weight = row.begin(); weight != row.end(); ++weight)
    if (last != row.begin() && std::prev(last)->first == weight->first)
      std::prev(last)->second += weight->second;
    else
      *last++ = *weight;
  row.erase(last, row.end());
}

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

// The rows of the fine nodes whose place is in a set's cells [begin, end). `weights`: [fine node of
// a cell][coarse node of the cell].
void for_rows_of_cells(int set, std::int64_t begin, std::int64_t end, const NodeMap &fine,
                       const NodeMap &coarse, const std::vector<NodeEvaluation::Place> &places,
                       const std::vector<double> &weights, const RowVisitor &visit) {
  const int num_fine = fine.sets[set].element.num_nodes();
  const int num_coarse = coarse.sets[set].element.num_nodes();
  std::vector<int> ascending(num_coarse); // numbers in the cell by the node's own
  Row row;
  for (std::int64_t cell = begin; cell < end; ++cell) {
    const std::int32_t *fine_nodes = &fine.sets[set].nodes[cell * num_fine];
    const std::int32_t *coarse_nodes = &coarse.sets[set].nodes[cell * num_coarse];
    std::iota(ascending.begin(), ascending.end(), 0);
    std::sort(ascending.begin(), ascending.end(),
              [&](int i, int j) { return coarse_nodes[i] < coarse_nodes[j]; });
    for (int i = 0; i < num_fine; ++i) {
      const NodeEvaluation::Place &place = places[fine_nodes[i]];
      if (place.set != set || place.cell != cell || place.local != i)
        continue;
      row.clear();
      for (const int j : ascending)
        if (const double weight = weights[i * num_coarse + j]; weight != 0)
          row.emplace_back(coarse_nodes[j], weight);
      merge_nodes(row);
      visit(fine_nodes[i], row);
    }
  }
}

void for_rows_of_orders(const NodeMap &fine, const NodeMap &coarse, const RowVisitor &visit) {
  const std::vector<NodeEvaluation::Place> places = places_of_nodes(fine);
  for (std::size_t s = 0; s < fine.sets.size(); ++s) {
    const std::vector<double> weights =
        functions_at_nodes(coarse.sets[s].element, fine.sets[s].element);
    const std::int64_t num_cells =
        static_cast<std::int64_t>(fine.sets[s].nodes.size()) / fine.sets[s].element.num_nodes();
    parallel_ranges(num_cells, [&](std::int64_t begin, std::int64_t end, int) {
      for_rows_of_cells(static_cast<int>(s), begin, end, fine, coarse, places, weights, visit);
    });
  }
}

// Between orders on one mesh.
NodeInterpolation interpolate_orders(const NodeMap &fine, const NodeMap &coarse) {
  return {.for_rows = for_rows_of_orders, .evaluation = evaluate_orders(fine, coarse)};
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

// Between elements of order 1 on two meshes. `coarser` must outlive the result.
NodeInterpolation interpolate_meshes(const NodeMap &fine, const NodeMap &coarse,
                                     const CoarserMesh &coarser) {
  const std::vector<std::int32_t> node_of = nodes_of_vertices(coarser.mesh, coarse);
  NodeInterpolation result;
  result.for_rows = [&coarser, node_of](const NodeMap &fine, const NodeMap &,
                                        const RowVisitor &visit) {
    parallel_ranges(fine.num_local, [&](std::int64_t begin, std::int64_t end, int) {
      Row row;
      for (std::int64_t node = begin; node < end; ++node) {
        const auto parents = coarser.parents.of(fine.mesh_nodes[node]);
        row.clear();
        for (const auto parent : parents)
          row.emplace_back(node_of[parent], 1 / static_cast<double>(parents.size()));
        std::sort(row.begin(), row.end());
        merge_nodes(row);
        visit(node, row);
      }
    });
  };
  std::vector<std::int32_t> &same = result.evaluation.same;
  same.assign(coarse.num_local, -1);
  for (std::int64_t node = 0; node < fine.num_local; ++node)
    if (const auto parents = coarser.parents.of(fine.mesh_nodes[node]); parents.size() == 1)
      same[node_of[parents[0]]] = static_cast<std::int32_t>(node);
  require(std::find(same.begin(), same.end(), -1) == same.end(),
          "every coarse node is a node of the finer mesh");
  return result;
}

// Between a space and its cells divided at the nodes: the same nodes in another order.
NodeInterpolation renumber(const NodeMap &fine, const NodeMap &coarse,
                           const std::vector<std::int32_t> &fine_nodes) {
  std::vector<std::int32_t> coarse_nodes(fine.num_local, -1);
  NodeInterpolation result;
  std::vector<std::int32_t> &same = result.evaluation.same;
  same.resize(coarse.num_local);
  for (std::int64_t node = 0; node < coarse.num_local; ++node) {
    same[node] = fine_nodes[coarse.mesh_nodes[node]];
    coarse_nodes[same[node]] = static_cast<std::int32_t>(node);
  }
  require(std::find(coarse_nodes.begin(), coarse_nodes.end(), -1) == coarse_nodes.end(),
          "every node is a vertex of the divided mesh");
  result.for_rows = [coarse_nodes](const NodeMap &, const NodeMap &, const RowVisitor &visit) {
    const auto num_nodes = static_cast<std::int64_t>(coarse_nodes.size());
    parallel_ranges(num_nodes, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t node = begin; node < end; ++node)
        visit(node, {{coarse_nodes[node], 1.0}});
    });
  };
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

// That the cells can be divided at the nodes of one element.
void check_division(const Discretisation &d) {
  check_fields(d);
  const auto refuse = [&](const std::string &found) {
    throw Error(ErrorKind::unsupported,
                {.what = "cells divided at their nodes, as coarsening = \"low_order\" has them",
                 .where = d.form.fields.front().place,
                 .found = found,
                 .allowed = "fields of one order, 2 to 8, on quadrilaterals and hexahedra",
                 .remedy = "choose coarsening = \"nested\""});
  };
  for (const int map : d.field_map)
    if (map != d.field_map.front())
      refuse("fields of several orders");
  if (highest_field_order(d) == 1)
    refuse("element = \"" + d.form.fields.front().element() + "\"");
  for (const CellSet &set : d.mesh->sets)
    if (set.type != CellType::quadrilateral && set.type != CellType::hexahedron)
      refuse("cells of type " + to_string(set.type));
}

// All; [dof], as the host has them: whether one is prescribed.
std::vector<double> prescribed(const Discretisation &d) {
  std::vector<double> entries(d.num_owned, 0);
  for (const auto dof : d.constraints.dofs)
    entries[dof] = 1;
  return state_of_entries(d, std::move(entries));
}

// Prescribed dofs and their values from the finer space. A node at which that has none is
// prescribed where all that its value depends on is.
void constrain(NestedSpace &space, const Discretisation &fine) {
  std::vector<double> values(fine.num_owned, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < fine.constraints.dofs.size(); ++i)
    values[fine.constraints.dofs[i]] = fine.constraints.values[i];
  // NaN unless all are prescribed.
  values = own_entries(space.d, inject(space, fine, state_of_entries(fine, std::move(values))));
  Constraints &constraints = space.d.constraints;
  constraints = {.depend_on_time = fine.constraints.depend_on_time};
  for (std::int64_t dof = 0; dof < space.d.num_owned; ++dof)
    if (!std::isnan(values[dof])) {
      constraints.dofs.push_back(static_cast<std::int32_t>(dof));
      constraints.values.push_back(values[dof]);
    }
}

// The space without what ties it to the finer one. Conditions are not evaluated on its mesh: they
// come from the finer space.
NestedSpace make_space(const Case &c, const Mesh &mesh, int order,
                       std::optional<int> quadrature_degree, Communicator *ranks) {
  NestedSpace space;
  space.c = c;
  space.c.dirichlet.clear();
  for (FieldSpec &field : space.c.form.fields)
    field.order = std::min(field.order, order);
  space.c.form.quadrature.degree.reset(); // which is for the order that the case has
  space.d = make_discretisation(space.c, mesh, quadrature_degree, ranks);
  return space;
}

// `interpolate`: called once for each pair of maps.
template <typename Interpolate>
void tie(NestedSpace &space, const Discretisation &fine, Interpolate interpolate) {
  std::vector<std::pair<int, int>> pairs; // maps of the finer and the coarser space
  for (std::size_t f = 0; f < fine.form.fields.size(); ++f) {
    const std::pair pair(fine.field_map[f], space.d.field_map[f]);
    const auto known = std::find(pairs.begin(), pairs.end(), pair);
    space.field_evaluation.push_back(static_cast<int>(known - pairs.begin()));
    if (known != pairs.end())
      continue;
    pairs.push_back(pair);
    NodeInterpolation made = interpolate(fine.maps[pair.first], space.d.maps[pair.second]);
    space.interpolations.push_back(std::move(made.for_rows));
    space.evaluations.push_back(std::move(made.evaluation));
  }
  constrain(space, fine);
}

} // namespace

NestedSpace make_lower_order_space(const Case &c, const Discretisation &fine, int order,
                                   std::optional<int> quadrature_degree) {
  require(order >= 1, "an order of continuous elements");
  check_fields(fine);
  NestedSpace space = make_space(c, *fine.mesh, order, quadrature_degree, fine.ranks);
  tie(space, fine, interpolate_orders);
  return space;
}

NestedSpace make_coarser_space(const Case &c, const Discretisation &fine,
                               const CoarserMesh &coarser, std::optional<int> quadrature_degree) {
  check_fields(fine);
  require(highest_field_order(fine) == 1, "coarser meshes are for elements of order 1");
  NestedSpace space = make_space(c, coarser.mesh, 1, quadrature_degree, nullptr);
  tie(space, fine, [&](const NodeMap &from, const NodeMap &to) {
    return interpolate_meshes(from, to, coarser);
  });
  return space;
}

NestedSpace make_low_order_space(const Case &c, const Discretisation &fine) {
  check_division(fine);
  LowOrderMesh low = make_low_order_mesh(*fine.mesh, fine.map_of_field(0));
  const auto mesh = std::make_shared<const Mesh>(std::move(low.mesh));
  Case low_case = c;
  for (FieldSpec &field : low_case.form.auxiliary)
    field.order = std::min(field.order, 1);
  NestedSpace space = make_space(low_case, *mesh, 1, {}, nullptr);
  space.mesh = mesh;
  tie(space, fine,
      [&](const NodeMap &from, const NodeMap &to) { return renumber(from, to, low.fine_nodes); });
  return space;
}

HostMatrix make_prolongation(const NestedSpace &space, const Discretisation &fine) {
  const Discretisation &coarse = space.d;
  const std::vector<double> fine_prescribed = prescribed(fine), is_prescribed = prescribed(coarse);
  // Calls entry(row, column, weight) for each, the entries of a row one after the other.
  const auto for_entries = [&](const auto &entry) {
    for (std::size_t f = 0; f < coarse.form.fields.size(); ++f) {
      const int n = coarse.form.fields[f].components();
      const int field = static_cast<int>(f);
      const EntryOfNode row_of(fine, field), column_of(coarse, field);
      const double *fine_flags = &fine_prescribed[fine.field_offset[f]];
      const double *flags = &is_prescribed[coarse.field_offset[f]];
      const auto visit = [&](std::int64_t node, const Row &nodes) {
        for (int k = 0; k < n; ++k) {
          if (fine_flags[node * n + k] != 0)
            continue;
          const std::int64_t row = row_of(node, k);
          for (const Weight &weight : nodes)
            if (flags[std::int64_t{weight.first} * n + k] == 0)
              entry(row, column_of(weight.first, k), weight.second);
        }
      };
      space.interpolations[space.field_evaluation[f]](fine.map_of_field(field),
                                                      coarse.map_of_field(field), visit);
    }
  };
  std::vector<std::int64_t> start(fine.num_local + 1, 0);
  for_entries([&](std::int64_t row, std::int64_t, double) { ++start[row + 1]; });
  std::partial_sum(start.begin(), start.end(), start.begin());
  require(start.back() <= std::numeric_limits<std::int32_t>::max(),
          "entries of a prolongation are numbered in 32 bits");
  HostMatrix p;
  p.row_start.assign(start.begin(), start.end());
  p.columns.resize(start.back());
  p.values.resize(start.back());
  for_entries([&](std::int64_t row, std::int64_t column, double weight) {
    const std::int64_t at = start[row]++;
    p.columns[at] = static_cast<std::int32_t>(column);
    p.values[at] = weight;
  });
  return p;
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
