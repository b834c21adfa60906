// One variant of a form's operator being timed, and what its result is compared with.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "op/reference/sampled.h"
#include "op/weak_form/form_operator.h"
#include "tune/search/tuner.h"

namespace weft {

// What the operator is applied to: numbers that the precision holds exactly.
struct TrialInput {
  std::vector<double> state, direction; // [dof]
};
// Near `state` (empty: 0), but different at each dof, so that no part of a result is zero by
// chance.
TrialInput make_trial_input(const Discretisation &d, const std::vector<double> &state,
                            Precision precision);

// Results that are right: of the reference loops, in the rows of some cells, and of the plainest
// strategy on the device, one lane at a time, in all rows.
class ExpectedResult {
public:
  ExpectedResult(Device &device, const Discretisation &d, const OperatorSettings &base,
                 IntegralKind kind, const TrialInput &input);
  // What is wrong with a result, or nothing.
  std::optional<std::string> compare(const std::vector<double> &result) const;

private:
  // Index of the field of a dof.
  std::size_t field_of(std::int64_t dof) const;
  // Largest entries of each field, prescribed rows left out.
  void find_scales(const Discretisation &d);
  std::optional<std::string> compare_row(std::int64_t row, double found, double expected,
                                         const char *with) const;

  double tolerance_; // relative to the largest entry of the field
  std::vector<std::int64_t> field_offset_;
  std::vector<std::int64_t> rows_;
  std::vector<double> sampled_; // [row]
  std::vector<double> plain_;   // [dof]; empty where the device can't make it
  std::vector<double> scale_;   // [field]
};

class FormTrial : public TuningTrial {
public:
  // Makes the operator and runs it once; `expected` is asked for when the result is validated.
  FormTrial(Device &device, const Discretisation &d, const OperatorSettings &settings,
            IntegralKind kind, const TrialInput &input,
            std::function<const ExpectedResult &()> expected);
  double run() override;
  std::optional<std::string> validate() override;
  std::vector<double> result(); // of another run

private:
  void apply();

  Device &device_;
  FormOperator op_;
  IntegralKind kind_;
  Vector state_, direction_, result_;
  std::function<const ExpectedResult &()> expected_;
  int repeats_ = 1;
};

} // namespace weft
