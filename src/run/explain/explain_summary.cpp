// The first screen of an explanation: where the time went, and what to do about it.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "output/summary.h"
#include "run/explain/explain.h"
#include "run/explain/explain_halo.h"

namespace weft {

namespace {

constexpr std::size_t num_largest = 3;
// Of the time of the run, what is too little to be listed or worth a word.
constexpr double little = 0.01;
// Of the limit, what a kernel reaches that leaves little to be gained.
constexpr double near_limit = 0.6;

struct StageWords {
  const char *name, *words;
  const char *remedy; // what would help where nothing is known of kernels
};
constexpr StageWords stage_words[] = {
    {"start", "start of the program", "it is the same for all cases"},
    {"case", "case file", ""},
    {"mesh_gmsh", "mesh: Gmsh", "the mesh is kept, so that the next run reads it"},
    {"mesh_read", "mesh: reading", "a binary file (Gmsh's -bin) is read fastest"},
    {"mesh_refine", "mesh: refinement", "a file of the fine mesh needs none"},
    {"mesh_blocks", "mesh: order of cells", "[mesh] order = \"given\" leaves cells as they are"},
    {"mesh_topology", "mesh: cells, facets, neighbours", "it goes with the number of cells"},
    {"device", "start of the device", "it is the driver's; small meshes have to wait for it"},
    {"space", "dofs, conditions", "it goes with the number of cells"},
    {"variants", "choice of kernels", "weft tune keeps the choice for the next runs"},
    {"operator", "operator: plan and kernels",
     "kernels are compiled once and kept; planning goes with the number of cells"},
    {"first_residual", "first residual", "it loads the kernels, or compiles them once"},
    {"solve", "solve",
     "what is no part of the lines below it is the first use of kernels and memory"},
    {"linearisation", "linearisation", ""},
    {"matrix", "matrix", ""},
    {"residual", "residual", ""},
    {"set-up of the preconditioner", "set-up of the preconditioner",
     "it is done on the host; over steps and Newton's method it is kept as long as it serves"},
    {"iterations", "iterations", "the solution with factors or hypre is done on the host"},
    {"output", "output", "[output] fields writes fewer of them"},
};

const StageWords *words_of(const std::string &last) {
  const auto *found = std::find_if(std::begin(stage_words), std::end(stage_words),
                                   [&](const StageWords &words) { return last == words.name; });
  return found == std::end(stage_words) ? nullptr : found;
}

std::string last_of(const std::string &name) {
  return name.substr(name.rfind('/') + 1);
}

std::string title_of(const std::string &name) {
  const StageWords *words = words_of(last_of(name));
  return words == nullptr ? last_of(name) : words->words;
}

bool is_of(const ExplainedKernel &kernel, const ExplainedStage &stage) {
  return stage.name == (kernel.stage.empty() ? "solve" : "solve/" + kernel.stage);
}

// What most of a kernel's time is, as a limit, and what would help.
std::string limit_of(const ExplainedKernel &kernel, const Explanation &e) {
  const Prediction &p = kernel.prediction;
  const CostTerm bound = p.bound();
  const double reached = kernel.record.fraction.value_or(0);
  const std::string percent = fmt::format("{:.0f}%", 100 * reached);
  const bool searched = e.variant_from == "tuned" || e.variant_from == "kept";
  const std::string search =
      kernel.record.cells && !searched ? "weft tune looks for faster kernels" : "";
  if (bound == CostTerm::latency)
    return "starting launches and waiting for them; a larger problem would use the machine better";
  if (bound == CostTerm::memory && reached >= near_limit)
    return fmt::format(
        "the bandwidth of {}, of which it reaches {}; fewer bytes would help: [device] precision "
        "= \"f32\", or a lower one of the preconditioner",
        kernel.from_memory >= 0.5 ? "memory" : "the caches", percent);
  if (bound == CostTerm::arithmetic && reached >= near_limit)
    return fmt::format("the cores' arithmetic, of which it reaches {}; [device] precision = "
                       "\"f32\" does twice as many operations at once",
                       percent);
  const std::map<CostTerm, std::string> words = {
      {CostTerm::memory, kernel.from_memory >= 0.5 ? "memory" : "the caches"},
      {CostTerm::staging, "copies into fast memory"},
      {CostTerm::gather, "values that lie scattered"},
      {CostTerm::scatter, "additions to places that lie scattered"},
      {CostTerm::arithmetic, "arithmetic"}};
  return fmt::format("{}; it reaches {} of what the machine allows{}{}", words.at(bound), percent,
                     search.empty() ? "" : "; ", search);
}

// "iterations, level 0: 0.12 s (31%), of which level_product 0.10: ..."
std::string part_text(const Explanation &e, const ExplainedStage &stage) {
  std::string title = title_of(stage.name);
  if (const std::size_t slash = stage.name.rfind('/'); slash != std::string::npos)
    if (const std::string above = stage.name.substr(0, slash); above != "solve")
      title = title_of(above) + ", " + title;
  std::string text =
      fmt::format("{}, {:.2f} s ({:.0f}%)", title, stage.own_s, 100 * stage.own_s / e.total_s);
  const double host_s = stage.own_s - stage.kernels_s;
  if (host_s > 0.5 * stage.own_s) {
    const StageWords *words = words_of(last_of(stage.name));
    const std::string remedy = words == nullptr ? "" : words->remedy;
    const bool watched = stage.name.starts_with("solve");
    return text + (watched ? fmt::format(", of which {:.2f} on the host", host_s) : "") +
           (remedy.empty() ? "" : ": " + remedy);
  }
  const auto kernel = std::find_if(e.kernels.begin(), e.kernels.end(),
                                   [&](const ExplainedKernel &k) { return is_of(k, stage); });
  return text + fmt::format(", of which {} {:.2f}: {}", kernel->record.kernel, kernel->total_s,
                            limit_of(*kernel, e));
}

std::string row(const std::string &name, double seconds, double total,
                const std::string &others = {}) {
  return fmt::format("  {:<38}{:>9.3f}{:>7.0f}%{}\n", name, seconds, 100 * seconds / total, others);
}

} // namespace

std::string explanation_text(const Explanation &e) {
  std::string text = fmt::format("{}\n", e.device);
  if (!e.variant.empty())
    text += fmt::format("kernels: {} ({})\n", e.variant, e.variant_from);
  if (const std::string solver = solver_in_words(e.solver); !solver.empty())
    text += "solver: " + solver + "; ";
  text += fmt::format("{}\n\n  {:<38}{:>9}{:>8}{:>11}{:>11}\n", e.solved, "", "seconds", "share",
                      "kernels", "predicted");
  for (const ExplainedStage &stage : e.stages) {
    if (stage.seconds < little * e.total_s && stage.name.find('/') != std::string::npos)
      continue;
    const auto depth = std::count(stage.name.begin(), stage.name.end(), '/');
    const std::string kernels =
        stage.kernels_s > 0 ? fmt::format("{:>10.3f}{:>11.3f}", stage.kernels_s, stage.predicted_s)
                            : "";
    text +=
        row(std::string(2 * depth, ' ') + title_of(stage.name), stage.seconds, e.total_s, kernels);
  }
  text += row("not explained", e.unexplained_s(), e.total_s);
  text += row("from start to end", e.total_s, e.total_s);
  std::vector<const ExplainedStage *> largest;
  for (const ExplainedStage &stage : e.stages)
    if (stage.own_s >= little * e.total_s)
      largest.push_back(&stage);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto *a, const auto *b) { return a->own_s > b->own_s; });
  if (largest.size() > num_largest)
    largest.resize(num_largest);
  text += "\nThe largest parts, what limits them, and what would help:\n";
  for (std::size_t i = 0; i < largest.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, part_text(e, *largest[i]));
  if (e.halo)
    text += "\n" + halo_text(*e.halo);
  if (e.watched_solve_s > e.solve_s())
    text +=
        fmt::format("\nWatched launch by launch the solve took {:.3f} s in place of {:.3f}; its "
                    "parts are scaled to that.\n",
                    e.watched_solve_s, e.solve_s());
  return text + "\nweft explain CASE --kernels shows each kernel.\n";
}

} // namespace weft
