#include "bench/bench_options.h"

#include "base/log.h"
#include "device/open/open_device.h"
#include "options/option_checks.h"
#include "tune/disturbance.h"

namespace weft {

std::unique_ptr<Device> open_bench_device(const std::string &selector, int threads) {
  std::unique_ptr<Device> device = open_device(selector, threads);
  if (const std::string busy = busy_now(others_share_now()); !busy.empty())
    log::notice("the machine is busy: {}. What is timed now says little; rows that were disturbed "
                "are marked",
                busy);
  return device;
}

CompileWorkers bench_compile_workers(const Device &device, int threads) {
  constexpr int beside_a_gpu = 4; // each holds memory of it
  const DeviceInfo &info = device.info();
  return compile_workers(info.selector, threads, info.is_cpu ? info.compute_units : beside_a_gpu);
}

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
