#include "app/bench_options.h"

#include "app/option_checks.h"

namespace weft {

void add_device_options(CLI::App &command, std::string &device, int &threads) {
  command.add_option("--device", device, "as in weft run");
  add_threads_option(command, threads);
}

void add_repeats_option(CLI::App &command, int &repeats, const std::string &description) {
  command.add_option("--repeats", repeats, description)
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
}

void add_table_options(CLI::App &command, std::string &json, std::string &csv,
                       const std::string &csv_description) {
  command.add_option("--json", json, "write machine and rows")->type_name("FILE");
  command.add_option("--csv", csv, csv_description)->type_name("FILE");
}

void add_plot_option(CLI::App &command, std::string &folder) {
  command.add_option("--plot", folder, "folder of the figures and their points")->type_name("DIR");
}

} // namespace weft
