// A kernel ready to be compiled, of any family: its text, as data what its arguments are, and what
// it does.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/kernel_cost.h"

namespace weft {

// What an argument of a generated kernel is; `index` says of which family, input or stage.
enum class ArgumentRole {
  num_groups,  // i32: lane groups (cell strategies) or blocks
  time,        // real
  cell_class,  // i32[group][lane]: region class
  cell_table,  // real[class][entry]
  facet_class, // i32[group][lane]; laws: i32[group][facet][lane]
  facet_table, // real[class][entry]

  // Roles in integrals over cells and facets, see kernel/cell/integral_kernel.h:
  element_vectors,  // real[group][row][lane], written
  first_entry,      // i64: where in element_vectors this launch begins
  nodes,            // of family `index`: i32[group][node][lane] of global numbers; block strategy:
                    // u16 of numbers within the block
  input,            // of input `index`: the vector it is read from
  input_offset,     // of input `index`: i64, its first dof in that vector
  stored_geometry,  // real[group][entry][lane]
  facet_slot,       // i32[group]: index of the local facet in CellIntegral::local_facets; 1: of the
                    // plus side's position in PlusSide::points
  shift,            // real: of time derivatives, see form/weak_form/rates.h
  blocks,           // i32[block][2 + 5 families]; see kernel/text/block_layout.h
  shared_nodes,     // of family `index`: i32 lists of the blocks' shared nodes
  block_passes,     // i32[block][pass][family][3], work-group form of blocks: where lists begin
  block_lists,      // of family `index`: u16; see kernel/cell/block_group_arguments.h
  coordinate_image, // real[block node][4]: coordinates of the blocks' own copies of nodes
  output,           // real: the global vector
  output_offset,    // of test field `index`: i64
  interface,        // of test field `index`: real[shared entry][component], written

  // Roles in element matrices, see kernel/matrix/matrix_kernel.h:
  element_matrices, // real, written
  entry_map,        // u16[group][entry][lane]: slot in the block's stage
  matrix_blocks,    // i32[block][matrix_block_row_entries()]
  matrix_values,    // real: values of a CSR matrix, written
  matrix_interface, // real: interface entries of all blocks, written

  // Roles in conservation laws, see kernel/law/dg_kernel.h and, for how nodes, neighbours and
  // states lie, op/law/mesh/dg_mesh.h. All stages:
  begin_group,     // i32: the first lane group of a launch, among those of the set
  end_group,       // i32: the one behind its last
  groups_per_item, // i32: lane groups that a work-item does in turn
  first_unit,      // i32: DgSet::first_unit
  first_group,     // i32: of the set among the groups of all sets
  q,               // real[group][component][node][lane] or [group][lane][node][component]
  known,           // real[group][known component][node][lane]
  coordinates,     // real[group][direction][node][lane]
  cell_size,       // real[group][lane]
  metric, // real[group][r, direction][lane]; curved: [group][node][r, direction; 1/J][lane]
  // Facets:
  facet_metric,      // real[group][facet][entry][lane]; curved: [group][facet point][entry][lane]
  facet_coordinates, // real[group][facet point][direction][lane]
  rows,              // i32[row][entry]: which nodes of a neighbour lie on a facet, DgMesh::rows
  row_factors,       // real[row][point][node]: what they are multiplied by
  plus_unit,         // i32[group][facet][lane]: where the neighbour's group begins
  plus_row,          // i32[group][facet][lane]: its row times lanes, plus its lane
  plus_slot,         // i32[group][facet][lane]: of finite volumes, its group times lanes, plus lane
  plus_group,        // i32[group][facet][lane]: its group among those of all sets
  plus_class,        // i32[group][facet][lane]: its region class
  condition,         // i32[group][facet][lane]: boundary condition; -1 inside
  conditions,        // i32[group][facet]: bits of the conditions that a lane has
  // Reference matrices, see DgMatrices and, of products by classes of symmetry, dg_symmetry.h:
  fast,        // real[direction][block of a line][column][row]
  slow,        // real[direction][i][j]
  strong_fast, // the same of the derivative, for gradients
  strong_slow,
  lift,        // real[block][facet point][row]; products: real[entry]
  lift_start,  // i32[node + 1]: where a node's entries of `lift` begin
  lift_column, // i32[entry]: facet point
  trace,       // real[facet point][entry]
  trace_node,  // i32[facet point][entry]
  products,    // of stage `index`: real[entry] of DgClasses
  // Between the kernels of a stage:
  facet_flux,     // real[group][facet point][component][lane]
  rate,           // real[group][component][node][lane]
  gradient,       // real[group][component][direction][node][lane]: of the cell's own polynomials
  whole_gradient, // the same with lifted jumps
  limiter,        // real[group][component][lane]: of finite volumes
  // The update, see StageUpdate:
  h,            // real: length of the step
  keep,         // real
  start_factor, // real
  state_factor, // real
  sum_factor,   // real
  rate_factor,  // real
  start,        // as q: the state that the step began with
  sum,          // real[group][component][node][lane], written
  out,          // as q, written
  // The longest step:
  length,   // real[group][lane]: diameter of the inscribed sphere
  shortest, // real[work-item], written
  // Limiters, see kernel/law/dg_limiter.h:
  weights,          // real[node]
  means,            // real[group][component][lane]
  mass,             // real[node][node]
  high_modes,       // real[node][node]
  linear,           // real[node][node]
  lobatto,          // real[point][node]
  gradient_weights, // real[group][facet][direction][lane]: least squares of finite volumes
  limiter_slack,    // real[group][lane]
  limiter_scale,    // real[component with a gradient]: squared
  // Kernels that look at nodes alone, see kernel/law/dg_node_kernel.h:
  num_nodes,      // i32: of all lane groups
  nodes_per_item, // i32
  substeps,       // i32: each of length h
  before,         // real: time of the last look
  values,         // real[group][expression][node][lane]: at the last look
  arrival_times,  // real[group][expression][node][lane]: NaN where not reached
  // A rate that is a matrix, see kernel/law/matrix_stage_kernel.h; a slice is a component of a
  // lane group:
  num_slices,      // i32
  slices_per_item, // i32
  slice_start,     // i32[slice + 1]: where its entries begin
  entry_index,     // i32[entry][lane]: column
  entry_value,     // real[entry][lane]
  fixed_rate,      // real[slice][lane]: of the state zero
};

struct ArgumentSpec {
  ArgumentRole role;
  int index = 0;
  auto operator<=>(const ArgumentSpec &) const = default;
};

// What the text does for one cell (of kernels that look at nodes alone: for one node), counted as
// it is printed. C text of a case is not counted.
struct CellCost {
  Operations operations; // that are needed: each quantity once; of laws without their boundaries'
  // That the strategy does for each slot, a lane of a group whether it has a cell or not. The
  // threads of the transposed strategy repeat work, register blocks of laws do rows past the end of
  // a line; sums over cells are not in it.
  Operations performed;
  // Operations of laws, [boundary condition]: in a lane at each point of a facet with it.
  std::vector<Operations> on_boundary;
  // Reals of a slot read from or written to local memory. Transposed, by planes: all. Element
  // matrices in loop order QSS: of the array that lies there, without copying it from or to memory,
  // as often as the text says so, whatever a compiler keeps in registers; entries of tables are one
  // for all lanes.
  double local_reals = 0;
  // By planes: reals of local memory that a slot takes, and a work-group for tables, whose entries
  // a lane group reads so often.
  double slot_reals = 0, table_reals = 0, table_reads = 0;
  int num_values = 0; // entries that a point hands to the test functions
};

struct KernelSource {
  std::string name; // entry point: "apply_poisson_tetrahedron_p1q1_block_f64"
  std::string text;
  std::vector<ArgumentSpec> arguments;
  CellCost cost;
  std::int64_t local_bytes = 0; // kernels of element matrices: local memory of a work-group
};

} // namespace weft
