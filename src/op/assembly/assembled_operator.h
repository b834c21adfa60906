// The operator of a form whose Jacobian is assembled: a product with a sparse matrix in place of
// integrals.
#pragma once

#include <memory>
#include <vector>

#include "linalg/sparse_matrix.h"
#include "op/assembly/assembly_plan.h"
#include "op/assembly/tied_matrix.h"
#include "op/weak_form/form_operator.h"

namespace weft {

class AssembledOperator : public FormOperator {
public:
  // `d` must outlive the operator. Throws `unsupported` for what FormOperator does not do, for C
  // text and for matrices of 2^31 entries; `system`, saying how much is needed, before anything is
  // made, where the matrix and what its assembly takes do not fit on the device.
  AssembledOperator(Device &device, const Discretisation &d, const OperatorSettings &settings,
                    const AssemblySettings &assembly = {});
  ~AssembledOperator() override;

  // Assembles F'(u) where it has changed; that of a linear form once. Allocates nothing but the
  // first time.
  void linearise(const Vector &u) override;
  void apply(const Vector &x, Vector &y) override;
  void load_kernels() override { whole().load_kernels(); }
  void diagonal(Vector &d) override;
  // As the last linearise() left it.
  const SparseMatrix *matrix() const override { return &whole(); }
  void set_time(double time) override;
  void set_rate(const Vector &offset, double shift) override;
  void set_second_rate(const Vector &offset, double acceleration_shift,
                       double velocity_shift) override;
  void take_values() override;
  void hold(std::span<const std::int32_t> entries) override;
  bool jacobian_takes_values() const override { return takes_values_; }

  // Kinds linearised and diagonal have no launches of integrals; kind matrix: those of assembly.
  const std::vector<IntegralLaunch> &launches(IntegralKind kind) override;
  // Kind linearised: of the product; matrix: of one assembly.
  std::vector<NamedCost> costs(IntegralKind kind) override;
  double flops(IntegralKind kind) override;
  // Assembles F'(state) again, whether it has changed or not; after linearise().
  void assemble();

private:
  void take_shifts();
  void refuse_if_too_large(const CsrPattern *pattern, const AssemblySettings &assembly) const;
  void assemble_if_changed();
  void make_launches();
  void hold_in_matrix();
  void tie_matrix();
  SparseMatrix &whole() const { return tied_ ? *tied_ : *matrix_; }

  std::unique_ptr<SparseMatrix> matrix_; // of the integrals
  // Where dofs follow others: how it is made, and the matrix of the operator.
  std::unique_ptr<TiedMatrix> tying_;
  std::unique_ptr<SparseMatrix> tied_;
  std::unique_ptr<AssemblyPlan> assembly_;
  std::vector<IntegralLaunch> matrix_launches_;
  std::array<double, num_shifts> matrix_shifts_{}; // with which it was assembled
  bool depends_on_time_ = false;                   // the Jacobian of a linear form does
  bool takes_values_ = false;                      // it has parameters that may get other values
  bool changed_ = true;
};

} // namespace weft
