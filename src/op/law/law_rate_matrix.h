// The rate of a linear conservation law by finite volumes as a sparse matrix.
#pragma once

#include <map>
#include <vector>

#include "kernel/law/matrix_stage_kernel.h"
#include "linalg/operator.h"
#include "op/law/law_rates.h"
#include "op/problem/discretisation.h"

namespace weft {

// dq/dt = A q + b: what diffusion and upwind fluxes with coefficients that depend on neither state
// nor time come to. On tetrahedra with corrected diffusion a row has about 17 entries, 204 bytes in
// f64, where the law's own kernels read 450 bytes of metric and weights and compute gradients
// first.
//
// States are those of the law's operator, lane groups and padding alike; reactions, limits and
// steps are left to it.
class LawRateMatrix : public ExplicitOperator {
public:
  // Of one process. Takes A from products with sums of unit vectors of cells that no row sees two
  // of (Curtis, Powell, Reid 1974, doi:10.1093/imamat/13.1.117): some 60 stages of `law` a
  // component. `d`: that of the law; both must outlive this. Errors: input (laws of other methods,
  // and those whose rate is not affine or changes with time).
  LawRateMatrix(LawRates &law, const Discretisation &d);

  std::int64_t size() const override { return law_.size(); }
  Precision precision() const override { return law_.precision(); }
  Device &device() override { return law_.device(); }
  void stage(double time, double h, const StageUpdate &update, const Vector &q, const Vector *start,
             Vector *sum, Vector &out) override;
  bool limits_states() const override { return law_.limits_states(); }
  void limit(double time, Vector &q) override { law_.limit(time, q); }
  void react(double time, double h, Vector &q) override { law_.react(time, h, q); }
  double unit_step(double time, const Vector &q) override { return law_.unit_step(time, q); }
  bool sources_depend_on_state() const override { return law_.sources_depend_on_state(); }
  bool knows_longest_step() const override { return law_.knows_longest_step(); }
  void set_state(const std::vector<double> &dofs, Vector &q) override { law_.set_state(dofs, q); }
  std::vector<double> state(const Vector &q) override { return law_.state(q); }
  std::vector<double> random_state(std::int64_t host_dofs) const override {
    return law_.random_state(host_dofs);
  }

  // Counts a stage.
  NamedCost cost(const StageUpdate &update) const;

private:
  struct Entries;

  Entries find_entries();
  std::vector<double> rate(const std::vector<double> &x);
  void upload_slices(const Entries &entries);
  LawLaunch &launch_of(const StageUpdate &update);
  Launch launch_size() const;
  KernelArgument fixed_argument(ArgumentRole role) const;
  bool streams() const { return law_.settings().stream.value_or(false); }

  LawRates &law_;
  const Discretisation &d_;
  int lanes_, components_;
  std::int64_t num_slices_;
  std::int64_t num_entries_ = 0; // those that fill up slices included
  std::int64_t num_columns_ = 0; // that entries name
  int slices_per_item_ = 1;
  bool has_constant_ = false;
  Vector q_, rate_; // while entries are found
  Buffer slice_start_, index_;
  Vector value_, constant_;
  std::map<MatrixStageSpec, LawLaunch> launches_;
};

} // namespace weft
