#include "mesh/build/box.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "base/error.h"
#include "mesh/build/second_order.h"

namespace weft {

namespace {

// How a unit box is filled: cells by their corners, numbered x + 2 y + 4 z; 8 is the middle.
struct Filling {
  std::vector<std::vector<int>> cells;
  bool middle = false;
};

Filling filling(CellType cell) {
  switch (cell) {
  case CellType::triangle:
    return {{{0, 1, 3}, {0, 3, 2}}};
  case CellType::quadrilateral:
    return {{{0, 1, 3, 2}}};
  case CellType::tetrahedron: // the six paths along edges from corner 0 to corner 7
    return {{{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}}};
  case CellType::prism:
    return {{{0, 1, 3, 4, 5, 7}, {0, 3, 2, 4, 7, 6}}};
  case CellType::pyramid: // on each side, seen from inside counter-clockwise
    return {{{0, 1, 3, 2, 8},
             {4, 6, 7, 5, 8},
             {0, 4, 5, 1, 8},
             {2, 3, 7, 6, 8},
             {0, 2, 6, 4, 8},
             {1, 5, 7, 3, 8}},
            true};
  default:
    return {{{0, 1, 3, 2, 4, 5, 7, 6}}};
  }
}

[[noreturn]] void fail(const std::string &key, const std::string &found,
                       const std::string &allowed) {
  throw Error(ErrorKind::input,
              {"The box cannot be meshed.", "[mesh] box, " + key, found, allowed, ""});
}

CellType checked_cell(const BoxSpec &spec) {
  const CellType cell = cell_type_from_name(spec.cell);
  if (dimension(cell) < 2)
    fail("cell", spec.cell, "triangle, quadrilateral, tetrahedron, prism, pyramid, hexahedron");
  if (dimension(cell) != spec.dim)
    fail("cell", fmt::format("{} in a box of dimension {}", spec.cell, spec.dim),
         spec.dim == 2 ? "triangle, quadrilateral" : "tetrahedron, prism, pyramid, hexahedron");
  std::int64_t nodes = filling(cell).middle ? 2 : 1;
  for (int d = 0; d < spec.dim; ++d) {
    if (!std::isfinite(spec.origin[d]))
      fail("origin", fmt::format("{}", spec.origin[d]), "finite numbers");
    if (!(spec.size[d] > 0) || !std::isfinite(spec.size[d]))
      fail("size", fmt::format("{}", spec.size[d]), "numbers above 0");
    if (spec.cells[d] < 1)
      fail("cells", fmt::format("{}", spec.cells[d]), "whole numbers from 1");
    nodes *= spec.cells[d] + std::int64_t(1);
    if (nodes > 1'000'000'000)
      fail("cells", "more than 1e9 nodes", "fewer cells");
  }
  if (!(spec.distort >= 0 && spec.distort <= 0.25))
    fail("distort", fmt::format("{}", spec.distort), "0 to 0.25 (more would invert cells)");
  return cell;
}

// Uniform in [-1, 1] from a node and a direction (SplitMix64's mixing, Steele et al.,
// doi:10.1145/2660193.2660195).
double random_step(std::uint64_t node, std::uint64_t direction) {
  std::uint64_t z = (node * 3 + direction + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1;
}

class BoxGrid {
public:
  explicit BoxGrid(const BoxSpec &spec) : spec_(spec) {
    for (int d = 0; d < spec.dim; ++d)
      cells_[d] = spec.cells[d];
  }

  std::int64_t num_boxes() const {
    return cells_[0] * cells_[1] * std::max<std::int64_t>(cells_[2], 1);
  }
  std::int64_t num_corners() const { return (cells_[0] + 1) * (cells_[1] + 1) * (cells_[2] + 1); }
  // Node at a corner of the grid.
  std::int64_t node(const std::array<std::int64_t, 3> &at) const {
    return at[0] + (cells_[0] + 1) * (at[1] + (cells_[1] + 1) * at[2]);
  }
  std::int64_t box(const std::array<std::int64_t, 3> &at) const {
    return at[0] + cells_[0] * (at[1] + cells_[1] * at[2]);
  }
  std::int64_t num_nodes(bool middle) const { return num_corners() + (middle ? num_boxes() : 0); }
  // Where the corner of the grid is that a node lies at.
  std::array<std::int64_t, 3> corner(std::int64_t node) const {
    return {node % (cells_[0] + 1), node / (cells_[0] + 1) % (cells_[1] + 1),
            node / ((cells_[0] + 1) * (cells_[1] + 1))};
  }
  // Nodes of a box: corners numbered x + 2 y + 4 z, then the middle.
  std::array<std::int32_t, 9> box_nodes(std::int64_t box) const {
    const std::int64_t i = box % cells_[0], j = box / cells_[0] % cells_[1],
                       k = box / (cells_[0] * cells_[1]);
    std::array<std::int32_t, 9> nodes;
    for (int corner = 0; corner < (spec_.dim == 2 ? 4 : 8); ++corner)
      nodes[corner] = static_cast<std::int32_t>(
          node({i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)}));
    nodes[8] = static_cast<std::int32_t>(num_corners() + box);
    return nodes;
  }

  // Of a node, x: [3], zero before.
  void place(std::int64_t node, double *x) const {
    if (node < num_corners())
      return place(node, corner(node), x);
    // The middle of a distorted box is that of its corners: its pyramids stay proper.
    const auto nodes = box_nodes(node - num_corners());
    for (int corner = 0; corner < 8; ++corner) {
      double at[3] = {0, 0, 0};
      place(nodes[corner], at);
      for (int d = 0; d < 3; ++d)
        x[d] += at[d] / 8;
    }
  }

private:
  void place(std::int64_t node, const std::array<std::int64_t, 3> &at, double *x) const {
    bool inner = true;
    for (int d = 0; d < spec_.dim; ++d)
      inner = inner && at[d] > 0 && at[d] < cells_[d];
    for (int d = 0; d < spec_.dim; ++d) {
      // A step of at most `distort` in all directions together, in units of a box cell.
      const double step = inner ? spec_.distort / std::sqrt(spec_.dim) * random_step(node, d) : 0;
      x[d] = spec_.origin[d] + spec_.size[d] * ((static_cast<double>(at[d]) + step) / cells_[d]);
    }
  }

  const BoxSpec &spec_;
  std::array<std::int64_t, 3> cells_ = {1, 1, 0};
};

// Calls body(box, its place in the grid) for the boxes of layers, the first direction fastest.
template <typename Body>
void for_each_box(const BoxGrid &grid, const BoxLayers &layers, const Body &body) {
  for (const std::int64_t k : layers[2])
    for (const std::int64_t j : layers[1])
      for (const std::int64_t i : layers[0]) {
        const std::array<std::int64_t, 3> at = {i, j, k};
        body(grid.box(at), at);
      }
}

RawElements make_cells(const BoxGrid &grid, const BoxLayers &layers, CellType cell,
                       std::int32_t label) {
  const Filling parts = filling(cell);
  RawElements elements;
  elements.type = cell;
  elements.nodes_per_element = num_vertices(cell);
  const auto count = static_cast<std::int64_t>(layers[0].size() * layers[1].size() *
                                               layers[2].size() * parts.cells.size());
  elements.nodes.reserve(count * elements.nodes_per_element);
  elements.labels.assign(count, label);
  for_each_box(grid, layers, [&](std::int64_t box, const auto &) {
    const auto nodes = grid.box_nodes(box);
    for (const auto &part : parts.cells)
      for (int corner : part)
        elements.nodes.push_back(nodes[corner]);
  });
  return elements;
}

// Facets of the boxes' cells on one side of the box: local facets whose vertices all lie there.
void add_side(const BoxGrid &grid, const BoxLayers &layers, const BoxSpec &spec, CellType cell,
              int direction, bool high, std::int32_t label,
              std::map<CellType, RawElements> &facets) {
  const Filling parts = filling(cell);
  const auto on_side = [&](int corner) { return corner < 8 && (corner >> direction & 1) == high; };
  std::vector<std::pair<CellType, std::vector<int>>> pattern;
  for (const auto &part : parts.cells)
    for (int f = 0; f < num_facets(cell); ++f) {
      std::vector<int> corners;
      for (int v : facet_vertices(cell, f))
        corners.push_back(part[v]);
      if (std::all_of(corners.begin(), corners.end(), on_side))
        pattern.emplace_back(facet_type(cell, f), corners);
    }
  const std::int64_t wanted = high ? spec.cells[direction] - 1 : 0;
  BoxLayers side = layers;
  std::erase_if(side[direction], [&](std::int64_t layer) { return layer != wanted; });
  for_each_box(grid, side, [&](std::int64_t box, const auto &) {
    const auto nodes = grid.box_nodes(box);
    for (const auto &[type, corners] : pattern) {
      RawElements &elements = facets[type];
      elements.type = type;
      elements.nodes_per_element = num_vertices(type);
      for (int corner : corners)
        elements.nodes.push_back(nodes[corner]);
      elements.labels.push_back(label);
    }
  });
}

// The nodes of the high side and those of the low side, of boxes in these layers.
PeriodicLink make_link(const BoxGrid &grid, const BoxLayers &layers, const BoxSpec &spec,
                       int direction) {
  PeriodicLink link;
  const auto is_there = [](const std::vector<std::int64_t> &found, std::int64_t layer) {
    return std::binary_search(found.begin(), found.end(), layer);
  };
  if (!is_there(layers[direction], 0) || !is_there(layers[direction], spec.cells[direction] - 1))
    return link;
  std::array<std::vector<std::int64_t>, 3> corners; // [direction]: planes of nodes
  for (int d = 0; d < 3; ++d)
    for (std::int64_t plane = 0; plane <= (d < spec.dim ? spec.cells[d] : 0); ++plane)
      if (d == direction ? plane == spec.cells[d]
                         : is_there(layers[d], plane) || is_there(layers[d], plane - 1))
        corners[d].push_back(plane);
  for (const std::int64_t k : corners[2])
    for (const std::int64_t j : corners[1])
      for (const std::int64_t i : corners[0]) {
        const std::array<std::int64_t, 3> at = {i, j, k};
        auto master = at;
        master[direction] = 0;
        link.emplace_back(static_cast<std::int32_t>(grid.node(at)),
                          static_cast<std::int32_t>(grid.node(master)));
      }
  return link;
}

// All but the coordinates; nodes have their numbers in the whole box.
RawMesh make_layers(const BoxGrid &grid, const BoxLayers &layers, const BoxSpec &spec,
                    CellType cell) {
  RawMesh raw;
  raw.file = "box";
  raw.generated = true;
  raw.labels.push_back({spec.dim, 1, {"box"}});
  raw.elements.push_back(make_cells(grid, layers, cell, 0));
  std::map<CellType, RawElements> facets;
  for (int d = 0; d < spec.dim; ++d)
    for (bool high : {false, true}) {
      raw.labels.push_back({spec.dim - 1,
                            static_cast<std::int64_t>(raw.labels.size()),
                            {fmt::format("{}{}", "xyz"[d], high ? 1 : 0)}});
      add_side(grid, layers, spec, cell, d, high, static_cast<std::int32_t>(raw.labels.size()) - 1,
               facets);
    }
  for (auto &[type, elements] : facets)
    raw.elements.push_back(std::move(elements));
  for (int d = 0; d < spec.dim; ++d)
    if (spec.periodic[d])
      raw.periodic.push_back(make_link(grid, layers, spec, d));
  return raw;
}

// The nodes of the coarser box whose mean is a node of the finer one: the ends of the edge, or the
// corners of the square or cube, in whose middle it lies.
class BoxParents {
public:
  BoxParents(CellType cell, const BoxGrid &coarse) : cell_(cell), coarse_(coarse) {}

  void add_corner(const std::array<std::int64_t, 3> &at) {
    std::array<std::int64_t, 3> low, odd;
    for (int d = 0; d < 3; ++d) {
      low[d] = at[d] / 2;
      odd[d] = at[d] % 2;
    }
    if (cell_ == CellType::pyramid && odd == std::array<std::int64_t, 3>{1, 1, 1})
      parents_.vertices.push_back(coarse_.box_nodes(coarse_.box(low))[8]);
    else
      add_corners(low, odd);
    close();
  }
  // The middle of a box of the finer grid: between that of the coarser box and a corner of it.
  void add_middle(const std::array<std::int64_t, 3> &box) {
    std::array<std::int64_t, 3> coarse_box, corner;
    for (int d = 0; d < 3; ++d) {
      coarse_box[d] = box[d] / 2;
      corner[d] = coarse_box[d] + box[d] % 2;
    }
    parents_.vertices.push_back(static_cast<std::int32_t>(coarse_.node(corner)));
    parents_.vertices.push_back(coarse_.box_nodes(coarse_.box(coarse_box))[8]);
    close();
  }
  VertexParents take() { return std::move(parents_); }

private:
  // Directions that are cut by diagonals go together: all low or all high.
  bool tied(int d, int e) const {
    return cell_ == CellType::tetrahedron ||
           ((cell_ == CellType::triangle || cell_ == CellType::prism) && d < 2 && e < 2);
  }
  void add_corners(const std::array<std::int64_t, 3> &low, const std::array<std::int64_t, 3> &odd) {
    for (int corner = 0; corner < 8; ++corner) {
      bool is_parent = true;
      for (int d = 0; d < 3; ++d)
        for (int e = 0; e <= d; ++e)
          is_parent = is_parent && (odd[d] || !(corner >> d & 1)) &&
                      !(tied(d, e) && odd[d] && odd[e] && (corner >> d & 1) != (corner >> e & 1));
      if (is_parent)
        parents_.vertices.push_back(static_cast<std::int32_t>(coarse_.node(
            {low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2)})));
    }
  }
  void close() { parents_.first.push_back(static_cast<std::int64_t>(parents_.vertices.size())); }

  CellType cell_;
  const BoxGrid &coarse_;
  VertexParents parents_{{0}, {}};
};

} // namespace

std::optional<BoxSpec> coarser_box(const BoxSpec &spec) {
  BoxSpec coarse = spec;
  coarse.distort = 0;
  for (int d = 0; d < spec.dim; ++d) {
    if (spec.cells[d] % 2 != 0 || (spec.periodic[d] && spec.cells[d] < 6))
      return {};
    coarse.cells[d] /= 2;
  }
  return coarse;
}

VertexParents box_parents(const BoxSpec &spec) {
  const CellType cell = cell_type_from_name(spec.cell);
  const auto coarse_spec = coarser_box(spec);
  require(coarse_spec.has_value(), "a box with a coarser one");
  const BoxGrid coarse(*coarse_spec);
  BoxParents parents(cell, coarse);
  std::array<std::int64_t, 3> last = {0, 0, 0}, at;
  for (int d = 0; d < spec.dim; ++d)
    last[d] = spec.cells[d];
  for (at[2] = 0; at[2] <= last[2]; ++at[2])
    for (at[1] = 0; at[1] <= last[1]; ++at[1])
      for (at[0] = 0; at[0] <= last[0]; ++at[0])
        parents.add_corner(at);
  if (filling(cell).middle)
    for (at[2] = 0; at[2] < last[2]; ++at[2])
      for (at[1] = 0; at[1] < last[1]; ++at[1])
        for (at[0] = 0; at[0] < last[0]; ++at[0])
          parents.add_middle(at);
  return parents.take();
}

RawMesh make_box(const BoxSpec &spec) {
  const CellType cell = checked_cell(spec);
  const BoxGrid grid(spec);
  BoxLayers all;
  for (int d = 0; d < 3; ++d) {
    all[d].resize(d < spec.dim ? spec.cells[d] : 1);
    std::iota(all[d].begin(), all[d].end(), 0);
  }
  RawMesh raw = make_layers(grid, all, spec, cell);
  raw.coordinates.resize(3 * grid.num_nodes(filling(cell).middle));
  for (std::int64_t node = 0; node < raw.num_nodes(); ++node)
    grid.place(node, &raw.coordinates[3 * node]);
  return raw;
}

PartOfBox make_part_of_box(const BoxSpec &spec, const BoxLayers &layers) {
  const CellType cell = checked_cell(spec);
  const BoxGrid grid(spec);
  PartOfBox part;
  part.raw = make_layers(grid, layers, spec, cell);
  part.num_whole_nodes = grid.num_nodes(filling(cell).middle);
  part.cells_per_box = static_cast<int>(filling(cell).cells.size());
  std::vector<std::int32_t> &nodes = part.whole_nodes;
  nodes = part.raw.elements[0].nodes;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const auto renumber = [&](std::int32_t &node) {
    node = static_cast<std::int32_t>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                     nodes.begin());
  };
  for (RawElements &elements : part.raw.elements)
    std::for_each(elements.nodes.begin(), elements.nodes.end(), renumber);
  for (PeriodicLink &link : part.raw.periodic)
    for (auto &[node, master] : link) {
      renumber(node);
      renumber(master);
    }
  part.raw.coordinates.resize(3 * nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n)
    grid.place(nodes[n], &part.raw.coordinates[3 * n]);
  for_each_box(grid, layers, [&](std::int64_t, const auto &at) { part.boxes.push_back(at); });
  return part;
}

} // namespace weft
