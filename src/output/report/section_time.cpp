// Where the time of a run went, and how its kernels stand beside what the machine can do.

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/markup.h"
#include "output/report/html.h"
#include "output/report/sections.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

struct Stage {
  std::string name;
  double seconds = 0;
  bool inner = false; // part of the one above it
};

// What the keys of `timings` mean on the page, in the order of a run; `inner` are parts of `solve`.
struct StageWords {
  const char *key;
  const char *words;
  bool inner;
};
constexpr StageWords known_stages[] = {
    {"case_s", "reading the case", false},
    {"mesh_gmsh_s", "meshing by Gmsh", false},
    {"mesh_read_s", "reading the mesh", false},
    {"mesh_refine_s", "refining the mesh", false},
    {"mesh_topology_s", "topology of the mesh", false},
    {"mesh_blocks_s", "ordering cells in blocks", false},
    {"device_s", "waiting for the device", false},
    {"space_s", "numbering unknowns", false},
    {"variants_s", "choosing kernels", false},
    {"operator_s", "making the operator", false},
    {"first_residual_s", "the first residual", false},
    {"solve_s", "solving", false},
    {"assembly_s", "residuals and matrices", true},
    {"preconditioner_s", "setting up the preconditioner", true},
    {"output_s", "writing results", false},
};
// Moments, not lengths of time; and the whole.
constexpr const char *no_stages[] = {"total_s", "first_kernel_s"};

// Those that took time, with what is left of the whole.
std::vector<Stage> stages_of(const Json &timings, double total) {
  std::vector<Stage> stages;
  double rest = total;
  const auto add = [&](const std::string &words, const std::optional<double> &seconds, bool inner) {
    if (!seconds || *seconds <= 0)
      return;
    stages.push_back({words, *seconds, inner});
    rest -= inner ? 0 : *seconds;
  };
  for (const StageWords &stage : known_stages)
    add(stage.words, number_of(timings, stage.key), stage.inner);
  for (const auto &[key, value] : timings.items()) {
    const bool known =
        std::any_of(std::begin(known_stages), std::end(known_stages),
                    [&, &name = key](const StageWords &s) { return name == s.key; }) ||
        std::find(std::begin(no_stages), std::end(no_stages), key) != std::end(no_stages);
    if (!known)
      add(key, number_of(timings, key), false);
  }
  if (rest > 0)
    stages.push_back({"everything else", rest, false});
  return stages;
}

double percent(double part, double whole) {
  return whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0;
}

HtmlCell rate_cell(const std::optional<double> &rate, const std::optional<double> &limit,
                   const char *unit) {
  if (!rate)
    return {"", true};
  return {limit ? fmt::format("{:.3g} of {:.3g} {}", *rate, *limit, unit)
                : fmt::format("{:.3g} {}", *rate, unit),
          true};
}

// A bar on the ground of the limit.
HtmlCell limit_cell(const std::optional<double> &fraction) {
  if (!fraction)
    return {"", false};
  return {fmt::format("<span class=\"limit\"><span class=\"bar\" "
                      "style=\"width:{:.1f}%\"></span></span>{:.0f} %",
                      percent(*fraction, 1), 100 * *fraction),
          false};
}

} // namespace

std::string timings_html(const ResultsFile &results) {
  const Json &timings = results.value("timings");
  const auto total = results.number("timings/total_s");
  if (!timings.is_object() || !total || *total <= 0)
    return {};
  std::string html = "<table class=\"bars\">\n";
  for (const Stage &stage : stages_of(timings, *total))
    html += fmt::format("<tr{}><td class=\"name\">{}</td><td class=\"number\">{}</td>"
                        "<td class=\"number\">{:.1f} %</td><td class=\"share\"><span class=\"bar\" "
                        "style=\"width:{:.2f}%\"></span></td></tr>\n",
                        stage.inner ? " class=\"inner\"" : "", markup_text(stage.name),
                        seconds_text(stage.seconds), 100 * stage.seconds / *total,
                        percent(stage.seconds, *total));
  html += "</table>\n";
  std::string text = fmt::format("{} in all.", seconds_text(*total));
  if (const auto first = results.number("timings/first_kernel_s"))
    text += fmt::format(" The first kernel had run after {}.", seconds_text(*first));
  return html + html_paragraph(text, "note");
}

std::string kernels_html(const ResultsFile &results) {
  const Json &kernels = results.value("kernels");
  if (!kernels.is_array())
    return {};
  std::vector<std::vector<HtmlCell>> rows;
  bool in_cache = false, measured = false;
  for (const Json &kernel : kernels) {
    const auto seconds = number_of(kernel, "seconds");
    in_cache = in_cache || is_true(kernel, "in_cache");
    measured = measured || number_of(kernel, "fraction");
    rows.push_back(
        {text_cell(text_of(kernel, "kernel")),
         {seconds ? seconds_text(*seconds) : "", true},
         rate_cell(number_of(kernel, "gbps"), number_of(kernel, "stream_gbps"), "GB/s"),
         rate_cell(number_of(kernel, "gflops"), number_of(kernel, "peak_gflops"), "GFlop/s"),
         limit_cell(number_of(kernel, "fraction")),
         text_cell(text_of(kernel, "disturbance"))});
  }
  if (rows.empty())
    return {};
  std::string html =
      "<h3>Kernels beside the machine's limits</h3>\n" +
      html_table({"kernel", "once", "memory", "arithmetic", "of the limit", ""}, rows);
  std::string text = "Times are medians of applications after the solve; bytes and operations are "
                     "counted.";
  text += measured ? " The limit is what this machine was measured to do."
                   : " The machine was not measured (weft devices --measure), so that no limit is "
                     "known.";
  if (in_cache)
    text += " What fits into the last cache may pass the bandwidth of memory.";
  html += html_paragraph(text, "note");
  return html;
}

} // namespace weft
