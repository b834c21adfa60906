// Meshes in memory.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "base/error.h"
#include "output/vtk/vtk_cells.h"
#include "run/input/user_case.h"
#include "space/element.h"

namespace weft {

namespace {

[[noreturn]] void fail(const std::string &what, const std::string &found,
                       const std::string &allowed, const std::string &remedy = {}) {
  throw Error(ErrorKind::input, {.what = what,
                                 .where = "mesh in memory",
                                 .found = found,
                                 .allowed = allowed,
                                 .remedy = remedy});
}

void add_points(const MeshArrays &mesh, RawMesh &raw) {
  const std::size_t dim = mesh.dimension;
  if (dim != 2 && dim != 3)
    fail("points of a dimension that meshes do not have", fmt::format("{}", dim), "2 or 3");
  if (mesh.points.size() % dim != 0)
    fail("coordinates that are no whole number of points",
         fmt::format("{} coordinates", mesh.points.size()), fmt::format("{} a point", dim));
  const std::size_t num_points = mesh.points.size() / dim;
  raw.coordinates.assign(3 * num_points, 0.0);
  for (std::size_t p = 0; p < num_points; ++p)
    for (std::size_t k = 0; k < dim; ++k) {
      const double x = mesh.points[p * dim + k];
      if (!std::isfinite(x))
        fail("a point that is nowhere", fmt::format("point {}: {}", p, x), "finite coordinates");
      raw.coordinates[3 * p + k] = x;
    }
}

// Vertices and lines, of which VTK's cells of Weft have none.
std::optional<VtkCell> cell_of(int vtk_type, std::size_t nodes) {
  if (vtk_type == 1 && nodes == 1)
    return VtkCell{CellType::point, 1};
  if (vtk_type == 3 && nodes == 2)
    return VtkCell{CellType::interval, 1};
  if (vtk_type == 21 && nodes == 3)
    return VtkCell{CellType::interval, 2};
  return vtk_cell_of(vtk_type, static_cast<std::int64_t>(nodes));
}

// [node of ours]: place in VTK's cell.
std::vector<int> places_of_nodes(const VtkCell &cell, std::size_t nodes) {
  std::vector<int> places(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    places[i] = static_cast<int>(i);
  if (cell.order == 1 || dimension(cell.cell) < 2)
    return places;
  const std::vector<int> order = vtk_node_order(make_element(cell.cell, cell.order));
  for (std::size_t i = 0; i < nodes; ++i)
    places[order[i]] = static_cast<int>(i);
  return places;
}

RawElements elements_of(const MeshCells &cells, std::int64_t num_points) {
  const std::size_t n = cells.nodes_per_cell;
  const std::optional<VtkCell> cell = cell_of(cells.vtk_type, n);
  const bool whole = cell && cell->order <= 2 &&
                     (dimension(cell->cell) < 2 ||
                      make_element(cell->cell, cell->order).num_nodes() == static_cast<int>(n));
  if (!whole) // pyramids of order 2 have a node that VTK's do not
    fail("cells of a type that Weft does not read",
         fmt::format("VTK's type {} with {} nodes", cells.vtk_type, n),
         "1, 3, 5, 9, 10, 12, 13, 14, of order 2: 21, 22, 28, 24, 29, 32");
  if (cells.nodes.size() % n != 0)
    fail("nodes that are no whole number of cells", fmt::format("{} nodes", cells.nodes.size()),
         fmt::format("{} a cell of VTK's type {}", n, cells.vtk_type));
  RawElements elements{
      .type = cell->cell, .order = cell->order, .nodes_per_element = static_cast<int>(n)};
  const std::vector<int> places = places_of_nodes(*cell, n);
  elements.nodes.reserve(cells.nodes.size());
  for (std::size_t first = 0; first < cells.nodes.size(); first += n)
    for (const int place : places) {
      const std::int64_t point = cells.nodes[first + place];
      if (point < 0 || point >= num_points)
        fail("a cell of a point that is not there",
             fmt::format("point {} in cell {} of VTK's type {}", point, first / n, cells.vtk_type),
             fmt::format("0 to {}", num_points - 1));
      elements.nodes.push_back(static_cast<std::int32_t>(point));
    }
  elements.labels.assign(cells.nodes.size() / n, 0);
  return elements;
}

// Labels of groups, and of what is in none.
void add_labels(const MeshArrays &mesh, const std::vector<RawElements> &blocks, RawMesh &raw,
                std::vector<std::vector<std::int32_t>> &labels) {
  std::vector<std::size_t> first = {0};
  for (const RawElements &block : blocks)
    first.push_back(first.back() + block.labels.size());
  std::vector<std::vector<std::string>> groups(first.back()); // [cell]
  for (const MeshGroup &group : mesh.groups) {
    int of_group = -1; // dimension
    for (const std::int64_t cell : group.cells) {
      if (cell < 0 || cell >= std::int64_t(first.back()))
        fail(fmt::format("the group {} has a cell that is not there", group.name),
             fmt::format("{}", cell), fmt::format("0 to {}", std::int64_t(first.back()) - 1));
      const auto block = std::upper_bound(first.begin(), first.end(), std::size_t(cell)) - 1;
      const int dim = dimension(blocks[block - first.begin()].type);
      if (of_group >= 0 && dim != of_group)
        fail(fmt::format("the group {} has cells of several dimensions", group.name),
             fmt::format("{} and {}", of_group, dim), "cells of one dimension",
             "give each dimension a group of its own");
      of_group = dim;
      groups[cell].push_back(group.name);
    }
  }
  std::map<RawLabel, std::int32_t> known;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    labels.emplace_back();
    for (std::size_t c = first[b]; c < first[b + 1]; ++c) {
      std::sort(groups[c].begin(), groups[c].end());
      groups[c].erase(std::unique(groups[c].begin(), groups[c].end()), groups[c].end());
      const RawLabel label{.dim = dimension(blocks[b].type), .entity = 1, .groups = groups[c]};
      const auto [at, is_new] = known.emplace(label, static_cast<std::int32_t>(known.size()));
      if (is_new)
        raw.labels.push_back(label);
      labels.back().push_back(at->second);
    }
  }
}

} // namespace

RawMesh raw_mesh_of(const MeshArrays &mesh) {
  RawMesh raw{.file = "mesh in memory"};
  add_points(mesh, raw);
  std::vector<RawElements> blocks;
  for (const MeshCells &cells : mesh.cells)
    if (!cells.nodes.empty())
      blocks.push_back(elements_of(cells, raw.num_nodes()));
  std::vector<std::vector<std::int32_t>> labels; // [block][cell]
  add_labels(mesh, blocks, raw, labels);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].labels = std::move(labels[b]);
    const auto same =
        std::find_if(raw.elements.begin(), raw.elements.end(), [&](const RawElements &e) {
          return e.type == blocks[b].type && e.order == blocks[b].order;
        });
    if (same == raw.elements.end()) {
      raw.elements.push_back(std::move(blocks[b]));
      continue;
    }
    same->nodes.insert(same->nodes.end(), blocks[b].nodes.begin(), blocks[b].nodes.end());
    same->labels.insert(same->labels.end(), blocks[b].labels.begin(), blocks[b].labels.end());
  }
  return raw;
}

} // namespace weft
