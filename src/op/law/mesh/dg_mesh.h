// The cells of a mesh as kernels of discontinuous Galerkin methods walk them: lane groups, what
// each cell has through its facets, and the geometry. On the host, in double.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/law/dg_kernel.h"
#include "linalg/halo/halo.h"
#include "op/layout/lane_groups.h"
#include "op/problem/discretisation.h"
#include "space/nodal_operators.h"

namespace weft {

// Groups of a set that a launch goes over: all, or, where ranks share the mesh, those of cells that
// see nothing of other ranks, and the rest.
enum class DgRange { all, inner, border };
struct DgGroups {
  std::int64_t begin = 0, end = 0;
  std::int64_t count() const { return end - begin; }
};

// The cells of one type. Groups of lanes are counted in units: group g of the set begins at unit
// first_unit + g * num_nodes, and an array of C values at each node has the value k of node i at
//   ((first_unit + g * num_nodes) * C + k * num_nodes + i) * lanes + lane,
// or, of states that lie by cells, at
//   ((first_unit + g * num_nodes) * lanes + lane * num_nodes + i) * C + k.
// Lanes without a cell are copies of the first lane of their group.
struct DgSet {
  int set = 0; // in Mesh::sets
  NodalOperators operators;
  // Of the cells of this rank, the inner ones first: see clustered_groups().
  LaneGroups groups;
  std::int64_t num_inner_groups = 0;
  // [cell]: group times lanes, plus lane. Cells of other ranks are in groups behind those.
  std::vector<std::int32_t> slot;
  std::int64_t first_unit = 0;
  // Where groups of other ranks' cells begin, behind the units of all sets.
  std::int64_t first_ghost_unit = 0;
  std::int64_t num_ghost_groups = 0;
  // The same of groups, where those of all sets follow one another.
  std::int64_t first_group = 0, first_ghost_group = 0;
  std::vector<int>
      facet_offset;   // [facet]: its first point among those of all facets; then their sum
  bool affine = true; // one Jacobian a cell; order 0: means of the cell and of its facets

  // [group, facet, lane]; on the boundary the cell itself is its neighbour.
  std::vector<std::int32_t> plus_unit; // where the neighbour's group begins
  std::vector<std::int32_t> plus_row;  // row of DgMesh::rows times lanes, plus the neighbour's lane
  std::vector<std::int32_t> condition; // boundary condition; -1 inside
  std::vector<std::int32_t> facet_class;
  std::vector<std::int32_t> plus_class; // region class of the neighbour
  std::vector<std::int32_t> cell_class; // [group, lane]
  // [group, facet]: bit b is set where a lane has boundary condition b.
  std::vector<std::int32_t> conditions;

  // Affine: [group, r, d, lane]: derivative of reference coordinate r by x_d.
  // Else [group, node, r * dim + d, lane]: the same times the volume ratio J, in curl form, so that
  // its discrete divergence vanishes (Kopriva 2006, doi:10.1007/s10915-005-9070-8); then 1/J at
  // [group, node, dim * dim, lane].
  std::vector<double> metric;
  // Affine: [group, facet, entry, lane], else [group, point of all facets, entry, lane]: the unit
  // normal, the area ratio (affine: divided by the volume ratio), and what DgMesh::facet says: the
  // penalty of jumps, of order 0 the facet's middle, which is no node of its cell, and of finite
  // volumes the offsets from the cell's centroid and from the neighbour's (zero on the boundary) to
  // the facet's centroid, which is its middle then.
  std::vector<double> facet_metric;
  std::vector<double> penalties; // [cell, facet]: what the cell itself needs
  std::vector<double> length;    // [group, lane]: diameter of the inscribed sphere, or about that
  // Finite volumes with gradients: [group, facet, d, lane], see least_squares_weights(), and
  // [group, lane], see limiter_slack().
  std::vector<double> gradient_weights, limiter_slack;

  int num_nodes() const { return operators.element.num_nodes(); }
  int num_facets() const { return static_cast<int>(operators.facets.size()); }
  std::int64_t num_own_cells() const {
    return std::ranges::count_if(groups.cells, [](std::int32_t cell) { return cell >= 0; });
  }
  int num_facet_points() const { return facet_offset.back(); }
  // Where the group of a slot begins.
  std::int64_t unit_of(std::int64_t at_slot) const {
    const std::int64_t group = at_slot / groups.lanes, own = groups.num_groups();
    return group < own ? first_unit + group * num_nodes()
                       : first_ghost_unit + (group - own) * num_nodes();
  }
  DgGroups groups_of(DgRange range) const {
    return {range == DgRange::border ? num_inner_groups : 0,
            range == DgRange::inner ? num_inner_groups : groups.num_groups()};
  }
  // The number of a slot's group among those of all sets.
  std::int64_t group_of(std::int64_t at_slot) const {
    const std::int64_t group = at_slot / groups.lanes, own = groups.num_groups();
    return group < own ? first_group + group : first_ghost_group + group - own;
  }
};

// A node of a cell that has a place in the arrays.
struct DgNode {
  std::int32_t set = 0, slot = 0, node = 0;
};
// Nodes whose values two ranks exchange: those on the facets between their cells, in the same order
// on both.
struct DgPeer {
  int rank = 0;
  std::vector<DgNode> send, receive;
};

struct DgMesh {
  int lanes = 1;
  int dim = 2;
  int order = 1;
  bool state_by_cell = false; // see dg_state_lies_by_cell()
  std::vector<DgSet> sets;
  std::int64_t num_units = 0, num_ghost_units = 0;
  std::int64_t num_groups = 0, num_ghost_groups = 0;
  // Ways in which a neighbour's facet may lie to a cell's: the neighbour's number of nodes, then
  // for each point of the facet the `plus_entries` nodes that make its value there, see NodalFacet.
  int plus_entries = 1;
  int row_entries = 0;
  std::vector<std::int32_t> rows;  // [row, entry]
  std::vector<double> row_factors; // [row, point, node]: what the nodes are multiplied by

  DgFacetLayout facet;
  // What is read of other ranks' cells, and what they read of this one's; by rank.
  std::vector<DgPeer> peers;
  // Reals of an array with C values a node, and with the ghosts behind them.
  std::int64_t size(int components) const { return num_units * components * lanes; }
  std::int64_t size_with_ghosts(int components) const {
    return (num_units + num_ghost_units) * components * lanes;
  }
  // The same of an array with C values a cell, [group][value][lane], see DgSet::group_of().
  std::int64_t size_of_cells_with_ghosts(int components) const {
    return (num_groups + num_ghost_groups) * components * lanes;
  }
  // The number of the group that begins at a unit.
  std::int64_t group_at(std::int64_t unit) const;
};

// Points on the edges of triangles: those of the quadrilaterals of the mesh, if it has any.
LineNodes dg_edge_points(const Mesh &mesh);

// `map`: of make_discontinuous_map(). `condition_of_class`: of facet classes; -1 where none is
// given. Errors: input (periodic facets that do not match, a boundary facet without condition),
// unsupported (pyramids above order 0).
DgMesh make_dg_mesh(const Discretisation &d, const NodeMap &map,
                    const std::vector<int> &condition_of_class, int lanes);

// [group, point of all facets, d, lane]: where the points of facets are.
std::vector<double> dg_facet_positions(const Discretisation &d, const DgMesh &mesh,
                                       const DgSet &set);

// Where the nodes that ranks exchange are in an array of `stride` values a node.
HaloPlaces dg_halo_places(const DgMesh &mesh, bool by_cell, int stride);
// Where their cells are in an array of `stride` values a cell.
HaloPlaces dg_cell_halo_places(const DgMesh &mesh, int stride);

// [node, component] of a discontinuous map, and back (of this rank's cells): components of an array
// of `stride` values a node, from `first` on. `by_cell`: the array lies as states do where
// DgMesh::state_by_cell.
void to_dg_order(const DgMesh &mesh, bool by_cell, const std::vector<double> &values,
                 std::int64_t offset, int components, int first, int stride,
                 std::vector<double> &array);
void from_dg_order(const DgMesh &mesh, bool by_cell, const std::vector<double> &array, int first,
                   int stride, int components, std::int64_t offset, std::vector<double> &values);

} // namespace weft
