// What the kernels of discontinuous Galerkin methods cost, by closed formulas of a few counts.
#pragma once

#include <vector>

#include "device/device.h"
#include "kernel/law/dg_kernel.h"
#include "op/law/mesh/dg_mesh.h"

namespace weft {

// Bytes of an entry of the tables of facets.
inline constexpr double integer_bytes = 4;

// What the kernels of a set find in some of its groups.
struct DgExtent {
  double groups = 0;              // of lanes
  double lanes = 1;               // of a group
  double boundary_facets = 0;     // facets of groups where a lane is on the boundary
  std::vector<double> nodes_with; // [condition]: points of facets where a lane has it
  double outer_values = 0;        // points of facets where the neighbour is in none of the groups
};
DgExtent dg_extent(const DgMesh &mesh, const DgSet &set, DgRange range, int num_conditions);
// About that of the same cells in groups of other lanes, without making the mesh.
DgExtent with_lanes(DgExtent extent, double lanes);

// Numbers of a mesh that do not depend on lanes.
struct DgTableSizes {
  double rows = 0, row_points = 0;            // of DgMesh::rows, and facet points in them
  double cell_classes = 0, facet_classes = 0; // that occur
};
DgTableSizes dg_table_sizes(const DgMesh &mesh);

// What a launch does but for what it is started with (count_launch()). Exact on meshes of one cell
// type, but for positions, classes and known values that only boundary conditions read: those of
// facets that share an edge count twice.
// `registers`: vectors of `lanes` that a work-item may hold; sums over rows beyond them are loaded
// and stored in every column. See dg_registers().
KernelCost dg_cost(DgStage stage, const DgKernelSpec &spec, const CellCost &of_cell,
                   const DgExtent &extent, const DgTableSizes &tables, double registers);
// Adds what a launch writes, so many reals for each of its slots (lanes of groups): past the caches
// where the kernel does so, but for sums of stages, whose lines it has read.
void count_dg_writes(DgStage stage, const DgKernelSpec &spec, double slots, double reals,
                     KernelCost &cost);
// 32 of the widest vectors on CPUs; on GPUs as many as are needed.
double dg_registers(const DgKernelSpec &spec, const DeviceInfo &device);

} // namespace weft
