// Element matrices of all cells of a set on a device, handed out in a documented layout, or applied
// to a vector as they are computed.
#pragma once

#include "kernel/matrix/matrix_kernel.h"
#include "op/weak_form/form_plan.h"

namespace weft {

class ElementMatrices : public FormPlan {
public:
  // Integrates over the cells of set `set`, for destinations interleaved, per_cell and applied.
  // `settings`: complete, see with_choices(); `integrals` must outlive this. `with_vector`: the
  // load vectors -F(0) of a linear form too. Throws `unsupported` for what a variant cannot do, and
  // for more local memory than the device has.
  ElementMatrices(Device &device, const FormIntegrals &integrals, const OperatorSettings &settings,
                  int set, const MatrixVariant &variant, bool with_vector = false);

  // Launches the kernel: derivative at the state u (all dofs); for destination applied, times x.
  // Returns before the work is done.
  void compute(const Vector &u, const Vector *x = nullptr);

  // Element matrices as kernel/matrix/matrix_kernel.h says; applied: element vectors
  // [group][row][lane].
  const Buffer &buffer() const { return result_; }
  const IntegralLaunch &launch() const { return launch_; }
  const CellIntegral &integral() const { return integral_; }
  const MatrixVariant &variant() const { return variant_; }
  const LaneGroups &groups() const { return parts_.front().groups; }
  // [cell][entry]; applied: [cell][row]. Waits.
  std::vector<std::vector<double>> host() const;

private:
  KernelArgument argument(const ArgumentSpec &spec, const CellIntegral &integral,
                          Part &part) override;
  void refuse_local_memory() const; // that the device does not have
  std::int64_t index(std::int64_t slot, int entry) const;

  MatrixVariant variant_;
  CellIntegral integral_;
  std::int64_t size_ = 0;
  Buffer result_;
  IntegralLaunch launch_;
};

} // namespace weft
