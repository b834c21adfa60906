// A weak form as a model: its operator, matrix-free or assembled.
#pragma once

#include "case/case.h"
#include "op/problem/discretisation.h"
#include "op/weak_form/form_operator.h"
#include "run/model/explicit_terms.h"
#include "run/model/model.h"

namespace weft {

class WeakFormModel : public Model {
public:
  // See make_model().
  WeakFormModel(Case &c, Device &device, const Discretisation &d);

  std::string kernel() const override;
  // By the time of the linearised application, which solvers iterate with.
  std::string timed_work() const override;
  bool trusts_prediction() const override { return true; }
  ModelTuning tuning(const std::vector<double> &state,
                     const std::optional<MachineFigures> &figures) override;
  SolverRecord choose_solver(const std::vector<double> &state) override;
  void set_up(const std::optional<Variant> &variant) override;

  bool take_values() override;

  NonlinearOperator *system() override { return op_.get(); }
  NonlinearOperator &equations() override { return *op_; }
  NonlinearOperator *equations_made() override { return op_.get(); }
  std::function<void(double time, const Vector &u, Vector &g)> explicit_terms() override;
  ExplicitOperator *rates() override { return nullptr; }

  KernelRecord record() const override;
  void make_kernels() override;
  std::vector<std::string> kernel_texts() override;
  std::vector<KernelCount> kernel_counts() override;
  std::vector<ModelWork> works(const std::vector<double> &state) override;
  // The linearised application.
  std::vector<RecordedWork> recorded_works(const std::vector<double> &state) override;
  SharedWork shared_work(const std::vector<double> &state) override;
  void check_ablation() const override;
  ModelWork ablated_work(Ablation ablation, const std::vector<double> &state) override;

private:
  ModelWork work(FormOperator &op, IntegralKind kind, const std::vector<double> &state);
  std::vector<ModelKernel> kernels(FormOperator &op, IntegralKind kind) const;

  Case &c_;
  Device &device_;
  const Discretisation &d_;
  std::unique_ptr<FormOperator> op_;
  std::unique_ptr<ExplicitTerms> explicit_; // null where nothing is taken explicitly
  std::unique_ptr<FormOperator> ablated_;   // that ablated_work() made last
};

} // namespace weft
