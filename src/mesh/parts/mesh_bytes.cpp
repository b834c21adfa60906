#include "mesh/parts/mesh_bytes.h"

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
  visit(mesh.periodic_master);
  bool is_part = mesh.share.has_value();
  visit(is_part);
  if (!is_part)
    return;
  if constexpr (!std::is_const_v<M>) {
    mesh.share.emplace();
    mesh.share->sets.resize(num_sets);
  }
  auto &share = *mesh.share;
  for (auto &cells : share.sets) {
    visit(cells.num_inner);
    visit(cells.num_owned);
    visit(cells.whole);
    visit(cells.owner);
  }
  visit(share.part);
  visit(share.num_parts);
  visit(share.whole_nodes);
  visit(share.vertex_owner);
  visit(share.num_whole_cells);
  visit(share.num_whole_nodes);
}

} // namespace

std::vector<std::byte> mesh_to_bytes(const Mesh &mesh) {
  ByteWriter writer;
  for_members(writer, mesh);
  return writer.take();
}

Mesh mesh_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Mesh mesh;
  for_members(reader, mesh);
  require(reader.at_end(), "a mesh has no bytes left");
  return mesh;
}

} // namespace weft
