#include "run/sweep/sweep_file.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/number.h"
#include "base/system/atomic_file.h"
#include "output/csv.h"
#include "output/csv_rows.h"
#include "output/plot/plot.h"

namespace weft {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_series = 12; // of a plot whose lines can be told apart

// "b[0]" as the name of a file.
std::string file_name(std::string name) {
  for (char &c : name)
    if (c == '[' || c == ']' || c == '/' || c == '.')
      c = '_';
  return name;
}

std::string text_of_file(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool is_of_sweeps(const fs::path &file) {
  return file.filename() == "sweep.csv" || file.filename() == "sweep.json" ||
         (file.extension() == ".svg" && file.filename().string().starts_with("sweep_"));
}

// What another sweep left.
void set_aside(const std::string &folder) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_of_sweeps(entry.path()))
      files.push_back(entry.path());
  if (files.empty())
    return;
  fs::create_directories(fs::path(folder) / "previous");
  for (const fs::path &file : files)
    fs::rename(file, fs::path(folder) / "previous" / file.filename());
  log::info("{} of another sweep moved to {}/previous", files.size() == 1 ? "a file" : "files",
            folder);
}

std::string number(double value) {
  return std::isfinite(value) ? format_real(value) : "";
}

double number_of(const nlohmann::ordered_json &value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

} // namespace

std::string SweepFile::header() const {
  std::string text = "sample";
  for (const SweptParameter &parameter : plan_.parameters)
    text += "," + csv_field(parameter.name);
  for (const std::string &name : plan_.functionals)
    text += "," + csv_field(name);
  return text + ",iterations,newton_steps,seconds,converged\n";
}

SweepFile::SweepFile(std::string folder, const SweepPlan &plan, const std::string &identity)
    : folder_(std::move(folder)), plan_(plan) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw Error(ErrorKind::system, {.what = "the folder for results can't be made",
                                    .where = folder_,
                                    .found = error.message(),
                                    .remedy = "give another with --out"});
  const std::string place = folder_ + "/sweep.json";
  const auto known = nlohmann::ordered_json::parse(text_of_file(place), nullptr, false);
  if (known.is_object() && known.value("identity", "") == identity && fs::exists(path())) {
    take_over();
    return;
  }
  set_aside(folder_);
  nlohmann::ordered_json json = {{"identity", identity}, {"samples", plan_.points.size()}};
  for (const SweptParameter &parameter : plan_.parameters)
    json["parameters"].push_back(parameter.name);
  json["functionals"] = plan_.functionals;
  write_text_file(path(), header());
  write_text_file(place, json_text(json, 2) + "\n");
}

// Whole lines: the last one of a process that was killed may be a part of one.
void SweepFile::take_over() {
  std::string text = text_of_file(path());
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  if (!text.starts_with(header()))
    text = header();
  write_text_file(path(), text);
  for (const nlohmann::ordered_json &line : read_rows_csv(path())) {
    SweepRow row;
    row.sample = line.value("sample", 0);
    if (row.sample < 1 || row.sample > static_cast<int>(plan_.points.size()))
      continue;
    row.point = plan_.points[row.sample - 1];
    for (const std::string &name : plan_.functionals)
      row.functionals.push_back(number_of(line.value(name, nlohmann::ordered_json())));
    row.iterations = line.value("iterations", 0);
    row.newton_steps = line.value("newton_steps", 0);
    row.seconds = number_of(line.value("seconds", nlohmann::ordered_json()));
    row.converged = line.value("converged", false);
    rows_[row.sample] = row;
  }
}

void SweepFile::add(const SweepRow &row) {
  std::vector<std::string> fields = {fmt::format("{}", row.sample)};
  for (const double value : row.point)
    fields.push_back(format_real(value));
  for (const double value : row.functionals)
    fields.push_back(number(value));
  fields.insert(fields.end(),
                {fmt::format("{}", row.iterations), fmt::format("{}", row.newton_steps),
                 fmt::format("{:.4g}", row.seconds), row.converged ? "true" : "false"});
  std::ofstream stream(path(), std::ios::app);
  stream << fmt::format("{}\n", fmt::join(fields, ",")) << std::flush;
  if (!stream)
    throw Error(ErrorKind::system, {.what = "a row of the sweep can't be written",
                                    .where = path(),
                                    .remedy = "make room, and run the same command: it goes on"});
  rows_[row.sample] = row;
}

std::vector<std::string> SweepFile::plot() const {
  std::vector<std::string> files;
  const SweptParameter &along = plan_.parameters.front();
  for (std::size_t f = 0; f < plan_.functionals.size(); ++f) {
    std::map<std::string, PlotSeries> series; // by the other parameters
    for (const auto &[sample, row] : rows_) {
      if (!row.converged || !std::isfinite(row.functionals[f]))
        continue;
      std::string name;
      for (std::size_t p = 1; p < row.point.size(); ++p)
        name += fmt::format("{}{} = {:.4g}", p == 1 ? "" : ", ", plan_.parameters[p].name,
                            row.point[p]);
      series[name].points.emplace_back(row.point.front(), row.functionals[f]);
    }
    const bool lines = series.size() <= most_series;
    Plot plot{.title = plan_.functionals[f],
              .x_label = along.name,
              .y_label = plan_.functionals[f],
              .log_x = along.logarithmic};
    if (!lines) // samples: one cloud
      plot.series.emplace_back();
    for (auto &[name, of_name] : series) {
      if (!lines) {
        auto &all = plot.series.front().points;
        all.insert(all.end(), of_name.points.begin(), of_name.points.end());
        continue;
      }
      of_name.name = name.empty() ? plan_.functionals[f] : name;
      of_name.style = PlotStyle::lines_points;
      std::sort(of_name.points.begin(), of_name.points.end());
      plot.series.push_back(std::move(of_name));
    }
    if (!lines)
      plot.series.front().name = plan_.functionals[f];
    const std::string file = folder_ + "/sweep_" + file_name(plan_.functionals[f]) + ".svg";
    if (write_picture(plot, file))
      files.push_back(file);
  }
  return files;
}

} // namespace weft
