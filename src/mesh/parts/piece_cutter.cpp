#include "mesh/parts/piece_cutter.h"

#include <algorithm>

#include "mesh/build/periodic.h"
#include "mesh/parts/copy_groups.h"

namespace weft {

namespace {

std::vector<std::int32_t> parts_of_cells(const MeshPiece &piece) {
  std::vector<std::int32_t> parts;
  for (const MeshPiece::Cells &cells : piece.cells)
    parts.insert(parts.end(), cells.part.begin(), cells.part.end());
  return parts;
}

} // namespace

PieceCutter::PieceCutter(const MeshPiece &from)
    : from_(from), cells_(from.mesh),
      cells_of_part_(group_cells(parts_of_cells(from), from.num_parts)),
      place_of_cell_(cells_.num_cells(), -1), place_of_node_(from.mesh.num_nodes(), -1) {}

MeshPiece PieceCutter::piece(std::int32_t part) {
  MeshPiece piece;
  piece.part = part;
  piece.num_parts = from_.num_parts;
  piece.num_whole_nodes = from_.num_whole_nodes;
  piece.mesh.dim = from_.mesh.dim;
  piece.mesh.geometry_order = from_.mesh.geometry_order;
  piece.mesh.region_classes = from_.mesh.region_classes;
  piece.mesh.facet_classes = from_.mesh.facet_classes;
  const std::vector<std::int32_t> cells = cells_of_piece(part);
  take_cells(cells, piece);
  take_nodes(piece);
  copy_facets(from_.mesh, cells_, place_of_cell_, piece.mesh);
  take_periodic(piece);
  for (const std::int32_t cell : cells)
    place_of_cell_[cell] = -1;
  for (const std::int32_t node : taken_nodes_)
    place_of_node_[node] = -1;
  return piece;
}

// Ascending.
std::vector<std::int32_t> PieceCutter::cells_of_piece(std::int32_t part) {
  std::vector<std::int32_t> cells, seen;
  for (const std::int32_t own : cells_of_part_.of(part))
    for (const std::int32_t vertex : cells_.vertices_of(own)) {
      const std::int32_t master = cells_.master(vertex);
      if (place_of_node_[master] >= 0)
        continue;
      place_of_node_[master] = 0;
      seen.push_back(master);
      for (const std::int32_t cell : cells_.cells_at(vertex))
        if (place_of_cell_[cell] < 0) {
          place_of_cell_[cell] = 0;
          cells.push_back(cell);
        }
    }
  for (const std::int32_t master : seen)
    place_of_node_[master] = -1;
  std::sort(cells.begin(), cells.end());
  return cells;
}

void PieceCutter::take_cells(const std::vector<std::int32_t> &cells, MeshPiece &piece) {
  auto next = cells.begin();
  for (std::size_t s = 0; s < from_.mesh.sets.size(); ++s) {
    const CellSet &from = from_.mesh.sets[s];
    CellSet &to = piece.mesh.sets.emplace_back();
    to.type = from.type;
    to.nodes_per_cell = from.nodes_per_cell;
    MeshPiece::Cells &of_set = piece.cells.emplace_back();
    of_set.num_whole = from_.cells[s].num_whole;
    for (; next != cells.end() && *next < cells_.first(s + 1); ++next) {
      const std::int32_t cell = *next - cells_.first(s);
      place_of_cell_[*next] = static_cast<std::int32_t>(to.num_cells());
      const auto nodes = from.nodes.begin() + std::int64_t{cell} * from.nodes_per_cell;
      to.nodes.insert(to.nodes.end(), nodes, nodes + from.nodes_per_cell);
      to.region.push_back(from.region[cell]);
      of_set.whole.push_back(from_.cells[s].whole[cell]);
      of_set.part.push_back(from_.cells[s].part[cell]);
    }
    to.leaf_offset = {0, to.num_cells()};
  }
}

void PieceCutter::take_nodes(MeshPiece &piece) {
  Mesh &mesh = piece.mesh;
  taken_nodes_.clear();
  for (const CellSet &set : mesh.sets)
    for (const std::int32_t node : set.nodes)
      if (place_of_node_[node] < 0) {
        place_of_node_[node] = 0;
        taken_nodes_.push_back(node);
      }
  std::sort(taken_nodes_.begin(), taken_nodes_.end(), [&](std::int32_t a, std::int32_t b) {
    return from_.whole_nodes[a] < from_.whole_nodes[b];
  });
  for (std::size_t n = 0; n < taken_nodes_.size(); ++n) {
    const std::int32_t node = taken_nodes_[n];
    place_of_node_[node] = static_cast<std::int32_t>(n);
    piece.whole_nodes.push_back(from_.whole_nodes[node]);
    const auto x = from_.mesh.coordinates.begin() + std::int64_t{node} * mesh.dim;
    mesh.coordinates.insert(mesh.coordinates.end(), x, x + mesh.dim);
  }
  for (CellSet &set : mesh.sets)
    for (std::int32_t &node : set.nodes)
      node = place_of_node_[node];
  copy_points_and_edges(from_.mesh, place_of_node_, mesh);
}

void PieceCutter::take_periodic(MeshPiece &piece) const {
  for (const PeriodicLink &link : from_.links) {
    PeriodicLink &here = piece.links.emplace_back(); // as many of them in all pieces
    for (const auto &[node, master] : link)
      if (place_of_node_[node] >= 0 && place_of_node_[master] >= 0)
        here.emplace_back(place_of_node_[node], place_of_node_[master]);
  }
  piece.mesh.periodic_master = joined_nodes(piece.links);
}

} // namespace weft
