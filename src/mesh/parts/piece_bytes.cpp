#include "mesh/parts/piece_bytes.h"

#include <type_traits>

#include "base/error.h"
#include "ranks/bytes.h"

namespace weft {

namespace {

// Visits all that a mesh holds: writes it, or reads it.
template <typename Visit, typename M> void for_members(Visit &visit, M &mesh) {
  visit(mesh.dim);
  visit(mesh.geometry_order);
  visit(mesh.coordinates);
  auto num_sets = static_cast<std::int64_t>(mesh.sets.size());
  visit(num_sets);
  if constexpr (!std::is_const_v<M>)
    mesh.sets.resize(num_sets);
  for (auto &set : mesh.sets) {
    visit(set.type);
    visit(set.nodes_per_cell);
    visit(set.nodes);
    visit(set.region);
    visit(set.leaf_offset);
    visit(set.canonical);
  }
  auto num_facets = static_cast<std::int64_t>(mesh.facets.size());
  visit(num_facets);
  if constexpr (!std::is_const_v<M>)
    mesh.facets.resize(num_facets);
  for (auto &facet : mesh.facets) { // member by member: the same mesh has the same bytes
    for (auto *side : {&facet.minus, &facet.plus}) {
      visit(side->set);
      visit(side->cell);
      visit(side->facet);
    }
    visit(facet.facet_class);
  }
  visit(mesh.num_boundary_facets);
  for (auto *classes : {&mesh.region_classes, &mesh.facet_classes}) {
    auto num_classes = static_cast<std::int64_t>(classes->size());
    visit(num_classes);
    if constexpr (!std::is_const_v<M>)
      classes->resize(num_classes);
    for (auto &of_class : *classes)
      visit(of_class.groups);
  }
  visit(mesh.point_groups);
  visit(mesh.edge_groups);
  visit(mesh.periodic_master);
}

template <typename Visit, typename P> void for_members_of_piece(Visit &visit, P &piece) {
  for_members(visit, piece.mesh);
  if constexpr (!std::is_const_v<P>)
    piece.cells.resize(piece.mesh.sets.size());
  for (auto &cells : piece.cells) {
    visit(cells.whole);
    visit(cells.part);
    visit(cells.num_whole);
  }
  visit(piece.whole_nodes);
  visit(piece.num_whole_nodes);
  visit(piece.links);
  visit(piece.part);
  visit(piece.num_parts);
}

} // namespace

std::vector<std::byte> piece_to_bytes(const MeshPiece &piece) {
  ByteWriter writer;
  for_members_of_piece(writer, piece);
  return writer.take();
}

MeshPiece piece_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  MeshPiece piece;
  for_members_of_piece(reader, piece);
  require(reader.at_end(), "a piece of a mesh has no bytes left");
  return piece;
}

} // namespace weft
