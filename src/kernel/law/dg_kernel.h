// Kernels of nodal discontinuous Galerkin methods: a conservation law's pointwise functions printed
// and joined with the files of kernels/dg.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/kernel_cost.h"
#include "form/law/conservation_law.h"
#include "kernel/law/dg_values.h"
#include "kernel/text/kernel_source.h"
#include "space/nodal_operators.h"

namespace weft {

// The stages of Kloeckner, Warburton and Hesthaven (doi:10.1007/978-3-642-16405-7_23), or all in
// one; and what goes with them.
enum class DgStage { fused, differentiate, flux, lift, update, gradient, step, means, limit };
std::string to_string(DgStage stage);

// Which terms a Runge-Kutta update has, see StageUpdate.
struct DgUpdate {
  bool uses_start = false;
  bool uses_sum = true;
  bool keeps_sum = true;
  auto operator<=>(const DgUpdate &) const = default;
};

// A fused stage by work-groups whose threads are nodes, see kernels/dg/dg_nodes.kernel: cells in
// parallel, in line, in sequence (w_p, w_i, w_s of Kloeckner, Warburton,
// Hesthaven 2013). Needs lanes = 1.
struct DgNodeGroup {
  int parallel = 1;
  int in_line = 1;
  int sequence = 1;
  bool matrix_local = false;
  int cells() const { return parallel * in_line; }
  auto operator<=>(const DgNodeGroup &) const = default;
};

// What may be chosen of a kernel.
struct DgChoices {
  int rows = 4;             // of a register block
  bool by_symmetry = false; // products by classes of symmetry, see kernel/law/dg_symmetry.h
  int groups_per_item = 1;
  bool stream = false; // states are written past the caches
  int ahead = 0;       // groups ahead of the one at work whose state is prefetched; 0: none
  DgUpdate update;
  std::optional<DgNodeGroup> node_group; // fused: by work-groups; rows = nodes of a line then
  auto operator<=>(const DgChoices &) const = default;
};

// A kernel of the cells of one type.
struct DgKernelSpec : DgChoices {
  const ConservationLaw *law = nullptr;
  const NodalOperators *operators = nullptr;
  std::string form_name = "form";
  Precision precision = Precision::f64;
  int lanes = 1;
  bool affine = true;
  bool one_cell_type = true; // neighbours have as many nodes
  int row_entries = 1;       // of DgMesh::rows
  int plus_entries = 1;      // nodes of a neighbour that make its value at a facet's point
};

// Local memory that a work-group of nodes takes.
std::int64_t dg_node_group_bytes(const DgKernelSpec &spec, const DgNodeGroup &group);

// How the reference matrices of a cell are cut for kernels/dg/rows.kernel.
struct DgBlocks {
  int fast_nodes = 1, fast_directions = 0; // nodes of a line, directions along it
  int slow_nodes = 1;
  int line_blocks = 1, blocks = 1; // register blocks of a line, of the cell
  bool dense_lift = true;          // simplices
};
DgBlocks dg_blocks(const NodalOperators &operators, int rows);

// Matrices as the kernels read them.
struct DgMatrices {
  std::vector<double> fast, slow;               // of the weak derivative
  std::vector<double> strong_fast, strong_slow; // of the derivative
  std::vector<double> lift;
  std::vector<std::int32_t> lift_start, lift_column; // products: rows of the lift
  std::vector<double> trace;                         // [point of all facets, entry]
  std::vector<std::int32_t> trace_node;
};
DgMatrices dg_matrices(const NodalOperators &operators, int rows);

// Rows of a register block: as many sums as registers hold, with few rows past a line's end.
int default_dg_rows(const NodalOperators &operators, int num_components, bool by_symmetry);

// Facets' points have positions of their own, which the law asks for.
bool has_facet_positions(const ConservationLaw &law, const NodalOperators &operators);

// Whether a stage reads what other cells have.
bool dg_reads_neighbours(DgStage stage, const ConservationLaw &law);
// Whether a stage reads the arrays of gradients, and of limiters.
bool dg_reads_gradients(DgStage stage, const ConservationLaw &law);
bool dg_reads_limiter(DgStage stage, const ConservationLaw &law);

// Components of the state, and of known fields, that finite volumes read of a neighbour.
struct FvPlusValues {
  std::vector<int> components, known;
};
FvPlusValues fv_plus_values(DgStage stage, const ConservationLaw &law);

// Error (unsupported): what the kernels do not know yet, such as gradients of known fields.
KernelSource make_dg_kernel(DgStage stage, const DgKernelSpec &spec, const std::string &backend);

} // namespace weft
