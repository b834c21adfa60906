#include "op/reference/sampled.h"

#include <algorithm>
#include <random>

#include "op/reference/reference.h"

namespace weft::reference {

namespace {

// Meshes with fewer cells are taken whole.
constexpr std::int64_t few_cells = 4000;

NodeMap restricted(const NodeMap &map, const std::vector<std::vector<std::int32_t>> &cells) {
  NodeMap result{.order = map.order,
                 .discontinuous = map.discontinuous,
                 .num_owned = map.num_owned,
                 .num_local = map.num_local,
                 .num_global = map.num_global,
                 .sets = {},
                 .coordinates = map.coordinates,
                 .mesh_nodes = map.mesh_nodes};
  for (std::size_t s = 0; s < cells.size(); ++s) {
    const int num_nodes = map.sets[s].element.num_nodes();
    NodeMapSet set{.element = map.sets[s].element, .nodes = {}};
    for (const std::int32_t cell : cells[s])
      for (int i = 0; i < num_nodes; ++i)
        set.nodes.push_back(map.sets[s].nodes[std::int64_t{cell} * num_nodes + i]);
    result.sets.push_back(std::move(set));
  }
  return result;
}

} // namespace

Sampled::Sampled(const Discretisation &d, std::int64_t num_cells, std::uint64_t seed) {
  const Marks marks = mark_nodes(d, num_cells, seed);
  const std::vector<std::vector<std::int32_t>> cells = touching_cells(d, marks);
  restrict_mesh(d, cells);
  for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
    const int components = d.form.fields[field].components();
    const std::vector<bool> &marked = marks[d.field_map[field]];
    for (std::size_t node = 0; node < marked.size(); ++node)
      for (int k = 0; marked[node] && k < components; ++k)
        dofs_.push_back(d.field_offset[field] + static_cast<std::int64_t>(node) * components + k);
  }
}

Sampled::Marks Sampled::mark_nodes(const Discretisation &d, std::int64_t num_cells,
                                   std::uint64_t seed) const {
  Marks marks;
  for (const NodeMap &map : d.maps)
    marks.emplace_back(map.num_local, false);
  const auto mark = [&](std::size_t s, std::int64_t cell) {
    for (const int m : d.field_map) {
      const NodeMapSet &set = d.maps[m].sets[s];
      const int num_nodes = set.element.num_nodes();
      for (int i = 0; i < num_nodes; ++i)
        marks[m][set.nodes[cell * num_nodes + i]] = true;
    }
  };
  std::mt19937_64 generator(seed);
  const std::int64_t all_cells = d.mesh->num_cells();
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const std::int64_t in_set = d.mesh->sets[s].num_cells();
    if (all_cells <= few_cells) {
      for (std::int64_t cell = 0; cell < in_set; ++cell)
        mark(s, cell);
      continue;
    }
    mark(s, 0);
    mark(s, in_set - 1);
    for (std::int64_t i = 0; i < num_cells * in_set / all_cells; ++i)
      mark(s, static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(in_set)));
  }
  return marks;
}

std::vector<std::vector<std::int32_t>> Sampled::touching_cells(const Discretisation &d,
                                                               const Marks &marks) const {
  Marks touches; // [set][cell]
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    touches.emplace_back(d.mesh->sets[s].num_cells(), false);
    for (std::int64_t cell = 0; cell < d.mesh->sets[s].num_cells(); ++cell)
      touches[s][cell] = std::any_of(d.field_map.begin(), d.field_map.end(), [&](int m) {
        const NodeMapSet &set = d.maps[m].sets[s];
        const int num_nodes = set.element.num_nodes();
        const auto first = set.nodes.begin() + cell * num_nodes;
        return std::any_of(first, first + num_nodes,
                           [&](std::int32_t node) { return marks[m][node]; });
      });
  }
  Marks with_neighbours = touches;
  for (const InteriorGroup &group : d.interior)
    for (std::size_t f = 0; f < group.minus_cells.size(); ++f)
      if (touches[group.minus_set][group.minus_cells[f]] ||
          touches[group.plus_set][group.plus_cells[f]])
        with_neighbours[group.minus_set][group.minus_cells[f]] =
            with_neighbours[group.plus_set][group.plus_cells[f]] = true;
  std::vector<std::vector<std::int32_t>> cells(touches.size());
  for (std::size_t s = 0; s < cells.size(); ++s)
    for (std::size_t cell = 0; cell < with_neighbours[s].size(); ++cell)
      if (with_neighbours[s][cell])
        cells[s].push_back(static_cast<std::int32_t>(cell));
  return cells;
}

void Sampled::restrict_mesh(const Discretisation &d,
                            const std::vector<std::vector<std::int32_t>> &cells) {
  const Mesh &mesh = *d.mesh;
  mesh_.dim = mesh.dim;
  mesh_.geometry_order = mesh.geometry_order;
  mesh_.region_classes = mesh.region_classes;
  mesh_.facet_classes = mesh.facet_classes;
  std::vector<std::vector<std::int32_t>> index_in_sample(
      cells.size()); // [set][cell]; -1: not sampled
  for (std::size_t s = 0; s < cells.size(); ++s) {
    const CellSet &set = mesh.sets[s];
    index_in_sample[s].assign(set.num_cells(), -1);
    CellSet part{.type = set.type, .nodes_per_cell = set.nodes_per_cell};
    for (const std::int32_t cell : cells[s]) {
      index_in_sample[s][cell] = static_cast<std::int32_t>(part.region.size());
      part.region.push_back(set.region[cell]);
    }
    part.leaf_offset = {0, part.num_cells()};
    mesh_.sets.push_back(std::move(part));
  }
  d_.mesh = &mesh_;
  d_.form = d.form;
  d_.geometry = restricted(d.geometry, cells);
  for (const NodeMap &map : d.maps)
    d_.maps.push_back(restricted(map, cells));
  d_.field_map = d.field_map;
  d_.field_offset = d.field_offset;
  d_.num_owned = d.num_owned;
  d_.num_local = d.num_local;
  d_.num_global = d.num_global;
  d_.auxiliary = d.auxiliary;
  d_.cell_table = d.cell_table;
  d_.facet_table = d.facet_table;
  d_.constraints = d.constraints;
  d_.time = d.time;
  d_.cell_degree = d.cell_degree;
  d_.facet_degree = d.facet_degree;
  d_.line_points = d.line_points;
  for (const std::int32_t index : d.integrated_facets) {
    Facet facet = mesh.facets[index];
    facet.minus.cell = index_in_sample[facet.minus.set][facet.minus.cell];
    if (facet.minus.cell < 0)
      continue;
    d_.integrated_facets.push_back(static_cast<std::int32_t>(mesh_.facets.size()));
    mesh_.facets.push_back(facet);
  }
  mesh_.num_boundary_facets = static_cast<std::int64_t>(mesh_.facets.size());
  for (const InteriorGroup &group : d.interior) {
    InteriorGroup part = group;
    part.minus_cells.clear();
    part.plus_cells.clear();
    part.classes.clear();
    for (std::size_t f = 0; f < group.minus_cells.size(); ++f) {
      const std::int32_t minus = index_in_sample[group.minus_set][group.minus_cells[f]];
      const std::int32_t plus = index_in_sample[group.plus_set][group.plus_cells[f]];
      if (minus < 0 || plus < 0)
        continue;
      part.minus_cells.push_back(minus);
      part.plus_cells.push_back(plus);
      part.classes.push_back(group.classes[f]);
    }
    if (!part.minus_cells.empty())
      d_.interior.push_back(std::move(part));
  }
}

std::vector<double> Sampled::rows(const std::vector<double> &all) const {
  std::vector<double> rows;
  for (const std::int64_t dof : dofs_)
    rows.push_back(all[dof]);
  return rows;
}

std::vector<double> Sampled::residual(const std::vector<double> &u, const Rate &rate) const {
  return rows(reference::residual(d_, u, rate));
}

std::vector<double> Sampled::apply(const std::vector<double> &u, const std::vector<double> &x,
                                   const Rate &rate) const {
  return rows(reference::apply(d_, u, x, rate));
}

} // namespace weft::reference
