// What assembly into a CSR matrix works with on the device: which entries of element matrices go
// where, and the launches that compute and sum them.
#pragma once

#include "kernel/matrix/matrix_kernel.h"
#include "linalg/sparse_matrix.h"
#include "op/assembly/assembly_blocks.h"
#include "op/weak_form/form_plan.h"
#include "op/weak_form/matrix_cost.h"

namespace weft {

// What is left open is chosen for the device and the form.
struct AssemblySettings {
  std::optional<MatrixFormat> format; // of the matrix; open: fewer bytes
  // Sums in blocks by work-items (CPUs), or element matrices in memory that are summed afterwards.
  std::optional<bool> blocks;
  std::optional<LoopOrder> loop_order; // none: usual_loop_order()
  std::optional<int> leaves_per_block; // blocks
};

class AssemblyPlan : public FormPlan {
public:
  // `settings`: complete, see with_choices(); `integrals` and `matrix` must outlive the plan.
  // Throws `unsupported` for forms whose Jacobian is not known as expressions.
  AssemblyPlan(Device &device, const FormIntegrals &integrals, const OperatorSettings &settings,
               const AssemblySettings &assembly, SparseMatrix &matrix);

  // Kernels of all cell types and facets: they leave values, interfaces, element matrices.
  std::vector<IntegralLaunch> make_matrix_launches();
  // Before their launches.
  void begin();
  // Sums what they left, in a fixed order, and makes prescribed rows and columns those of the
  // identity.
  void finish();
  // Counts finish(), launch by launch.
  std::vector<NamedCost> finish_costs() const;
  bool in_blocks() const { return blocks_; }

  // Bytes on the device beside the matrix, about, before anything is made.
  static double bytes_needed(const FormIntegrals &integrals, const OperatorSettings &settings,
                             bool blocks);
  // Whether sums are in blocks where that is open.
  static bool default_blocks(const DeviceInfo &device) { return device.is_cpu; }

private:
  bool make_block_parts(std::optional<int> leaves_per_block);
  void make_memory_parts();
  // Element matrices in memory and their sums into the matrix.
  void add_element_matrix_gather(std::size_t first_part, bool add);
  // [side][field]: node numbers as nodes_of() has them.
  using PartNodes = std::vector<HostArray<std::int32_t>>;
  // Dofs of the rows of a slot's element matrix; false where it has no cell.
  bool find_dofs(const Part &part, const PartNodes &nodes, std::int64_t slot,
                 std::vector<std::int32_t> &dofs) const;
  void make_constraints();
  MatrixVariant variant_of(const CellIntegral &integral, const Part &part) const;
  KernelArgument argument(const ArgumentSpec &spec, const CellIntegral &integral,
                          Part &part) override;
  std::size_t place_of(const Part &part) const { return &part - parts_.data(); }

  AssemblySettings assembly_;
  SparseMatrix &matrix_;
  bool blocks_ = false;
  int leaves_per_block_ = 1;
  std::vector<bool> constrained_;   // of constrained_flags()
  std::vector<Buffer> entry_maps_;  // [part], blocks
  std::vector<int> stage_entries_;  // [part], blocks
  std::vector<StageCounts> stages_; // [part], blocks
  Buffer interface_entries_;
  Program constrain_program_;
  Buffer diagonal_places_, one_;
  std::int64_t num_constrained_ = 0;
};

} // namespace weft
