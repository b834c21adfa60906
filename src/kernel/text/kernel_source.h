// A kernel ready to be compiled: its text, and as data what its arguments are and how it is
// launched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/kernel_cost.h"

namespace weft {

// What an argument of a generated kernel is; `index` says of which family or input.
enum class ArgumentRole {
  num_groups,       // i32: lane groups (cell strategies) or blocks
  element_vectors,  // real[group][row][lane], written
  first_entry,      // i64: where in element_vectors this launch begins
  nodes,            // of family `index`: i32[group][node][lane] of global numbers; block strategy:
                    // u16 of numbers within the block
  input,            // of input `index`: the vector it is read from
  input_offset,     // of input `index`: i64, its first dof in that vector
  stored_geometry,  // real[group][entry][lane]
  cell_class,       // i32[group][lane]: region class
  cell_table,       // real[class][entry]
  facet_class,      // i32[group][lane]
  facet_table,      // real[class][entry]
  facet_slot,       // i32[group]: place of the local facet in CellIntegral::local_facets
  time,             // real
  shift,            // real: of time derivatives, see form/weak_form/rates.h
  blocks,           // i32[block][2 + 5 families]; see kernel/text/block_layout.h
  shared_nodes,     // of family `index`: i32 lists of the blocks' shared nodes
  block_passes,     // i32[block][pass][family][3], work-group form of blocks: where lists begin
  block_lists,      // of family `index`: u16; see kernel/cell/block_group_arguments.h
  coordinate_image, // real[block node][4]: coordinates of the blocks' own copies of nodes
  output,           // real: the global vector
  output_offset,    // of test field `index`: i64
  border,           // of test field `index`: real[shared entry][component], written
  // Of kernels of element matrices, see kernel/matrix/matrix_kernel.h:
  element_matrices, // real, written
  entry_map,        // u16[group][entry][lane]: slot in the block's stage
  matrix_blocks,    // i32[block][matrix_block_row_entries()]
  matrix_values,    // real: values of a CSR matrix, written
  matrix_border,    // real: border entries of all blocks, written
};

struct ArgumentSpec {
  ArgumentRole role;
  int index = 0;
};

// What the text does for one cell, counted as it is printed. C text of a case is not counted.
struct CellCost {
  Operations operations; // that the integral needs: each quantity once
  // That the strategy does for each slot, a lane of a group whether it has a cell or not. The
  // threads of the transposed strategy repeat work; sums over cells are not in it.
  Operations performed;
  // Reals of a slot read from or written to local memory. Transposed: all. Element matrices in loop
  // order QSS: of the array that lies there, without copying it from or to memory, as often as the
  // text says so, whatever a compiler keeps in registers; entries of tables are one for all lanes.
  double local_reals = 0;
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
