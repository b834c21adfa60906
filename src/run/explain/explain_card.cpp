#include "run/explain/explain_card.h"

#include <algorithm>
#include <cmath>

#include "device/card/model_device.h"
#include "output/summary.h"
#include "run/explain/explain_kernels.h"
#include "run/explain/watched_solves.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

// Of a launch with as many groups as all have on average: one of them was looked at.
std::optional<LaunchUse> mean_use(const KernelProfile &profile) {
  std::optional<LaunchUse> use = profile.use;
  if (!use)
    return use;
  const double groups = profile.groups / static_cast<double>(profile.seconds.size());
  if (use->warps)
    use->warps = groups / static_cast<double>(use->groups) * *use->warps;
  use->groups = std::llround(groups);
  return use;
}

} // namespace

CardKernel kernel_on_card(const std::string &name, const KernelProfile &profile,
                          const KnownKernel *known, const Card &card) {
  CardKernel kernel;
  kernel.kernel = name;
  kernel.launches = static_cast<double>(profile.seconds.size());
  kernel.use = mean_use(profile);
  kernel.cost = mean_cost(profile, known, kernel.counted);
  kernel.prediction = predict_on_card(card, kernel.cost, kernel.use ? &*kernel.use : nullptr);
  return kernel;
}

namespace {

std::vector<CardKernel> kernels_on_card(const std::map<std::string, StageProfile> &stages,
                                        const std::vector<ModelWork> &works, const Card &card) {
  const std::map<std::string, KnownKernel> known = known_kernels(works);
  std::vector<CardKernel> kernels;
  for (const auto &[stage, of_stage] : stages)
    for (const auto &[name, profile] : of_stage.kernels) {
      if (profile.seconds.empty()) // looked at, and not launched
        continue;
      const auto found = known.find(name);
      CardKernel kernel =
          kernel_on_card(name, profile, found == known.end() ? nullptr : &found->second, card);
      kernel.stage = stage;
      kernels.push_back(std::move(kernel));
    }
  std::stable_sort(kernels.begin(), kernels.end(), [](const CardKernel &a, const CardKernel &b) {
    return a.total_s() > b.total_s();
  });
  return kernels;
}

} // namespace

SimulationOnCard simulate_on_card(const CaseInput &input, const ProblemOptions &options,
                                  const Card &card) {
  ProblemOptions on_cpu = options;
  on_cpu.device = "opencl";
  SimulationOnCard on_card{.card = card};
  on_card.simulation = make_simulation_without_operator(input, on_cpu);
  std::unique_ptr<ProfilingDevice> profiling = open_watched_model(card);
  on_card.device = profiling.get();
  set_device(*on_card.simulation, std::move(profiling));
  make_solver_and_operator(*on_card.simulation, options);
  return on_card;
}

CardExplanation explain_on_card(const CaseInput &input, const ProblemOptions &options,
                                const Card &card) {
  const SimulationOnCard on_card = simulate_on_card(input, options, card);
  Simulation &s = *on_card.simulation;
  first_residual(s);
  Solves solves(s);
  CardExplanation e{
      .card = card, .variant = s.variant.variant, .solver = solver_in_words(s.solver_choice)};
  e.solved = solves.run(); // as many steps as there shall be
  const WatchedSolves watched = watch(s, solves, *on_card.device, nullptr, 1);
  e.kernels = kernels_on_card(watched.profiles.front(), s.model->works(s.state), card);
  for (const CardKernel &kernel : e.kernels)
    e.kernels_s += kernel.total_s();
  return e;
}

std::vector<CardKernel> kernels_of_works(const SimulationOnCard &on_card) {
  Simulation &s = *on_card.simulation;
  const std::vector<ModelWork> works = s.model->works(s.state);
  on_card.device->take_stages();
  on_card.device->set_profiling(true);
  for (const ModelWork &work : works)
    work.run();
  on_card.device->set_profiling(false);
  return kernels_on_card(on_card.device->take_stages(), works, on_card.card);
}

} // namespace weft
