// An explanation in words that need no knowledge of kernels, and as JSON.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/explain.h"
#include "output/kernel_rows.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

std::string in_words(CostTerm term) {
  switch (term) {
  case CostTerm::memory:
    return "moving data between memory and the cores";
  case CostTerm::staging:
    return "copying nodal values into the fast memory near a core";
  case CostTerm::gather:
    return "collecting the values of each cell's nodes, which lie scattered";
  case CostTerm::scatter:
    return "adding each cell's results to its nodes, which lie scattered";
  case CostTerm::arithmetic:
    return "arithmetic";
  case CostTerm::latency:
    return "starting the kernel and waiting for its end";
  }
  return {};
}

// "12.3 ms", "45 us"
std::string time_text(double seconds) {
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", 1e3 * seconds)
                         : fmt::format("{:.3g} us", 1e6 * seconds);
}

std::string work_text(const ExplainedKernel &kernel) {
  const KernelRecord &r = kernel.record;
  if (r.cells)
    return fmt::format("{} cells; {:.4g} bytes and {:.4g} operations a cell", *r.cells,
                       *r.bytes / static_cast<double>(*r.cells),
                       *r.flops / static_cast<double>(*r.cells));
  return fmt::format("{:.4g} MB, {:.4g} million operations", 1e-6 * *r.bytes, 1e-6 * *r.flops);
}

std::string kernel_text(const ExplainedKernel &kernel) {
  const KernelRecord &r = kernel.record;
  std::string text = fmt::format("{} ({})\n", r.kernel, kernel.use);
  if (!kernel.cost)
    return text + fmt::format("  takes {}; what it does differs from launch to launch\n",
                              time_text(*r.seconds));
  text += fmt::format("  {}{}\n", work_text(kernel),
                      r.variant.empty() ? "" : "; " + r.strategy + ", " + r.variant);
  text += fmt::format("  takes {}, predicted {} ({:+.0f}%)\n", time_text(*r.seconds),
                      time_text(*r.predicted_s), 100 * (*r.predicted_s / *r.seconds - 1));
  std::string parts;
  const double sum = kernel.prediction.sum_of_terms();
  for (const auto &[term, seconds] : kernel.prediction.terms)
    if (seconds > 0.005 * sum)
      parts +=
          fmt::format("{}{} {}", parts.empty() ? "" : ", ", to_string(term), time_text(seconds));
  const double waiting = kernel.prediction.seconds - sum;
  if (std::abs(waiting) > 0.005 * sum)
    parts += fmt::format("; {} {}", time_text(std::abs(waiting)),
                         waiting > 0 ? "of waiting between them" : "of these beside one another");
  text += fmt::format("  by the model: {}\n", parts);
  const double memory_s = *r.bytes / *r.stream_gbps * 1e-9;
  const double arithmetic_s = *r.flops / *r.peak_gflops * 1e-9;
  text += fmt::format(
      "  most of it is {}; no kernel could do this work in less than {} ({}), of which this one "
      "reaches {:.0f}%\n",
      in_words(kernel.prediction.bound()), time_text(std::max(memory_s, arithmetic_s)),
      memory_s > arithmetic_s ? "the memory's bandwidth" : "the cores' arithmetic",
      100 * *r.fraction);
  return text;
}

std::string ablation_text(const AblationResult &a) {
  const std::string term = to_string(a.ablation);
  if (a.predicted_change_s == 0)
    return fmt::format("{}: the kernels over cells have none of it\n", term);
  const auto change = [](double seconds) {
    return fmt::format("{} {}", time_text(std::abs(seconds)), seconds < 0 ? "less" : "more");
  };
  return fmt::format("{} {}: the kernels over cells take {} in place of {}, {}; by the model {}\n",
                     term, a.ablation == Ablation::memory ? "left out" : "done twice",
                     time_text(a.seconds + a.change_s), time_text(a.seconds), change(a.change_s),
                     change(a.predicted_change_s));
}

Json cost_json(const KernelCost &c) {
  return {{"bytes_read", c.bytes_read},         {"bytes_written", c.bytes_written},
          {"bytes_streamed", c.bytes_streamed}, {"local_bytes", c.local_bytes},
          {"stage_reads4", c.stage_reads4},     {"stage_reads1", c.stage_reads1},
          {"stage_adds4", c.stage_adds4},       {"stage_adds2", c.stage_adds2},
          {"stage_adds1", c.stage_adds1},       {"memory_reads1", c.memory_reads1},
          {"stage_bytes", c.stage_bytes},       {"work_groups", c.work_groups},
          {"flops", c.operations.flops()},      {"divisions", c.operations.divisions}};
}

} // namespace

std::string explanation_text(const Explanation &e) {
  std::string text = fmt::format("{}\n{} ({})\n\n", e.device, e.variant, e.variant_from);
  for (const ExplainedKernel &kernel : e.kernels)
    text += kernel_text(kernel) + "\n";
  for (const AblationResult &ablation : e.ablations)
    text += ablation_text(ablation);
  return text;
}

std::string explanation_json(const Explanation &e) {
  Json json = {{"device", e.device},
               {"variant", e.variant},
               {"variant_from", e.variant_from},
               {"kernels", Json::array()},
               {"ablations", Json::array()}};
  for (const ExplainedKernel &kernel : e.kernels) {
    Json row = to_json(kernel.record);
    row["use"] = kernel.use;
    row["bound"] = nullptr;
    row["terms_s"] = Json::object();
    row["cost"] = nullptr;
    if (kernel.cost) {
      row["bound"] = to_string(kernel.prediction.bound());
      for (const auto &[term, seconds] : kernel.prediction.terms)
        row["terms_s"][to_string(term)] = seconds;
      row["cost"] = cost_json(*kernel.cost);
    }
    json["kernels"].push_back(row);
  }
  for (const AblationResult &a : e.ablations)
    json["ablations"].push_back({{"term", to_string(a.ablation)},
                                 {"seconds", a.seconds},
                                 {"change_s", a.change_s},
                                 {"predicted_s", a.predicted_s},
                                 {"predicted_change_s", a.predicted_change_s}});
  return json.dump(2);
}

} // namespace weft
