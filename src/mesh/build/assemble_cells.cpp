#include "mesh/build/assemble_cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "mesh/build/orient_cells.h"
#include "mesh/build/raise_order.h"
#include "mesh/build/second_order.h"

namespace weft {

namespace {

int highest_dimension(const RawMesh &raw) {
  int dim = 0;
  for (const auto &elements : raw.elements)
    dim = std::max(dim, dimension(elements.type));
  if (dim < 2)
    throw Error(ErrorKind::input,
                {"The mesh has no cells.", raw.file, "points and lines only",
                 "triangles, quadrilaterals, tetrahedra, pyramids, prisms, hexahedra",
                 "mesh the geometry in 2D or 3D; with physical groups, put the volumes (or "
                 "surfaces, in 2D) in one too"});
  return dim;
}

// 2D meshes lie in a plane z = const.
void check_plane(const RawMesh &raw) {
  double low = raw.coordinates[2], high = low, extent = 0;
  for (std::int64_t i = 0; i < raw.num_nodes(); ++i) {
    low = std::min(low, raw.coordinates[3 * i + 2]);
    high = std::max(high, raw.coordinates[3 * i + 2]);
    extent = std::max({extent, std::abs(raw.coordinates[3 * i] - raw.coordinates[0]),
                       std::abs(raw.coordinates[3 * i + 1] - raw.coordinates[1])});
  }
  if (high - low > 1e-12 * std::max(extent, std::abs(low)))
    throw Error(ErrorKind::unsupported,
                {"The mesh is a curved or tilted surface.", raw.file,
                 fmt::format("z from {} to {}", low, high),
                 "2D meshes in a plane z = const, or 3D cells",
                 "if the geometry is 3D, mesh its volumes too (gmsh -3, a physical volume)"});
}

// Takes the cells of order 1 or 2 out of the raw mesh; the order found.
int take_cells(RawMesh &raw, Mesh &mesh, std::vector<std::vector<std::int64_t>> *tags) {
  int order = 0;
  std::vector<RawElements> rest;
  for (auto &elements : raw.elements) {
    if (dimension(elements.type) < mesh.dim) {
      rest.push_back(std::move(elements));
      continue;
    }
    if (order != 0 && elements.order != order)
      throw Error(ErrorKind::input, {"The mesh has cells of order 1 and of order 2.", raw.file,
                                     "both", "one order for all cells", "mesh it with one -order"});
    order = elements.order;
    if (elements.size() > std::numeric_limits<std::int32_t>::max() / 8)
      throw Error(ErrorKind::unsupported,
                  {"The mesh has too many cells.", raw.file, std::to_string(elements.size()),
                   "268435455 a type", ""});
    CellSet set;
    set.type = elements.type;
    set.nodes_per_cell = elements.nodes_per_element;
    set.nodes = std::move(elements.nodes);
    set.region = std::move(elements.labels);
    set.leaf_offset = {0, set.num_cells()};
    orient_cells(raw, elements.tags, set);
    if (tags)
      tags->push_back(std::move(elements.tags));
    mesh.sets.push_back(std::move(set));
  }
  raw.elements = std::move(rest);
  return order;
}

void keep_vertices(std::vector<std::int32_t> &nodes, int nodes_each, int vertices) {
  if (nodes_each == vertices)
    return;
  const std::size_t count = nodes.size() / nodes_each;
  for (std::size_t e = 0; e < count; ++e)
    std::copy_n(&nodes[e * nodes_each], vertices, &nodes[e * vertices]);
  nodes.resize(count * vertices);
  nodes.shrink_to_fit();
}

void lower_order(Mesh &mesh) {
  for (auto &set : mesh.sets) {
    keep_vertices(set.nodes, set.nodes_per_cell, num_vertices(set.type));
    set.nodes_per_cell = num_vertices(set.type);
  }
}

// New numbers of the nodes that cells use, in the old order; -1 for the others.
std::vector<std::int32_t> number_used_nodes(const RawMesh &raw, const Mesh &mesh) {
  std::vector<std::int32_t> numbers(raw.num_nodes(), -1);
  for (const auto &set : mesh.sets)
    for (auto node : set.nodes)
      numbers[node] = 0;
  std::int32_t used = 0;
  for (auto &number : numbers)
    if (number == 0)
      number = used++;
  return numbers;
}

void renumber(std::vector<std::int32_t> &nodes, const std::vector<std::int32_t> &numbers) {
  parallel_ranges(static_cast<std::int64_t>(nodes.size()),
                  [&](std::int64_t begin, std::int64_t end, int) {
                    for (std::int64_t i = begin; i < end; ++i)
                      nodes[i] = numbers[nodes[i]];
                  });
}

// Drops nodes of no cell, takes the scaled coordinates over, renumbers what is left of `raw`.
// Returns how many nodes were dropped.
std::int64_t compact_nodes(RawMesh &raw, Mesh &mesh, double scale) {
  const auto numbers = number_used_nodes(raw, mesh);
  const std::int64_t unused = std::count(numbers.begin(), numbers.end(), -1);
  mesh.coordinates.reserve((raw.num_nodes() - unused) * mesh.dim);
  for (std::int64_t i = 0; i < raw.num_nodes(); ++i)
    for (int d = 0; d < mesh.dim && numbers[i] >= 0; ++d)
      mesh.coordinates.push_back(scale * raw.coordinates[3 * i + d]);
  raw.coordinates = {};
  for (auto &elements : raw.elements) {
    keep_vertices(elements.nodes, elements.nodes_per_element, num_vertices(elements.type));
    elements.nodes_per_element = num_vertices(elements.type);
    elements.order = 1;
    renumber(elements.nodes, numbers);
  }
  if (unused > 0)
    for (auto &set : mesh.sets)
      renumber(set.nodes, numbers);
  for (auto &link : raw.periodic) {
    std::erase_if(link, [&](const auto &pair) {
      return numbers[pair.first] < 0 || numbers[pair.second] < 0;
    });
    for (auto &[node, master] : link) {
      node = numbers[node];
      master = numbers[master];
    }
  }
  return unused;
}

// Labels of cells become classes of regions.
void classify_regions(const RawMesh &raw, Mesh &mesh) {
  std::vector<std::int32_t> class_of(raw.labels.size(), -1);
  for (auto &set : mesh.sets)
    for (auto &region : set.region) {
      if (class_of[region] < 0)
        class_of[region] = find_class(mesh.region_classes, group_names(raw.labels[region]));
      region = class_of[region];
    }
}

} // namespace

const char *entity_kind(int dim) {
  static const char *const kinds[] = {"point", "curve", "surface", "volume"};
  return kinds[dim];
}

std::vector<std::string> group_names(const RawLabel &label) {
  if (!label.groups.empty())
    return label.groups;
  return {fmt::format("{}_{}", entity_kind(label.dim), label.entity)};
}

std::int32_t find_class(std::vector<GroupClass> &classes, const std::vector<std::string> &groups) {
  const auto found = std::find_if(classes.begin(), classes.end(),
                                  [&](const auto &known) { return known.groups == groups; });
  if (found != classes.end())
    return static_cast<std::int32_t>(found - classes.begin());
  classes.push_back({groups});
  return static_cast<std::int32_t>(classes.size()) - 1;
}

Mesh assemble_cells(RawMesh &raw, int order, double scale,
                    std::vector<std::vector<std::int64_t>> *tags) {
  Mesh mesh;
  mesh.dim = highest_dimension(raw);
  if (mesh.dim == 2)
    check_plane(raw);
  const int found_order = take_cells(raw, mesh, tags);
  if (order == 0)
    order = found_order;
  mesh.geometry_order = order;
  if (found_order == 2 && order == 1) {
    log::notice("{}: the mesh is of order 2; its vertices alone are used, since order = 1.",
                raw.file);
    lower_order(mesh);
  }
  const std::int64_t unused = compact_nodes(raw, mesh, scale);
  if (unused > 0 && found_order <= order)
    log::notice("{}: {} nodes belong to no cell and are dropped.", raw.file, unused);
  if (found_order == 1 && order == 2) {
    if (!raw.generated)
      log::notice("{}: the mesh is of order 1; order = 2 adds nodes on its straight edges.",
                  raw.file);
    raise_order(mesh);
  }
  classify_regions(raw, mesh);
  return mesh;
}

} // namespace weft
