// The operator of a form on a device: residual, linearised apply, diagonal, by generated kernels.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "form/weak_form/rates.h"
#include "linalg/operator.h"
#include "linalg/vector_kernels.h"
#include "op/problem/dof_layout.h"
#include "op/set_up/difference_jacobian.h"
#include "op/weak_form/form_plan.h"
#include "op/weak_form/local_dofs.h"
#include "op/weak_form/tied_dofs.h"

namespace weft {

class FormOperator : public NonlinearOperator {
public:
  // `d` must outlive the operator. Throws `unsupported` for C text beside integrals over facets
  // between two cells, and for strategies that the device or the element does not allow.
  FormOperator(Device &device, const Discretisation &d, const OperatorSettings &settings);
  ~FormOperator() override;

  std::int64_t size() const override { return d_.num_owned; }
  VectorLayout layout() const override { return vector_layout(d_); }
  Precision precision() const override { return settings_.precision; }
  Device &device() override { return device_; }
  bool symmetric() const override { return d_.form.symmetric; }
  bool linear() const override { return d_.form.linear && d_.bounds.empty(); }
  Bounds bounds() const override { return {d_.bounds.lower, d_.bounds.upper}; }
  void hold(std::span<const std::int32_t> entries) override;
  void set_dofs(const std::vector<double> &dofs, Vector &u) override {
    set_vector(device_, u, own_entries(d_, dofs));
  }
  std::vector<double> dofs(const Vector &u) override {
    return state_of_entries(d_, get_vector(device_, u));
  }

  // Sets those entries of u that follow others, as linearise() does.
  void residual(const Vector &u, Vector &r) override;
  void linearise(const Vector &u) override;
  // Entries of x at constrained, held and tied dofs are others during the call and then given back.
  void apply(const Vector &x, Vector &y) override;
  void diagonal(Vector &d) override;
  void set_constrained(Vector &u) override;
  void set_time(double time) override;
  void set_rate(const Vector &offset, double shift) override;
  void set_second_rate(const Vector &offset, double acceleration_shift,
                       double velocity_shift) override;
  void set_load(const Vector &load) override;
  bool second_order_in_time() const override { return second_offset_.buffer != nullptr; }
  void take_values() override;
  void prescribe(const Vector &u) override;
  std::vector<std::int32_t> numbers_of_entries() override { return weft::numbers_of_entries(d_); }
  // Integrals in f64 or f32, whatever this operator does.
  FormOperator *in_precision(Precision p) override;

  // What ranks exchange in one apply(), and its parts alone, for measurements; after an apply().
  HaloCounts halo_per_apply() const;
  void exchange(const Vector &x);
  void apply_without_exchange(const Vector &x, Vector &y);

  // As of the last linearise(), set_time() and set_rate(); vectors without a buffer before them.
  const Vector &state() const { return state_; }
  double time() const { return time_; }
  // Of dt(u), see form/weak_form/rates.h.
  const std::array<double, num_shifts> &shifts() const { return shifts_; }
  const Vector &rate_offset() const { return rate_offset_; }
  const Vector &second_rate_offset() const { return second_offset_; }
  // Takes what time derivatives stand for from an operator of the same form, with these offsets.
  void take_rates(const FormOperator &from, const Vector &offset, const Vector &second_offset);

  // Launches of one kind, made and compiled when first asked for. Those of the residual whatever
  // the kind where the Jacobian is applied by differences, because the form is C text.
  virtual const std::vector<IntegralLaunch> &launches(IntegralKind kind);
  Strategy strategy() const { return *settings_.strategy; }
  // Those it was given, what was open being chosen.
  const OperatorSettings &settings() const { return settings_; }
  // What the kernels of one residual(), apply() or diagonal() do, by closed formulas, launch by
  // launch and in all: integrals, sums over contributions, constraints.
  virtual std::vector<NamedCost> costs(IntegralKind kind);
  KernelCost cost(IntegralKind kind);
  // Unique bytes of all launches.
  double bytes(IntegralKind kind);
  // Operations for flop rates: what the integrals need and the sums over contributions, without
  // what lanes without a cell and repeated work add to cost().
  virtual double flops(IntegralKind kind);

protected:
  // `u`, `x`: as LocalDofs reads them.
  void launch(IntegralLaunch &launch, const Buffer &u, const Buffer &x, const Vector &y);

  Device &device_;
  const Discretisation &d_;
  FormIntegrals integrals_;
  OperatorSettings settings_;
  LocalDofs local_dofs_;
  TiedDofs tied_dofs_;
  Vector state_;
  Buffer local_state_, state_storage_; // of LocalDofs
  std::vector<std::int32_t> held_;     // entries, sorted

private:
  // y = integrals of a kind; u: the state, x: the direction, where the kind has them.
  void integrate(IntegralKind kind, const Buffer &u, const Buffer &x, Vector &y);
  // Counts the kernels of differences, where there are residuals in place of a kind's own
  // integrals.
  std::vector<NamedCost> difference_costs(IntegralKind kind);
  // Counts integrate().
  std::vector<NamedCost> integral_costs(IntegralKind kind);
  // Residuals that one call of a kind takes; 0 where it has kernels of its own.
  int num_residuals(IntegralKind kind);
  int num_exchanges() const { return differences_ ? 2 : 1; } // of an apply()
  void take_constrained_values();
  void constrain(const std::string &kernel, const std::vector<KernelArgument> &arguments);
  // The same of dofs that are held, too.
  void constrain_or_hold(const std::string &kernel, const std::vector<KernelArgument> &arguments);
  void constrain(std::int64_t num, const Buffer &dofs, const std::string &kernel,
                 const std::vector<KernelArgument> &arguments);

  double time_ = 0;
  std::array<double, num_shifts> shifts_{};
  // Of dt(u) and dt(dt(u)), beside the shifts; empty for forms without.
  Vector rate_offset_, second_offset_;
  Buffer local_offsets_[highest_rate_order];
  Buffer rate_storage_, second_storage_, storage_;  // of LocalDofs
  Vector load_;                                     // of set_load()
  std::unique_ptr<VectorKernels> sums_;             // made for the first load
  std::unique_ptr<DifferenceJacobian> differences_; // where the form is C text
  std::unique_ptr<FormPlan> plan_;
  std::unique_ptr<FormOperator> other_; // in the precision that this one has not
  std::map<IntegralKind, std::vector<IntegralLaunch>> launches_;
  Program constrain_program_;
  Buffer constrained_dofs_, constrained_values_, one_;
  // With those that are held.
  std::int64_t num_fixed_ = 0;
  Buffer fixed_dofs_, fixed_saved_;
};

} // namespace weft
