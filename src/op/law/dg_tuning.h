// The stage of a conservation law as the tuner sees it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "op/law/law_rates.h"
#include "op/weak_form/form_tuning.h"
#include "tune/database/tuning_database.h"
#include "tune/search/tuner.h"

namespace weft {

// The name under which choices of a law's kernels are kept and replayed.
inline constexpr const char *law_kernel = "dg_stage";

// The parameters of a law's space, in its order:
//   kernels          fused, separate (differentiate, flux, lift, update); on GPUs nodes (fused, by
//                    work-groups whose threads are nodes)
//   lanes            cells a lane group; 1 on GPUs
//   rows             of a register block; "own": each cell type by its registers
//   products         by_symmetry (kernel/law/dg_symmetry.h), where some cells' kernels know of it;
//   whole groups_per_item  lane groups a work-item does in turn stores           cached, streamed
//   (past the caches)
// On CPUs also
//   ahead            groups ahead whose state is prefetched
// On GPUs of kernels "nodes" also, see DgNodeGroup:
//   parallel         cells; "own": as many as fill a work-group
//   in_line          cells
//   sequence         cells
//   matrix           memory, local
// What a choice does not have is "-".
DgSettings dg_settings_of(const Variant &variant, DgSettings base);
Variant variant_of(const DgSettings &settings, bool is_cpu); // complete, see LawRates::settings()

struct DgTuningOptions {
  DgSettings base; // precision, names, by_symmetry if not open; the rest is varied
  CostModel model;
  std::vector<double> state; // [dof]: what is stepped from
  double time = 0;
};

// The update that is timed: of a low-storage scheme, which reads the state and the sum and writes
// both.
StageUpdate tuned_update();

class DgTuning : public TuningTarget {
public:
  // `device` and `d` must outlive it. Nothing that takes long is done before it is asked for.
  DgTuning(Device &device, const Discretisation &d, DgTuningOptions options);
  ~DgTuning() override;

  SearchSpace space() override { return space_; }
  std::optional<Variant> default_variant() override;
  double predict(const Variant &variant) override;
  // After one run, so that all is compiled.
  std::unique_ptr<TuningTrial> prepare(const Variant &variant) override;

  // The operator with the choices of a variant, and what a stage is run on.
  struct Shared {
    std::unique_ptr<LawRates> op;
    Vector q, sum, out;
  };
  Shared &shared(const Variant &variant);
  // One stage, with an h of about a step, from the state into `out`; returns before its end.
  void run_stage(Shared &shared) const;
  // What a stage changes a dof by, [dof].
  std::vector<double> change(Shared &shared);
  // What is wrong with it, or nothing: against the reference loops where the mesh is small, and
  // against separate kernels with one row and whole matrices everywhere.
  std::optional<std::string> compare(const std::vector<double> &change);

  // What the result of a search is good for.
  TuningKey key() const;
  DgSettings usual_settings() const;

private:
  void make_space();
  void add_node_groups();
  NamedCost cost(DgStage part, const LawRates &op, std::size_t set, const DgSettings &settings);
  std::string problem() const;

  // What kernels made for predictions differ by.
  struct PredictedKernel {
    DgStage stage;
    std::size_t set;
    int rows;
    bool by_symmetry;
    auto operator<=>(const PredictedKernel &) const = default;
  };

  Device &device_;
  const Discretisation &d_;
  DgTuningOptions options_;
  SearchSpace space_;
  std::map<int, Shared> shared_; // by lanes
  double step_ = 0;
  std::map<PredictedKernel, KernelSource> kernels_;
  std::vector<double> reference_, plain_; // [dof]
};

} // namespace weft
