// Options that the subcommands of weft bench share.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "bench/compile_workers.h"
#include "device/device.h"

namespace weft {

// open_device(), with a notice where something else uses the machine now: what follows is timed.
std::unique_ptr<Device> open_bench_device(const std::string &selector, int threads);
// Processes that compile ahead for that device; `threads` as it was opened with.
CompileWorkers bench_compile_workers(const Device &device, int threads);

// --device and --threads of what takes no case.
void add_device_options(CLI::App &command, std::string &device, int &threads);
void add_repeats_option(CLI::App &command, int &repeats,
                        const std::string &description = "timings a row");
// Files of the rows: JSON with what was measured of the machine, CSV.
void add_table_options(CLI::App &command, std::string &json, std::string &csv,
                       const std::string &csv_description = "write rows");
void add_plot_option(CLI::App &command, std::string &folder);

} // namespace weft
