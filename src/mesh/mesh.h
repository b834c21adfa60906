// A mesh as the rest of Weft sees it: cells by type in their final order, facets with their groups.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mesh/cell_type.h"

namespace weft {

// All cells of one type. Cells are in their final order: leaf block after leaf block.
struct CellSet {
  CellType type;
  int nodes_per_cell = 0;           // of the geometry's order
  std::vector<std::int32_t> nodes;  // [cell, node]: vertices first, then edge, face, inner nodes of
                                    // order 2 in the order of space/element.h
  std::vector<std::int32_t> region; // [cell]: index into Mesh::region_classes
  // Leaf blocks: cells leaf_offset[b] .. leaf_offset[b+1]-1 form leaf b. 2, 4, 8, ... consecutive
  // leaves (starting at a multiple of that) are again a compact block.
  std::vector<std::int64_t> leaf_offset;
  // [cell]: its number in the set in the order of the file or the generator, children of a refined
  // cell one after the other. Empty where cells are in that order, and in a part (see MeshShare).
  std::vector<std::int32_t> canonical;
  std::int64_t num_cells() const { return static_cast<std::int64_t>(region.size()); }
};

// A facet of a cell: which set, which cell in it, which local facet.
struct FacetRef {
  std::int32_t set = -1;
  std::int32_t cell = -1;
  std::int8_t facet = -1;
};

// A facet on the boundary, or an interior one that carries a group.
struct Facet {
  FacetRef minus;               // the cell it belongs to
  FacetRef plus;                // the neighbour; plus.cell < 0 on the boundary
  std::int32_t facet_class = 0; // index into Mesh::facet_classes
};

// An edge of cells by its vertices.
using Edge = std::array<std::int32_t, 2>;

// A cell (or facet) may be in several named groups; those with the same groups form a class.
struct GroupClass {
  std::vector<std::string> groups;
};

// How a part of a mesh lies in the whole, and what of it other parts own. The cells of each set are
// [inner | border | ghosts]: own ones that touch no node of another part and have no neighbour in
// one, other own ones, and those of other parts that touch a node of this part or are neighbours of
// its cells.
struct MeshShare {
  struct Cells {
    std::int64_t num_inner = 0, num_owned = 0; // inner and border ones
    std::vector<std::int32_t> whole;           // [cell]: its number in the whole mesh, set by set
    std::vector<std::int32_t> owner; // [ghost]: its part; ghosts are sorted by (owner, whole)
  };
  int part = 0, num_parts = 1;
  std::vector<Cells> sets;               // parallel to Mesh::sets
  std::vector<std::int32_t> whole_nodes; // [node]: its number in the whole mesh, ascending
  // [node]: of a vertex, the part that owns it; else -1. Vertices that periodicity makes one are of
  // one part. What lies on an edge or a face goes with its vertex that has the lowest() number,
  // what lies in a cell with the cell.
  std::vector<std::int32_t> vertex_owner;
  // [node]: the lowest number in the whole mesh of the nodes that periodicity makes one with it,
  // whether they are here or not; empty without periodicity.
  std::vector<std::int32_t> lowest_image;
  std::int64_t num_whole_cells = 0, num_whole_nodes = 0;

  std::int32_t lowest(std::int32_t node) const {
    return lowest_image.empty() ? whole_nodes[node] : lowest_image[node];
  }
};

struct Mesh {
  int dim = 0;                            // of the cells and of the space: 2 or 3
  int geometry_order = 1;                 // 1 or 2
  std::vector<double> coordinates;        // [node, dim]
  std::vector<CellSet> sets;              // one a cell type, none empty but in a part
  std::vector<Facet> facets;              // all boundary facets, then interior ones with a group
  std::int64_t num_boundary_facets = 0;   // the first so many of `facets`
  std::vector<GroupClass> region_classes; // classes of cells
  std::vector<GroupClass> facet_classes;  // classes of facets; the first has no group
  // Points with a name: vertices. Curves with a name in 3D: edges of cells, by their vertices, the
  // lower one first; sorted, each once.
  std::map<std::string, std::vector<std::int32_t>> point_groups;
  std::map<std::string, std::vector<Edge>> edge_groups;
  // Pairs of nodes made one by periodicity: node -> its master. Empty without periodicity.
  std::map<std::int32_t, std::int32_t> periodic_master;
  std::optional<MeshShare> share; // of a part of a mesh

  std::int64_t num_nodes() const {
    return dim == 0 ? 0 : static_cast<std::int64_t>(coordinates.size()) / dim;
  }
  std::int64_t num_cells() const;
  // Names of the groups of cells / of facets, sorted, each once.
  std::vector<std::string> region_names() const;
  std::vector<std::string> facet_group_names() const;
};

// Whether the cell of a facet is of this part; always where the mesh is whole.
inline bool is_own_cell(const Mesh &mesh, const FacetRef &facet) {
  return !mesh.share || facet.cell < mesh.share->sets[facet.set].num_owned;
}

// Cells of a set that are of this part; they come first.
inline std::int64_t num_own_cells(const Mesh &mesh, std::size_t set) {
  return mesh.share ? mesh.share->sets[set].num_owned : mesh.sets[set].num_cells();
}

// [own cell]: numbers of the cells of a set in the canonical order of the whole mesh, which depends
// neither on parts nor on blocks: set by set, cells as CellSet::canonical has them.
std::vector<std::int32_t> canonical_numbers(const Mesh &mesh, int set);

// Calls for every facet between two cells, of the same or of different sets, once; used by interior
// facet integrals and by finite volumes.
std::vector<Facet> interior_facets(const Mesh &mesh);

} // namespace weft
