#include <cmath>
#include <fmt/format.h>

#include "base/json_text.h"
#include "output/summary.h"
#include "run/explain/explain_card.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// Percent, or "-" where a count is not there.
std::string percent(std::optional<double> part) {
  return part ? fmt::format("{:.0f}%", 100 * *part) : "-";
}

// Of all that a launch does.
struct Shares {
  std::optional<double> sectors, divergent, conflicts, barriers;
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
  const double warps_of_group = std::ceil(kernel.use->group_size / 32.0);
  shares.barriers = w.barriers / (warps_of_group * static_cast<double>(kernel.use->groups));
  return shares;
}

std::string warp_heads() {
  return fmt::format(" {:>7} {:>8} {:>8} {:>8} {:>9} {:>9}", "sectors", "diverge", "conflict",
                     "barriers", "registers", "occupancy");
}
std::string warp_columns(const CardKernel &kernel) {
  const Shares shares = shares_of(kernel);
  const auto number = [](std::optional<double> value, int decimals) {
    return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
  };
  const bool assembled = kernel.use && kernel.use->registers;
  return fmt::format(" {:>7} {:>8} {:>8} {:>8} {:>9} {:>9}", number(shares.sectors, 2),
                     percent(shares.divergent), percent(shares.conflicts),
                     number(shares.barriers, 0),
                     assembled ? fmt::format("{}", *kernel.use->registers) : "-",
                     assembled ? percent(kernel.use->occupancy) : "-");
}
constexpr const char *of_warp_columns =
    "sectors: bytes of the 32-byte sectors that warps ask for, over the bytes that the launch "
    "needs.\ndiverge: steps in which threads of a warp wait. conflict: passes through local memory "
    "beyond\nthose that there have to be. barriers: of a group. -: not known here.\n";

} // namespace

std::string card_explanation_text(const CardExplanation &e) {
  std::string text = fmt::format(
      "{}: predicted from published figures, nothing ran on such a card\n", e.card.name);
  if (!e.variant.empty())
    text += fmt::format("kernels: {}\n", e.variant);
  if (!e.solver.empty())
    text += "solver: " + e.solver + "; ";
  text += fmt::format("{}\n\nkernels of the solve: {}; the host's part is not predicted\n\n",
                      e.solved, time_text(e.kernels_s));
  text += fmt::format("  {:<26} {:<24} {:>8} {:>9} {:>6} {:<10}{}\n", "kernel", "stage", "launches",
                      "one", "share", "limit", warp_heads());
  for (const CardKernel &kernel : e.kernels)
    text += fmt::format("  {:<26} {:<24} {:>8.0f} {:>9} {:>5.1f}% {:<10}{}\n", kernel.kernel,
                        kernel.stage.empty() ? "solve" : kernel.stage, kernel.launches,
                        time_text(kernel.prediction.seconds), 100 * kernel.total_s() / e.kernels_s,
                        to_string(kernel.prediction.bound()), warp_columns(kernel));
  return text +
         "\nlimit: what takes longest by itself: bytes of memory, sectors of the cache, local "
         "memory, arithmetic,\nthreads that wait for memory, or the launch.\n" +
         of_warp_columns;
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

std::string warp_counts_text(const Card &card, const std::vector<CardKernel> &kernels) {
  std::string text =
      fmt::format("Of a launch, for each kernel on {}, counted group by group:\n", card.name);
  text += fmt::format("{:<60} {:>10} {:>10} {:>10} {:>10}{}\n", "kernel", "B read", "by sectors",
                      "B written", "by sectors", warp_heads());
  for (const CardKernel &kernel : kernels) {
    const WarpCounts *warps = kernel.use && kernel.use->warps ? &*kernel.use->warps : nullptr;
    const auto sectors = [&](double WarpCounts::*count) {
      return warps != nullptr ? fmt::format("{:.4g}", 32 * warps->*count) : "-";
    };
    text += fmt::format("{:<60} {:>10.4g} {:>10} {:>10.4g} {:>10}{}\n", kernel.kernel,
                        kernel.cost.bytes_read, sectors(&WarpCounts::sectors_read),
                        kernel.cost.bytes_written + kernel.cost.bytes_streamed,
                        sectors(&WarpCounts::sectors_written), warp_columns(kernel));
  }
  return text + of_warp_columns;
}

} // namespace weft
