#include "run/explain/explain_card.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/json_text.h"
#include "device/card/model_device.h"
#include "device/opencl/opencl_device.h"
#include "output/summary.h"
#include "run/explain/explain.h"
#include "run/explain/explain_kernels.h"
#include "run/explain/watched_solves.h"
#include "run/kernel_timing.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

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

std::vector<CardKernel> kernels_on_card(const std::map<std::string, StageProfile> &stages,
                                        const std::vector<ModelWork> &works, const Card &card) {
  const std::map<std::string, KnownKernel> known = known_kernels(works);
  std::vector<CardKernel> kernels;
  for (const auto &[stage, of_stage] : stages)
    for (const auto &[name, profile] : of_stage.kernels) {
      if (profile.seconds.empty()) // looked at, and not launched
        continue;
      CardKernel kernel;
      kernel.stage = stage;
      kernel.kernel = name;
      kernel.launches = static_cast<double>(profile.seconds.size());
      kernel.use = mean_use(profile);
      const auto found = known.find(name);
      kernel.cost =
          mean_cost(profile, found == known.end() ? nullptr : &found->second, kernel.counted);
      kernel.prediction = predict_on_card(card, kernel.cost, kernel.use ? &*kernel.use : nullptr);
      kernels.push_back(std::move(kernel));
    }
  std::stable_sort(kernels.begin(), kernels.end(), [](const CardKernel &a, const CardKernel &b) {
    return a.total_s() > b.total_s();
  });
  return kernels;
}

// Percent, or "-" where a count is not there.
std::string percent(std::optional<double> part) {
  return part ? fmt::format("{:.0f}%", 100 * *part) : "-";
}

struct Shares {
  std::optional<double> sectors, divergent, conflicts;
};
Shares shares_of(const CardKernel &kernel) {
  Shares shares;
  if (!kernel.use || !kernel.use->warps)
    return shares;
  const WarpCounts &w = *kernel.use->warps;
  if (kernel.counted && kernel.cost.bytes() > 0)
    shares.sectors = w.sector_bytes() / kernel.cost.bytes();
  if (w.steps > 0)
    shares.divergent = w.divergent_steps / w.steps;
  if (w.local_requests > 0)
    shares.conflicts = w.bank_conflicts / w.local_requests;
  return shares;
}

} // namespace

CardExplanation explain_on_card(const std::string &case_file, const ProblemOptions &options,
                                const Card &card) {
  ProblemOptions on_cpu = options;
  on_cpu.device = "opencl";
  const std::unique_ptr<Simulation> s = make_simulation_without_operator(case_file, on_cpu);
  auto profiling =
      std::make_unique<ProfilingDevice>(open_model_device(open_opencl_device(0, true), card));
  ProfilingDevice &device = *profiling;
  set_device(*s, std::move(profiling));
  make_solver_and_operator(*s, options);
  first_residual(*s);
  Solves solves(*s);
  CardExplanation e{
      .card = card, .variant = s->variant.variant, .solver = solver_in_words(s->solver_choice)};
  e.solved = solves.run(); // as many steps as there shall be
  const WatchedSolves watched = watch(*s, solves, device, nullptr, 1);
  e.kernels = kernels_on_card(watched.profiles.front(), s->model->works(s->state), card);
  for (const CardKernel &kernel : e.kernels)
    e.kernels_s += kernel.total_s();
  return e;
}

std::string card_explanation_text(const CardExplanation &e) {
  std::string text = fmt::format(
      "{}: predicted from published figures, nothing ran on such a card\n", e.card.name);
  if (!e.variant.empty())
    text += fmt::format("kernels: {}\n", e.variant);
  if (!e.solver.empty())
    text += "solver: " + e.solver + "; ";
  text += fmt::format("{}\n\nkernels of the solve: {}; the host's part is not predicted\n\n",
                      e.solved, time_text(e.kernels_s));
  text += fmt::format("  {:<26} {:<24} {:>8} {:>9} {:>6} {:<10} {:>7} {:>8} {:>8} {:>9} {:>9}\n",
                      "kernel", "stage", "launches", "one", "share", "limit", "sectors", "diverge",
                      "conflict", "registers", "occupancy");
  for (const CardKernel &kernel : e.kernels) {
    const Shares shares = shares_of(kernel);
    text += fmt::format(
        "  {:<26} {:<24} {:>8.0f} {:>9} {:>5.1f}% {:<10} {:>7} {:>8} {:>8} {:>9} {:>9}\n",
        kernel.kernel, kernel.stage.empty() ? "solve" : kernel.stage, kernel.launches,
        time_text(kernel.prediction.seconds), 100 * kernel.total_s() / e.kernels_s,
        to_string(kernel.prediction.bound()),
        shares.sectors ? fmt::format("{:.2f}", *shares.sectors) : "-", percent(shares.divergent),
        percent(shares.conflicts),
        kernel.use && kernel.use->registers ? fmt::format("{}", *kernel.use->registers) : "-",
        kernel.use && kernel.use->registers ? percent(kernel.use->occupancy) : "-");
  }
  return text +
         "\nlimit: what takes longest by itself: bytes of memory, sectors of the cache, local "
         "memory, arithmetic,\nthreads that wait for memory, or the launch. sectors: bytes of the "
         "32-byte sectors that warps ask for,\nover the bytes that the launch needs. -: not known "
         "here.\n";
}

std::string card_explanation_json(const CardExplanation &e) {
  Json kernels = Json::array();
  for (const CardKernel &kernel : e.kernels) {
    Json parts;
    for (const auto &[limit, seconds] : kernel.prediction.parts)
      parts[to_string(limit)] = seconds;
    Json entry = {{"kernel", kernel.kernel},
                  {"stage", kernel.stage},
                  {"launches", kernel.launches},
                  {"predicted_s", kernel.prediction.seconds},
                  {"limit", to_string(kernel.prediction.bound())},
                  {"parts_s", parts},
                  {"counted", kernel.counted},
                  {"bytes", kernel.cost.bytes()},
                  {"flops", kernel.cost.operations.flops()},
                  {"groups", nullptr},
                  {"group_size", nullptr},
                  {"precision", nullptr},
                  {"registers", nullptr},
                  {"occupancy", nullptr},
                  {"warps", nullptr}};
    if (kernel.use) {
      entry["groups"] = kernel.use->groups;
      entry["group_size"] = kernel.use->group_size;
      entry["precision"] = to_string(kernel.use->precision);
      if (kernel.use->registers) {
        entry["registers"] = *kernel.use->registers;
        entry["occupancy"] = kernel.use->occupancy;
      }
      if (const std::optional<WarpCounts> &w = kernel.use->warps)
        entry["warps"] = {{"requests", w->requests},
                          {"load_phases", w->load_phases},
                          {"sectors_read", w->sectors_read},
                          {"sectors_written", w->sectors_written},
                          {"local_requests", w->local_requests},
                          {"bank_conflicts", w->bank_conflicts},
                          {"steps", w->steps},
                          {"divergent_steps", w->divergent_steps},
                          {"barriers", w->barriers}};
    }
    kernels.push_back(std::move(entry));
  }
  const Json json = {{"device", "model:" + e.card.key},
                     {"name", e.card.name},
                     {"sources", e.card.sources},
                     {"predicted", true},
                     {"variant", e.variant},
                     {"solver", e.solver},
                     {"solved", e.solved},
                     {"kernels_s", e.kernels_s},
                     {"kernels", kernels}};
  return json_text(json, 2);
}

} // namespace weft
