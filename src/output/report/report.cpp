#include "output/report/report.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "base/embedded.h"
#include "base/json_text.h"
#include "base/markup.h"
#include "base/system/atomic_file.h"
#include "output/picture/png.h"
#include "output/picture/still.h"
#include "output/plot/plot.h"
#include "output/report/html.h"
#include "output/report/page_template.h"
#include "output/report/picture_json.h"
#include "output/report/results_file.h"
#include "output/report/section_tables.h"
#include "output/report/sections.h"

namespace weft {

namespace {

constexpr int still_width = 760, still_height = 480;

std::string time_name(const ResultsFile &results) {
  const std::string parameter = results.text("time/parameter");
  return parameter.empty() ? "time" : parameter;
}

// What of the fields is drawn, and what is left out.
std::string drawn_text(const Picture &picture, const std::string &time_name) {
  const std::size_t triangles = picture.sheets.front().triangles.size();
  std::string text = fmt::format(
      "{} triangles of the {} of {} cells; values are rounded to 1/65534 of their range.",
      grouped_count(static_cast<double>(triangles)), picture.dim == 3 ? "surface" : "mesh",
      grouped_count(static_cast<double>(picture.num_cells)));
  if (picture.thinned)
    text += " Points that lie close together are drawn as one, so that the page stays small.";
  if (picture.times.size() < picture.num_times)
    text += fmt::format(" Of {} outputs over {}, {} evenly spread ones are on the page.",
                        picture.num_times, time_name, picture.times.size());
  return text;
}

std::string caption(const Picture &picture, const Still &still, const std::string &time_name) {
  const PictureField &field = picture.fields.front();
  std::string text = fmt::format("{}{}, from {:.5g} (dark) to {:.5g} (light)",
                                 field.components > 1 ? "The magnitude of " : "", field.name,
                                 still.range.least, still.range.most);
  if (picture.num_times > 1)
    text += fmt::format(", at {} = {:.5g}", time_name, picture.times.back());
  return text;
}

std::string picture_html(const Picture &picture, const std::string &time_name) {
  const Still still = draw_still(picture, 0, still_width, still_height);
  return filled_template(
      "picture.html",
      {{"still",
        "data:image/png;base64," + base64(png_of(still_width, still_height, still.pixels))},
       {"width", std::to_string(still_width)},
       {"height", std::to_string(still_height)},
       {"caption", markup_text(caption(picture, still, time_name))},
       {"hint", picture.dim == 3 ? "Drag to turn, with Shift or the right button to move, wheel to "
                                   "zoom; a double click shows the whole."
                                 : "Drag to move, wheel to zoom; a double click shows the whole."},
       {"drawn", markup_text(drawn_text(picture, time_name))}});
}

// Nothing where a run has left no fields.
std::optional<Picture> picture_of(const std::string &folder, const PictureOptions &options) {
  if (!std::filesystem::exists(folder + "/fields.pvd"))
    return {};
  Picture picture = read_picture(folder, options);
  const bool empty = picture.fields.empty() || picture.sheets.front().triangles.empty();
  return empty ? std::nullopt : std::optional(std::move(picture));
}

} // namespace

std::string report_page(const std::string &folder, const PictureOptions &options) {
  const ResultsFile results(folder);
  const std::optional<Picture> picture = picture_of(folder, options);
  const std::string name = time_name(results), title = results.text("title");
  std::string sections =
      picture ? picture_html(*picture, name)
              : html_section("picture", "Fields", html_paragraph("The run left no fields."));
  sections += html_section("values", "Values", values_html(results) + tables_html(folder));
  sections += html_section("solver", "Solver", solver_html(results));
  sections +=
      html_section("time", "Where the time went", timings_html(results) + kernels_html(results));
  sections += html_section("case", "Case", case_text_html(results));
  sections += html_section("machine", "Machine and versions", machine_html(results));
  std::string script = "\"use strict\";\n";
  for (const char *part : {"data.js", "view.js", "page.js"})
    script += embedded_text(std::string("src/output/report/") + part) + "\n";
  return filled_template(
      "page.html",
      {{"title", markup_text(title.empty() ? "A run of Weft" : title)},
       {"style", embedded_text("src/output/report/page.css") + svg_plot_style()},
       {"head", head_html(results)},
       {"sections", sections},
       {"picture", picture ? json_in_script(json_text(picture_json(*picture, name))) : "null"},
       {"script", script}});
}

void write_report(const std::string &folder, const std::string &file,
                  const PictureOptions &options) {
  write_text_file(file, report_page(folder, options));
}

} // namespace weft
