// Kernels that integrate element matrices: loop orders of Banas, Kruzel and Bielanski, three uses
// of the result. One kernel file a loop order, kernels/fem/fem_matrix_<loop order>.kernel.
//
// Rows and columns of an element matrix are numbered [field][node][component]
// (CellIntegral::first_row); entry = row * num_rows + column. With a load vector
// (CellIntegral::with_vector) its rows follow as entries num_rows^2 + row.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/cell/cell_integral.h"
#include "kernel/text/kernel_source.h"

namespace weft {

// Outside in: q(uadrature points), s(hape functions: rows), s(hape functions: columns). tensor: no
// loop over points; coefficients that are the same at all points of an affine cell times tensors
// of the reference cell, summed over its points when the text is made.
enum class LoopOrder { qss, sqs, ssq, tensor };

// csr: a work-item walks a block of cells, sums entries in its stage, and copies the stage to the
// values of a CSR matrix and to the block's interface. interleaved, per_cell: element matrices in
// memory. applied: element matrix times vector, nothing of the matrix is kept. diagonal: what
// facets between two cells add to the diagonal of the assembled matrix, nothing else is kept.
enum class MatrixDestination { csr, interleaved, per_cell, applied, diagonal };

// Which array lies in local memory; at most one.
enum class LocalArray { none, geometry, coefficients, shape, matrix };

std::string to_string(LoopOrder order);
std::string to_string(MatrixDestination destination);
std::string to_string(LocalArray local);
LoopOrder loop_order_from_name(const std::string &name);
LocalArray local_array_from_name(const std::string &name);

struct MatrixVariant {
  LoopOrder loop_order = LoopOrder::qss;
  MatrixDestination destination = MatrixDestination::csr;
  bool stream = false;            // element matrices are stored past the caches
  bool coalesced_reading = false; // a work-group reads its cells' node numbers together
  LocalArray local = LocalArray::none;
  int group_size = 1;        // work-items a work-group; 1 for csr
  int groups_per_item = 1;   // lane groups a work-item does in turn; not for csr
  int prefetch = 0;          // lane groups ahead whose data is prefetched, on CPUs; 0: none
  int leaves_per_block = 16; // csr: leaf blocks merged
};
// "lanes=8 order=qss destination=csr leaves=16", for records.
std::string to_string(const MatrixVariant &variant, int lanes);

// Destination csr.
//
// Table of blocks (role matrix_blocks), i32[block][matrix_block_row_entries(num_fields)]:
//   first lane group, number of lane groups;
//   for each field: first index in the CSR values, number of entries, of the rows of the block's
//   inner nodes (contiguous, since inner nodes are);
//   first index in the interface, number of interface entries.
// A block's stage, numbered from 0: inner entries of field 0, 1, ..., interface entries, one slot
// for what is dropped. `entry_map` holds a slot for every entry and lane, also where the form is
// symmetric: of constrained rows and columns, and of lanes without a cell, the slot of what is
// dropped, which is inner entries + interface entries of that block.
// After the launch matrix_values holds the inner entries (those of others are not touched), and
// matrix_interface the interface entries; every one of them is written, none is read.
inline constexpr int matrix_block_head_entries = 2;
inline constexpr int matrix_block_field_entries = 2;
inline constexpr int matrix_block_interface_entries = 2;
inline int matrix_block_row_entries(int num_fields) {
  return matrix_block_head_entries + matrix_block_field_entries * num_fields +
         matrix_block_interface_entries;
}
// Slots that 16 bits number: the stage of a block may have so many entries, the dropped one too.
inline constexpr int most_stage_entries = 65536;

// Destinations interleaved and per_cell (role element_matrices, real). per_cell:
// [cell slot][entry]; interleaved: [slot / width][entry][slot % width], where a slot is
// lane group * lanes + lane. Lanes without a cell have entries too. Room is needed for all slots
// of whole widths: num_matrix_slots().
int interleave_width(const CellIntegral &integral, const MatrixVariant &variant);
std::int64_t num_matrix_slots(const CellIntegral &integral, const MatrixVariant &variant,
                              std::int64_t num_groups);
// Entries of a slot: num_rows^2, and num_rows more with a load vector.
int num_matrix_entries(const CellIntegral &integral);

// Destination diagonal writes element vectors as the next one does.
// Destination applied: inputs hold a direction for each field; element vectors are written as by
// the cell strategy (roles element_vectors, first_entry).

// Whether the form's coefficients allow loop order tensor: an affine cell, and blocks that are the
// same at all its points. `why_not` says which is missing.
bool tensor_possible(const CellIntegral &integral, std::string *why_not = nullptr);

// The order for facets and cells whose entries go one after the other to memory or the like: tensor
// where it pays, else qss, where a lane group's element matrices fit in a work-item's own memory;
// on GPUs sqs, too, where a matrix does not fit in a thread's registers and sqs loads less in its
// place.
LoopOrder usual_loop_order(const CellIntegral &integral, bool is_cpu);

// What the kernel does for a slot, without reading and writing.
CellCost matrix_cell_cost(const CellIntegral &integral, const MatrixVariant &variant);

// `stage_entries`: room in a block's stage (csr). Node numbers are global, i32[group][node][lane]
// as for the cell strategy; coordinates come from the role coordinate_image, real[node][4] by
// global node numbers. Throws `unsupported` for what a variant cannot do, with the reason.
KernelSource make_matrix_kernel(const CellIntegral &integral, const MatrixVariant &variant,
                                const std::string &backend, int stage_entries = 0);

} // namespace weft
