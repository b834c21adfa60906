// What is said of each kernel, in words that need no knowledge of kernels, and all as JSON.
#include <algorithm>
#include <fmt/format.h>

#include "base/json_text.h"
#include "output/kernel_rows.h"
#include "run/explain/explain.h"

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
    return "collecting values that lie scattered";
  case CostTerm::scatter:
    return "adding to places that lie scattered";
  case CostTerm::arithmetic:
    return "arithmetic";
  case CostTerm::latency:
    return "starting the kernel and waiting for its end";
  }
  return {};
}

std::string work_text(const ExplainedKernel &kernel) {
  const KernelRecord &r = kernel.record;
  if (r.cells)
    return fmt::format("{} cells; {:.4g} bytes and {:.4g} operations a cell", *r.cells,
                       *r.bytes / static_cast<double>(*r.cells),
                       *r.flops / static_cast<double>(*r.cells));
  return fmt::format("{:.4g} MB, {:.4g} million operations", 1e-6 * *r.bytes, 1e-6 * *r.flops);
}

// Our counts beside the equations of the paper, a line each.
std::string paper_text(const ExplainedKernel &kernel) {
  const PaperSizes &sizes = *kernel.paper;
  const PaperCost cost = paper_cost(sizes);
  const KernelRecord &r = kernel.record;
  const double cells = static_cast<double>(*r.cells), batch = sizes.batch_cells();
  std::string text = fmt::format(
      "  {:<34}{:>12}{:>12}  Knepley, Rupp, Terrel: N_b {}, N_q {}, N_comp {}, N_bl {}; "
      "N_bs {}, N_bc {}, N_t {}\n",
      "of a cell", "our count", "the paper's", sizes.basis, sizes.points, sizes.components,
      sizes.blocks, sizes.block_cells(), sizes.batch_cells(), sizes.threads());
  const auto line = [&](const char *what, const std::string &own, double paper,
                        const char *equation) {
    text += fmt::format("    {:<32}{:>12}{:>12.4g}  {}\n", what, own, paper, equation);
  };
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  line("operations", number(*r.flops / cells), cost.flops / batch, "equation (7) over N_bc");
  line("bytes of memory", number(*r.bytes / cells), cost.bytes / batch, "equation (6) over N_bc");
  line("operations a byte", number(*r.flops / *r.bytes), cost.balance,
       sizes.is_of_equation_9() ? "equations (8) and (9)" : "equation (8)");
  line("bytes of local memory", "", cost.shared_bytes_a_cell, "equation (4), as (3) over N_bc");
  line("  at most", "", cost.shared_bytes_bound, "equation (4), the bound");
  line("  at most, without values and f0", "", cost.shared_bytes_without_f0, "equation (5)");
  line("bytes of local memory, of a batch", "", cost.shared_bytes, "equation (3)");
  const double own_s = std::max(*r.bytes / *r.stream_gbps, *r.flops / *r.peak_gflops) * 1e-9;
  line("least time of all, ms", number(1e3 * own_s), 1e3 * paper_least_s(kernel),
       "from (6) and (7) at the machine's bandwidth and multiply-add rate");
  return text;
}

// "from memory", "from caches", "40% from memory"
std::string source_text(double from_memory) {
  const double percent = 100 * from_memory;
  return percent > 95  ? "from memory"
         : percent < 5 ? "from caches"
                       : fmt::format("{:.0f}% of it from memory, the rest from caches", percent);
}

std::string kernel_text(const ExplainedKernel &kernel) {
  const KernelRecord &r = kernel.record;
  std::string text = fmt::format("{} ({})\n", r.kernel,
                                 kernel.stage.empty() ? std::string("solve") : kernel.stage);
  text += fmt::format("  {} launches, {} in all; of one: {}{}\n", std::lround(kernel.launches),
                      time_text(kernel.total_s), work_text(kernel),
                      r.variant.empty() ? "" : "; " + r.strategy + ", " + r.variant);
  text += fmt::format("  takes {}, predicted {} ({:+.0f}%){}\n", time_text(*r.seconds),
                      time_text(*r.predicted_s), 100 * (*r.predicted_s / *r.seconds - 1),
                      kernel.counted ? "" : ", by the size of its arrays alone");
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
  const double memory_s = kernel.prediction.of(CostTerm::memory);
  text += fmt::format(
      "  most of it is {}; no kernel could do this work in less than {} ({}), of which this one "
      "reaches {:.0f}%\n",
      in_words(kernel.prediction.bound()), time_text(kernel.least_s),
      memory_s == kernel.least_s ? "its bytes, " + source_text(kernel.from_memory)
                                 : "the cores' arithmetic",
      100 * *r.fraction);
  return kernel.paper ? text + paper_text(kernel) : text;
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

// Keys of figures name the equation they are of.
Json paper_json(const ExplainedKernel &kernel) {
  const PaperSizes &s = *kernel.paper;
  const PaperCost cost = paper_cost(s);
  return {
      {"source", "Knepley, Rupp, Terrel: Finite Element Integration with Quadrature on the GPU"},
      {"d", s.dim},
      {"N_b", s.basis},
      {"N_q", s.points},
      {"N_comp", s.components},
      {"N_bt", s.basis_total()},
      {"N_bl", s.blocks},
      {"N_bs", s.block_cells()},
      {"N_bc", s.batch_cells()},
      {"N_t", s.threads()},
      {"eq3_shared_bytes_of_a_batch", cost.shared_bytes},
      {"eq4_shared_bytes_of_a_cell", cost.shared_bytes_a_cell},
      {"eq4_bound", cost.shared_bytes_bound},
      {"eq5_bound_without_f0", cost.shared_bytes_without_f0},
      {"eq6_bytes_of_a_batch", cost.bytes},
      {"eq7_flops_of_a_batch", cost.flops},
      {"eq8_balance", cost.balance},
      {"eq9_balance", s.is_of_equation_9() ? Json(cost.balance) : Json()},
      {"least_s", paper_least_s(kernel)}};
}

} // namespace

std::string time_text(double seconds) {
  return seconds >= 1      ? fmt::format("{:.3g} s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.3g} ms", 1e3 * seconds)
                           : fmt::format("{:.3g} us", 1e6 * seconds);
}

double paper_least_s(const ExplainedKernel &kernel) {
  const PaperCost cost = paper_cost(*kernel.paper);
  const double batches = static_cast<double>(*kernel.record.cells) / kernel.paper->batch_cells();
  return batches * 1e-9 *
         std::max(cost.bytes / *kernel.record.stream_gbps, cost.flops / *kernel.record.peak_gflops);
}

std::string kernels_text(const Explanation &e) {
  std::string text;
  for (const ExplainedKernel &kernel : e.kernels)
    text += kernel_text(kernel) + "\n";
  return text;
}

std::string ablations_text(const Explanation &e) {
  std::string text;
  for (const AblationResult &ablation : e.ablations)
    text += ablation_text(ablation);
  return text;
}

std::string explanation_json(const Explanation &e) {
  Json json = {{"device", e.device},
               {"variant", e.variant},
               {"variant_from", e.variant_from},
               {"solved", e.solved},
               {"total_s", e.total_s},
               {"unexplained_s", e.unexplained_s()},
               {"watched_solve_s", e.watched_solve_s},
               {"stages", Json::array()},
               {"kernels", Json::array()},
               {"ablations", Json::array()}};
  for (const ExplainedStage &stage : e.stages)
    json["stages"].push_back({{"name", stage.name},
                              {"seconds", stage.seconds},
                              {"own_s", stage.own_s},
                              {"kernels_s", stage.kernels_s},
                              {"predicted_s", stage.predicted_s}});
  for (const ExplainedKernel &kernel : e.kernels) {
    Json row = to_json(kernel.record);
    row["stage"] = kernel.stage;
    row["launches"] = kernel.launches;
    row["total_s"] = kernel.total_s;
    row["counted"] = kernel.counted;
    row["from_memory"] = kernel.from_memory;
    row["least_s"] = kernel.least_s;
    row["bound"] = to_string(kernel.prediction.bound());
    row["terms_s"] = Json::object();
    for (const auto &[term, seconds] : kernel.prediction.terms)
      row["terms_s"][to_string(term)] = seconds;
    row["cost"] = cost_json(kernel.cost);
    row["paper"] = kernel.paper ? paper_json(kernel) : Json();
    json["kernels"].push_back(row);
  }
  if (e.halo)
    json["halo"] = {
        {"ranks", e.halo->ranks},
        {"messages", {{"least", e.halo->messages.least}, {"most", e.halo->messages.most}}},
        {"bytes", {{"least", e.halo->bytes.least}, {"most", e.halo->bytes.most}}},
        {"of", e.halo->what},
        {"whole_s", e.halo->whole_s},
        {"kernels_s", e.halo->kernels_s},
        {"exchange_s", e.halo->exchange_s},
        {"hidden", e.halo->hidden()}};
  for (const AblationResult &a : e.ablations)
    json["ablations"].push_back({{"term", to_string(a.ablation)},
                                 {"seconds", a.seconds},
                                 {"change_s", a.change_s},
                                 {"predicted_s", a.predicted_s},
                                 {"predicted_change_s", a.predicted_change_s}});
  return json_text(json, 2);
}

} // namespace weft
