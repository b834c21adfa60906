// A conservation law as a model: its rate, by its own kernels or as a matrix, and for implicit
// steps its system of equations.
#pragma once

#include "case/case.h"
#include "op/law/law_rate_matrix.h"
#include "op/law/law_rates.h"
#include "op/law/law_residual.h"
#include "op/problem/discretisation.h"
#include "run/model/model.h"

namespace weft {

class ConservationLawModel : public Model {
public:
  // See make_model().
  ConservationLawModel(Case &c, Device &device, const Discretisation &d);

  std::string kernel() const override;
  std::string timed_work() const override { return "a stage of the scheme in time"; }
  bool trusts_prediction() const override { return false; }
  ModelTuning tuning(const std::vector<double> &state,
                     const std::optional<MachineFigures> &figures) override;
  SolverRecord choose_solver(const std::vector<double> &state) override;
  void set_up(const std::optional<Variant> &variant) override;
  bool take_values() override { return false; } // what is made of them is in many places

  NonlinearOperator *system() override { return system_.get(); }
  NonlinearOperator &equations() override;
  NonlinearOperator *equations_made() override {
    return system_ ? system_.get() : equations_.get();
  }
  ExplicitOperator *rates() override;
  std::string rate_fault(const std::vector<double> &state) const override;
  std::unique_ptr<ArrivalTimes> make_arrival_times() override;

  KernelRecord record() const override;
  // All are made by the first step.
  void make_kernels() override {}
  std::vector<std::string> kernel_texts() override;
  // Counts a stage, the search for the longest step and sources that are split off.
  std::vector<KernelCount> kernel_counts() override;
  std::vector<ModelWork> works(const std::vector<double> &state) override;
  // The parts of a stage.
  std::vector<RecordedWork> recorded_works(const std::vector<double> &state) override;
  SharedWork shared_work(const std::vector<double> &state) override;
  void check_ablation() const override;
  ModelWork ablated_work(Ablation ablation, const std::vector<double> &state) override;

private:
  // What a stage is run on.
  struct StageVectors;
  std::shared_ptr<StageVectors> stage_vectors(const std::vector<double> &state);

  bool steps_are_implicit() const;
  void refuse_settings_of_weak_forms() const;
  std::vector<ModelKernel> kernels_of(DgStage part) const;
  KernelRecord matrix_record() const;

  Case &c_;
  Device &device_;
  const Discretisation &d_;
  std::unique_ptr<LawRates> law_;
  std::unique_ptr<LawRateMatrix> matrix_;  // where the rate is a matrix
  std::unique_ptr<LawResidual> system_;    // where steps are implicit
  std::unique_ptr<LawResidual> equations_; // where they are not, once asked for
};

} // namespace weft
