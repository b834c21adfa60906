// Numbering of the nodes of an element over a mesh; fields number their dofs node * components + k.
#pragma once

#include <cstdint>
#include <vector>

#include "mesh/mesh.h"
#include "space/element.h"

namespace weft {

// Nodes of one cell set.
struct NodeMapSet {
  Element element;
  std::vector<std::int32_t> nodes; // [cell, node]: global node numbers
};

// One numbering for all fields of the same order.
//
// Order of the numbers: think of the leaves (numbered over all sets, each set starting at a
// multiple of `leaf_alignment`) as the leaves of binary trees of `leaf_alignment` leaves each. A
// node belongs to the smallest tree node that contains all leaves which touch it; numbers follow
// each tree in post-order. So for every merge of 2^m leaves up to a tree the nodes inside a merged
// block are contiguous. Nodes between trees come behind the first tree that touches them: what is
// near in space stays near in memory, for products with matrices above all. Nodes of other ranks
// (see MeshShare::vertex_owner) come behind all own ones.
struct NodeMap {
  int order = 1;
  bool discontinuous = false; // of make_discontinuous_map()
  bool whole_domain = false;  // of make_whole_domain_map()
  // Nodes of this rank, those before others that its cells touch; nodes that its cells touch: the
  // length of arrays by node; nodes of all ranks.
  std::int64_t num_owned = 0, num_local = 0, num_global = 0;
  std::vector<NodeMapSet> sets;    // parallel to Mesh::sets
  std::vector<double> coordinates; // [node, dim] on the curved geometry
  // Continuous ones of order 1: mesh vertex of each node; else empty.
  std::vector<std::int32_t> mesh_nodes;
};

// Leaves that a tree may merge at most: sets start at multiples of it.
inline constexpr std::int64_t leaf_alignment = 64;

// First leaf number of each set in the numbering above.
std::vector<std::int64_t> first_leaves(const Mesh &mesh);

// Nodes identified by periodicity get one number. Order 0 numbers cells.
NodeMap make_node_map(const Mesh &mesh, int order);

// Where nodes of other ranks' cells are numbered: after the set's own, or after all own ones.
enum class CellsOfOthers { end_sets, end_all };

// Nodal elements, each cell with nodes of its own: node i of a cell has the number
// first(set) + cell * num_nodes + i, first(set) counting the nodes of the sets before; those of
// other ranks' cells, which end each set or follow in the same order, do not count as owned.
// num_global is num_owned. Throws `unsupported` for pyramids, and for more nodes than 2^31 - 1.
NodeMap make_discontinuous_map(const Mesh &mesh, int order,
                               CellsOfOthers others = CellsOfOthers::end_sets);

// One node that all cells share, of functions that are constant: order 0. It lies in the first
// cell. The mesh must be whole.
NodeMap make_whole_domain_map(const Mesh &mesh);

// The numbering of the geometry's own nodes (order = mesh.geometry_order), with their coordinates;
// periodic nodes stay apart.
NodeMap make_geometry_map(const Mesh &mesh);

// Nodes on the facets of the given classes, sorted, each once.
std::vector<std::int32_t> nodes_on_facets(const Mesh &mesh, const NodeMap &map,
                                          const std::vector<bool> &facet_class_selected);

} // namespace weft
