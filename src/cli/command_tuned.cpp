#include "cli/command_tuned.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/error.h"
#include "base/system/atomic_file.h"
#include "base/system/input_file.h"
#include "tune/database/tuning_database.h"
#include "tune/database/tuning_records.h"

namespace weft {

namespace {

std::string when(const Provenance &from) {
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(static_cast<std::time_t>(from.time_us / 1000000)));
}

std::string duration_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} s", seconds);
}

std::string size_text(const std::string &size_class) {
  return size_class.empty() ? "-" : "2^" + size_class;
}

void list_tuned() {
  TuningDatabase database;
  const TuningContents contents = database.contents();
  for (const KeptMachine &machine : contents.machines)
    fmt::print("{}  {} figures of {} ({}){}\n", when(machine.from), machine.figures.figures.size(),
               machine.name, machine.driver, machine.from.imported ? ", imported" : "");
  std::size_t kernel_width = 0, variant_width = 0;
  for (const ResultRecord &result : contents.results) {
    kernel_width = std::max(kernel_width, result.key.kernel.size());
    variant_width = std::max(variant_width, to_string(result.variant).size());
  }
  for (const ResultRecord &result : contents.results)
    fmt::print("{}  {:<{}}  {:>5}  {:>8}  {:<{}}  {} on {}{}\n", when(result.from),
               result.key.kernel, kernel_width, size_text(result.key.size_class),
               duration_text(result.seconds), to_string(result.variant), variant_width,
               result.key.problem, result.key.architecture,
               result.from.imported ? ", imported" : "");
  std::size_t num_timings = 0;
  for (const SearchRecord &search : contents.searches)
    for (const TrialRecord &trial : search.outcome.trials)
      num_timings += trial.seconds.size();
  fmt::print("{} results of {} searches with {} timings, figures of {} devices in {}\n",
             contents.results.size(), contents.searches.size(), num_timings,
             contents.machines.size(), database.path().string());
}

void export_tuned(const std::string &file) {
  const std::string text = TuningDatabase().export_text();
  if (file == "-")
    fmt::print("{}", text);
  else
    write_text_file(file, text);
}

std::string text_of_standard_input() {
  std::ostringstream text;
  if (std::cin && std::cin.peek() != std::istream::traits_type::eof())
    text << std::cin.rdbuf();
  if (std::cin.bad() || text.bad() || (std::cin.fail() && !std::cin.eof()))
    throw Error(ErrorKind::input, {.what = "it can't be read",
                                   .where = "standard input",
                                   .found = std::strerror(errno),
                                   .allowed = "what weft tuned export wrote"});
  return std::move(text).str();
}

void import_tuned(const std::string &file) {
  TuningDatabase database;
  const int num_taken =
      file == "-" ? database.import_text(text_of_standard_input(), "standard input")
                  : database.import_text(
                        read_input_text(file, {.what = "file of tuning results",
                                               .allowed = "a file that weft tuned export wrote",
                                               .remedy = "check the path; - is standard input"}),
                        file);
  fmt::print("took {} results and devices' figures into {}\n", num_taken, database.path().string());
}

void clear_tuned() {
  TuningDatabase database;
  fmt::print("forgot {} results and devices' figures of {}\n", database.clear(),
             database.path().string());
}

} // namespace

void add_tuned_command(CLI::App &app) {
  auto *tuned = app.add_subcommand("tuned", "what tuning has found on this machine, and kept");
  tuned->require_subcommand(1);
  tuned->add_subcommand("ls", "list it")->callback(list_tuned);
  const auto file = std::make_shared<std::string>();
  auto *out = tuned->add_subcommand("export", "write all of it as text, to be shared");
  out->add_option("FILE", *file, "where to; - is standard output")->required();
  out->callback([file] { export_tuned(*file); });
  auto *in = tuned->add_subcommand("import", "add what was exported elsewhere; what was measured "
                                             "here stays");
  in->add_option("FILE", *file, "where from; - is standard input")->required();
  in->callback([file] { import_tuned(*file); });
  tuned->add_subcommand("clear", "forget all of it")->callback(clear_tuned);
}

} // namespace weft
