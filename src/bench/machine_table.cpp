#include "bench/machine_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <sstream>

#include "base/precision.h"

namespace weft {

namespace {

std::vector<std::string> words_of(const std::string &name) {
  std::vector<std::string> words;
  std::istringstream stream(name);
  for (std::string word; std::getline(stream, word, '.');)
    words.push_back(word);
  return words;
}

// A table: a row for each value of one word of the names, a column for each kind of figure.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  // Names with {} in the place of the row's word, one for each column.
  std::vector<std::string> patterns;
};

std::vector<Table> tables() {
  return {
      {"memory, GB/s", {"f64", "f32"}, {"memory.{}.f64.gbps", "memory.{}.f32.gbps"}},
      {"caches, GB/s of all cores, by each core's working set",
       {"read", "copy"},
       {"cache.read.{}.gbps", "cache.copy.{}.gbps"}},
      {"local memory, GB/s", {"f64", "f32"}, {"local.{}.f64.gbps", "local.{}.f32.gbps"}},
      {"operations, 1e9/s",
       {"f64", "f32", "f16"},
       {"rate.{}.f64.gops", "rate.{}.f32.gops", "rate.{}.f16.gops"}},
      {"gathers of one real, 1e9/s, by each core's working set",
       {"f64", "f64, 16-bit index", "f64, alone", "f32", "f32, 16-bit index", "f32, alone"},
       {"gather.1.{}.f64.gops", "gather_16.1.{}.f64.gops", "gather_alone.1.{}.f64.gops",
        "gather.1.{}.f32.gops", "gather_16.1.{}.f32.gops", "gather_alone.1.{}.f32.gops"}},
      {"gathers of four reals in a row, 1e9 rows/s, by each core's working set",
       {"f64", "f64, 16-bit index", "f32", "f32, 16-bit index"},
       {"gather.4.{}.f64.gops", "gather_16.4.{}.f64.gops", "gather.4.{}.f32.gops",
        "gather_16.4.{}.f32.gops"}},
      {"gathers from memory, 1e9/s, at random within windows of so many reals",
       {"f64", "f64, alone", "f32", "f32, alone"},
       {"gather.memory.{}.f64.gops", "gather_alone.memory.{}.f64.gops", "gather.memory.{}.f32.gops",
        "gather_alone.memory.{}.f32.gops"}},
      {"copies by index to a stage, 1e9 reals/s, by each core's working set",
       {"f64", "f32"},
       {"copy_indexed.{}.f64.gops", "copy_indexed.{}.f32.gops"}},
      {"reads of a set of so many bytes by indices from memory, 1e9 reals/s",
       {"f64", "f32"},
       {"gather_streams.{}.f64.gops", "gather_streams.{}.f32.gops"}},
      {"additions to a stage of so many bytes, 1e9 records/s",
       {"one f64", "four f64", "one f32", "four f32"},
       {"scatter_add.1.{}.f64.gops", "scatter_add.4.{}.f64.gops", "scatter_add.1.{}.f32.gops",
        "scatter_add.4.{}.f32.gops"}},
      {"multiply-adds for each real read, GFlop/s",
       {"f64", "f32"},
       {"roofline.{}.f64.gflops", "roofline.{}.f32.gflops"}},
      {"latency, microseconds", {""}, {"latency.{}.us"}},
  };
}

std::optional<std::uint64_t> number_of(const std::string &word) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  return failed == std::errc() && end == word.data() + word.size() ? std::optional(value)
                                                                   : std::nullopt;
}

// The words that figures have in the pattern's place.
std::vector<std::string> rows_of(const Table &table, const MachineFigures &machine) {
  std::vector<std::string> rows;
  for (const std::string &pattern : table.patterns) {
    const std::vector<std::string> wanted = words_of(pattern);
    for (const auto &[name, figure] : machine.figures) {
      const std::vector<std::string> words = words_of(name);
      std::string row;
      bool fits = words.size() == wanted.size();
      for (std::size_t i = 0; fits && i < words.size(); ++i)
        if (wanted[i] == "{}")
          row = words[i];
        else
          fits = wanted[i] == words[i];
      if (fits && std::find(rows.begin(), rows.end(), row) == rows.end())
        rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const std::string &a, const std::string &b) {
    const auto first = number_of(a), second = number_of(b);
    return first && second ? *first < *second : !first && !second ? a < b : first.has_value();
  });
  return rows;
}

std::string row_label(const Table &table, const std::string &row) {
  const auto bytes = number_of(row);
  const bool in_bytes = table.title.find("working set") != std::string::npos ||
                        table.title.find("bytes") != std::string::npos;
  if (!bytes || !in_bytes)
    return row;
  return *bytes >= 1 << 20 ? fmt::format("{} MiB", *bytes >> 20)
                           : fmt::format("{} KiB", *bytes >> 10);
}

// Three digits that count.
std::string short_number(double value) {
  const int before = value > 0 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  return fmt::format("{:.{}f}", value, std::clamp(3 - before, 0, 5));
}

std::string cell_text(const MachineFigures &machine, const std::string &pattern,
                      const std::string &row) {
  std::string name = pattern;
  name.replace(name.find("{}"), 2, row);
  const auto found = machine.figures.find(name);
  if (found == machine.figures.end())
    return "-";
  const Figure &f = found->second;
  return fmt::format("{} ({}..{})", short_number(f.median), short_number(f.low),
                     short_number(f.high));
}

} // namespace

std::string machine_table(const DeviceInfo &info, const MachineFigures &machine) {
  std::string text = fmt::format(
      "{} ({}), {} {}, {}\nmedians, and in parentheses the range of nine tenths\n", info.name,
      info.selector, info.compute_units, info.is_cpu ? "cores" : "multiprocessors", info.driver);
  for (const Table &table : tables()) {
    const std::vector<std::string> rows = rows_of(table, machine);
    if (rows.empty())
      continue;
    text += fmt::format("\n{}\n", table.title);
    std::vector<std::size_t> columns; // those that have any figure
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (std::any_of(rows.begin(), rows.end(), [&](const std::string &row) {
            return cell_text(machine, table.patterns[c], row) != "-";
          }))
        columns.push_back(c);
    if (columns.size() > 1 || !table.columns.front().empty()) {
      text += fmt::format("  {:<14}", "");
      for (const std::size_t c : columns)
        text += fmt::format("  {:<22}", table.columns[c]);
      text += "\n";
    }
    for (const std::string &row : rows) {
      text += fmt::format("  {:<14}", row_label(table, row));
      for (const std::size_t c : columns)
        text += fmt::format("  {:<22}", cell_text(machine, table.patterns[c], row));
      text += "\n";
    }
  }
  if (!info.has_f64)
    text += "\nnot measured: f64, which the device does not have\n";
  if (!info.has_f16)
    text += "\nnot measured: f16 arithmetic, which the device does not have\n";
  return text;
}

Plot roofline_plot(const DeviceInfo &info, const MachineFigures &machine) {
  Plot plot{.title = "Roofline of " + info.name,
            .x_label = "arithmetic intensity, flop/byte",
            .y_label = "GFlop/s",
            .log_x = true,
            .log_y = true};
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    PlotSeries measured{.name = to_string(precision) + " measured", .style = PlotStyle::points};
    const std::string end = "." + to_string(precision) + ".gflops";
    for (const auto &[name, figure] : machine.figures)
      if (name.starts_with("roofline.") && name.ends_with(end))
        measured.points.emplace_back(2.0 * static_cast<double>(*number_of(words_of(name)[1])) /
                                         static_cast<double>(size_bytes(precision)),
                                     figure.median);
    if (measured.points.empty())
      continue;
    std::sort(measured.points.begin(), measured.points.end());
    const std::string widest = info.has_f64 ? "f64" : "f32";
    const double gbps = machine.at("memory.read." + widest + ".gbps");
    const double gflops = 2 * machine.at("rate.multiply_add." + to_string(precision) + ".gops");
    PlotSeries limit{.name = fmt::format("{} limit: {:.0f} GB/s read, {:.0f} GFlop/s",
                                         to_string(precision), gbps, gflops),
                     .style = PlotStyle::lines};
    const double knee = gflops / gbps;
    for (const double x : {measured.points.front().first, knee, measured.points.back().first})
      limit.points.emplace_back(x, std::min(gbps * x, gflops));
    std::sort(limit.points.begin(), limit.points.end());
    plot.series.push_back(measured);
    plot.series.push_back(limit);
  }
  return plot;
}

} // namespace weft
