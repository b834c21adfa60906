// What is solved, on a device: one face for weak forms and conservation laws. Nothing outside of
// this room asks which of them a problem is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/kernel_cost.h"
#include "cost/kernel_record.h"
#include "kernel/cell/integral_kernel.h"
#include "kernel/cell/paper_cost.h"
#include "linalg/halo/halo.h"
#include "linalg/operator.h"
#include "op/law/arrival_times.h"
#include "output/results.h"
#include "tune/database/tuning_database.h"
#include "tune/machine_figures.h"
#include "tune/search/tuner.h"

namespace weft {

// How the kernels of a model are chosen.
struct ModelTuning {
  TuningKey key; // what the result of a search is good for
  std::unique_ptr<TuningTarget> target;
  Variant usual;              // what is used where nothing is known
  bool fixed_by_case = false; // in part
};

// A kernel that a model launches, with what is known of it before it is timed.
struct ModelKernel {
  KernelRecord record;             // without times
  std::vector<NamedCost> costs;    // of its launches in one run of the work
  std::optional<PaperSizes> paper; // see ExplainedKernel
  bool over_cells = false;         // it integrates over cells or facets
};

// Kernels that solving launches together, again and again.
struct ModelWork {
  std::string use; // "residual", "linearised", "stage"
  std::vector<ModelKernel> kernels;
  std::function<void()> run; // waits for their end
};

// A work as one entry of a run's results.
struct RecordedWork {
  KernelRecord record;       // without times
  std::function<void()> run; // may return before the end
};

// What a kernel does for `cells` cells, by our formulas.
struct KernelCount {
  std::string kernel;
  std::int64_t cells = 0;
  KernelCost cost;
  std::optional<PaperSizes> paper;
};

// What a solve repeats of a problem that ranks share, in its parts: all ranks call these in step.
struct SharedWork {
  std::string what;               // "stage", "product with the Jacobian"
  HaloCounts counts;              // what this rank sends
  std::function<void()> run;      // with what the ranks exchange
  std::function<void()> kernels;  // alone
  std::function<void()> exchange; // alone
};

class Model {
public:
  virtual ~Model() = default;

  // Choosing, for which no operator is needed.
  //
  // "fem_integrate": the name under which choices of kernels are kept and replayed.
  virtual std::string kernel() const = 0;
  // What a search times, in words.
  virtual std::string timed_work() const = 0;
  // Whether the variant that the performance model puts first is taken without a timing.
  virtual bool trusts_prediction() const = 0;
  // `state`: [dof], about where it is timed. `figures`: of the machine, for the performance model.
  virtual ModelTuning tuning(const std::vector<double> &state,
                             const std::optional<MachineFigures> &figures) = 0;
  // Fills in what the case leaves open of [solver] operator, method, preconditioner and
  // inner.method, and says what is used. What the case says stays. Where no systems are solved the
  // record is empty. `state`: [dof], at which solves start.
  // Error (unsupported): a preconditioner that the model does not have.
  virtual SolverRecord choose_solver(const std::vector<double> &state) = 0;
  // Makes the operators; without a variant with what is used by default. Throws what they throw.
  virtual void set_up(const std::optional<Variant> &variant) = 0;

  // Operators that were set up take anew what may have changed with parameters in the
  // discretisation. False: they can't, and have to be set up again.
  virtual bool take_values() = 0;

  // Solving, after set_up().
  //
  // F(t, u, dt(u)) = 0, for solves and implicit steps; null where steps are explicit.
  virtual NonlinearOperator *system() = 0;
  // F(t, u, dt(u)) for methods of others: system(), or where steps are explicit what it would be if
  // they were implicit.
  virtual NonlinearOperator &equations() = 0;
  // The same, null where they were not asked for and are not in use.
  virtual NonlinearOperator *equations_made() = 0;
  // The terms that implicit steps take explicitly, as a residual g of a state at a time; empty:
  // none. The model must outlive it.
  virtual std::function<void(double time, const Vector &u, Vector &g)> explicit_terms() {
    return {};
  }
  // dq/dt = L(t, q), for explicit steps; null where the equations are not of that kind.
  virtual ExplicitOperator *rates() = 0;
  // What is wrong with the rate of a state that is finite: a law has no wave speed there. Empty:
  // nothing.
  virtual std::string rate_fault(const std::vector<double> & /*state*/) const { return {}; }
  // What [first_times] asks for; the model must outlive it. Error (invariant): it has no rates.
  virtual std::unique_ptr<ArrivalTimes> make_arrival_times();

  // Looking at kernels, after set_up().
  //
  // What the records of all kernels share: form, device, precision, dofs.
  virtual KernelRecord record() const = 0;
  // Makes and compiles those that are not left to the first step.
  virtual void make_kernels() = 0;
  // Those made so far, or all.
  virtual std::vector<std::string> kernel_texts() = 0;
  virtual std::vector<KernelCount> kernel_counts() = 0;
  // Each ready to be run at a state, [dof].
  virtual std::vector<ModelWork> works(const std::vector<double> &state) = 0;
  virtual std::vector<RecordedWork> recorded_works(const std::vector<double> &state) = 0;
  // Of a problem that ranks share, ready to be run at a state, [dof].
  virtual SharedWork shared_work(const std::vector<double> &state) = 0;
  // The work that ablations are for, with a term of it done twice or left out; what an earlier call
  // returned is gone then, but for that without an ablation. Error (unsupported), which
  // check_ablation() throws without an operator: kernels without such terms.
  virtual void check_ablation() const = 0;
  virtual ModelWork ablated_work(Ablation ablation, const std::vector<double> &state) = 0;
};

} // namespace weft
