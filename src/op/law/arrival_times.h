// [first_times]: when expressions of a conservation law's state first rise above zero, at each
// node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "op/law/dg_node_launcher.h"
#include "op/law/law_rates.h"

namespace weft {

// Times are kept on the device and NaN where nothing was reached. Between two looks an expression
// is taken as linear; one that is above zero at the first look has its time. For expressions of
// results the times are known fields of the discretisation, see result_form().
class ArrivalTimes {
public:
  // `op`: of the discretisation, which both must outlive this. Errors (input): expressions with
  // gradients, or that are no scalars.
  ArrivalTimes(const Case &c, const Discretisation &d, LawRates &op);

  // The first look. `q`: a state in the order of the operator.
  void start(double time, const Vector &q);
  // Instead, from the times that an earlier run had reached, [name][node].
  void resume(double time, const Vector &q, const std::vector<std::vector<double>> &times);
  // After a step from the time of the last look.
  void look(double time, const Vector &q);
  // [name][node of the fields' map]; waits. Times after `last` are left out: of steps that failed.
  std::vector<std::vector<double>> times(double last) const;

private:
  void set_times(const std::vector<std::vector<double>> &times);

  const Discretisation &d_;
  LawRates &op_;
  int count_;
  double before_ = 0;
  std::unique_ptr<DgNodeLauncher> launcher_;
  Vector values_, times_; // at the last look; see kernels/dg/node_arrival_times.kernel
};

// Error (input): of the expressions of [first_times], those that making ArrivalTimes throws.
void check_arrival_times(const Case &c, const Discretisation &d);

// Puts times into the known fields of the discretisation that results see.
void set_arrival_times(Discretisation &d, const std::vector<std::vector<double>> &times);

} // namespace weft
