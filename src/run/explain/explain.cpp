#include "run/explain/explain.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "base/kept_notices.h"
#include "base/log.h"
#include "base/system/run_folder.h"
#include "device/compilations.h"
#include "op/set_up/make_discretisation.h"
#include "run/explain/explain_ablation.h"
#include "run/explain/explain_halo.h"
#include "run/explain/explain_kernels.h"
#include "run/explain/watched_solves.h"
#include "run/kernel_timing.h"
#include "run/run_results.h"
#include "run/settings/kernel_settings.h"
#include "run/transient.h"
#include "run/variants/known_machine.h"

namespace weft {

namespace {

// The stages that are timed on their own, in their order; what other timings there are is a part of
// them or a moment.
constexpr const char *stages_in_order[] = {
    "start",  "case",  "mesh_gmsh", "mesh_read", "mesh_refine",    "mesh_blocks", "mesh_topology",
    "device", "space", "variants",  "operator",  "first_residual", "solve",       "output"};

// Those of the solve, with what is inside of each after it: means over the solves that were
// watched.
std::vector<ExplainedStage> stages_of_solve(const WatchedSolves &solves,
                                            const std::vector<ExplainedKernel> &kernels,
                                            double scale) {
  std::map<std::string, ExplainedStage> by_path;
  const auto num_solves = static_cast<double>(solves.profiles.size());
  for (const auto &profile : solves.profiles)
    for (const auto &[path, stage] : profile) {
      ExplainedStage &explained = by_path[path];
      explained.name = path.empty() ? "solve" : "solve/" + path;
      explained.seconds += scale * stage.seconds / num_solves;
    }
  for (const ExplainedKernel &kernel : kernels) {
    ExplainedStage &stage = by_path[kernel.stage];
    stage.kernels_s += kernel.total_s;
    stage.predicted_s += scale * kernel.launches * kernel.prediction.seconds;
  }
  for (auto &[path, stage] : by_path) {
    stage.own_s = stage.seconds;
    for (const auto &[other, inside] : by_path)
      if (!path.empty() && other.starts_with(path + "/") &&
          other.find('/', path.size() + 1) == std::string::npos)
        stage.own_s -= inside.seconds;
  }
  std::vector<ExplainedStage> stages;
  for (auto &[path, stage] : by_path)
    stages.push_back(std::move(stage));
  return stages;
}

void add_stages(Explanation &e, const Timings &timings, std::vector<ExplainedStage> of_solve) {
  for (const char *name : stages_in_order) {
    const auto found = timings.stages().find(name);
    if (found == timings.stages().end())
      continue;
    ExplainedStage stage{.name = name, .seconds = found->second, .own_s = found->second};
    if (stage.name != "solve") {
      e.stages.push_back(stage);
      continue;
    }
    for (const ExplainedStage &inside : of_solve)
      if (inside.name != "solve" && inside.name.find('/', 6) == std::string::npos)
        stage.own_s -= inside.seconds;
      else if (inside.name == "solve") { // launches in no stage
        stage.kernels_s = inside.kernels_s;
        stage.predicted_s = inside.predicted_s;
      }
    e.stages.push_back(stage);
    std::copy_if(of_solve.begin(), of_solve.end(), std::back_inserter(e.stages),
                 [](const ExplainedStage &inside) { return inside.name != "solve"; });
  }
}

} // namespace

double Explanation::solve_s() const {
  for (const ExplainedStage &stage : stages)
    if (stage.name == "solve")
      return stage.seconds;
  return 0;
}

double Explanation::unexplained_s() const {
  double sum = 0;
  for (const ExplainedStage &stage : stages)
    if (stage.name.find('/') == std::string::npos)
      sum += stage.seconds;
  return total_s - sum;
}

namespace {

// One run, from the case file to its output.
Explanation explain_run(const std::string &case_file, const ProblemOptions &options, double start_s,
                        int repeats, Communicator *ranks) {
  const Timer whole;
  const std::unique_ptr<Simulation> s =
      make_simulation_without_operator(case_file, options, {}, ranks);
  s->timings.add("start", start_s);
  const Timer of_figures; // no part of the run
  TuningDatabase database;
  const MachineFigures figures = known_machine(*s->device, database);
  auto profiling = std::make_unique<ProfilingDevice>(std::move(s->device));
  ProfilingDevice &device = *profiling;
  set_device(*s, std::move(profiling));
  const double figures_s = of_figures.seconds();
  make_solver_and_operator(*s, options);
  first_residual(*s);
  Solves solves(*s);
  Explanation e{.device = device.info().name,
                .variant = s->variant.variant,
                .variant_from = s->variant.from,
                .solver = s->solver_choice};
  e.solved = solves.run();
  if (!s->solver.converged && !s->c.time)
    e.solved += "; " + s->solver.reason;
  {
    const RunFolder folder(std::filesystem::temp_directory_path());
    const log::KeptNotices notices;
    Run run{.s = *s, .notices = notices, .folder = folder.path().string()};
    write_what_there_is(run);
  }
  e.total_s = start_s + whole.seconds() - figures_s;
  const Timings timings = s->timings;

  ModelledTimer timer(device, case_precision(s->c), figures);
  const WatchedSolves watched = watch(*s, solves, device, &timer, repeats);
  e.watched_solve_s = median(watched.seconds);
  const double scale = std::min(1.0, timings.stages().at("solve") / e.watched_solve_s);
  e.kernels =
      explain_kernels(watched, s->model->works(s->state), s->model->record(), device.info(), timer);
  for (ExplainedKernel &kernel : e.kernels)
    kernel.total_s *= scale;
  add_stages(e, timings, stages_of_solve(watched, e.kernels, scale));
  e.halo = explain_halo(*s, repeats);
  return e;
}

} // namespace

Explanation explain(const std::string &case_file, const ProblemOptions &options,
                    const std::vector<Ablation> &ablations, int repeats, Communicator *ranks) {
  const double start_s = seconds_since_process_start();
  std::vector<AblationResult> ablated; // first: they may be refused
  if (!ablations.empty())
    ablated = ablate(case_file, options, ablations, repeats);
  const int compiled = num_compilations();
  Explanation e = explain_run(case_file, options, start_s, repeats, ranks);
  if (any(ranks,
          num_compilations() > compiled)) { // what is compiled once is no part of any other run
    log::info("kernels were compiled, which happens once: the run is made again");
    e = explain_run(case_file, options, start_s, repeats, ranks);
  }
  e.ablations = std::move(ablated);
  return e;
}

} // namespace weft
