// The operator of a form as the tuner sees it: what may be varied, what each variant is predicted
// to cost, how it is timed and checked.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "op/weak_form/form_prediction.h"
#include "op/weak_form/form_trial.h"
#include "tune/database/tuning_database.h"
#include "tune/search/tuner.h"

namespace weft {

// The name under which choices of a form's kernels are kept and replayed.
inline constexpr const char *form_kernel = "fem_integrate";

// The parameters of a form's space, in its order; of each the default value is the first:
//   strategy         block, cell, transposed
//   geometry         on_the_fly, stored
//   sums             points, lines (quadrilaterals and hexahedra)
//   lanes            cells a lane group; 1 on GPUs
//   leaves           leaf blocks merged (block)
//   groups_per_item  lane groups a work-item does in turn (cell)
//   num_blocks       N_bl, cell blocks a batch (transposed)
//   num_batches      N_cb, batches a chunk (transposed)
// What a strategy does not have is "-".
OperatorSettings settings_of(const Variant &variant, OperatorSettings base);
// Settings are complete, see with_choices(); num_blocks must be set with strategy transposed.
Variant variant_of(const OperatorSettings &settings);

// The text of a form or a law without the values of its constants: other ones give the same kernel
// but for numbers in it. Exponents, indices of tensors and numbers of values ("u^2", "grad(T)[0]",
// "v1") stay.
std::string without_constants(const std::string &form);

// Seconds of launches one after the other, by the performance model.
using CostModel = std::function<double(const std::vector<NamedCost> &)>;

struct FormTuningOptions {
  // Which application is timed; the residual where the form is C text, whatever is asked for.
  IntegralKind kind = IntegralKind::linearised;
  OperatorSettings base; // precision, names; what it leaves open is varied or Weft's choice
  Variant fixed;         // choices that are not varied: {"strategy", "cell"}
  CostModel model;
  std::vector<double> state; // [dof]: about where it is linearised; empty: 0
};

class FormTuning : public TuningTarget {
public:
  // `device` and `d` must outlive it. Nothing that takes long is done before it is asked for.
  FormTuning(Device &device, const Discretisation &d, FormTuningOptions options);
  ~FormTuning() override;

  // Empty (no candidate) where what is fixed is not possible.
  SearchSpace space() override { return space_; }
  std::optional<Variant> default_variant() override;
  double predict(const Variant &variant) override;
  // After one run, so that all is compiled.
  std::unique_ptr<TuningTrial> prepare(const Variant &variant) override;

  IntegralKind kind() const { return options_.kind; }
  const FormTuningOptions &options() const { return options_; }
  const TrialInput &input();
  // What the result of a search is good for.
  TuningKey key() const;

private:
  void make_parameters();
  void add_constraints();
  bool transposed_fits(const Variant &variant) const;
  int usual_num_blocks(int lanes) const;
  std::string problem() const;

  Device &device_;
  const Discretisation &d_;
  FormTuningOptions options_;
  FormIntegrals integrals_;
  FormPrediction prediction_;
  std::vector<CellIntegral> cell_integrals_; // of all sets and kinds
  SearchSpace space_;
  double stored_geometry_bytes_ = 0; // of one number
  // Made when first asked for:
  std::unique_ptr<TrialInput> input_;
  std::unique_ptr<ExpectedResult> expected_;
};

} // namespace weft
