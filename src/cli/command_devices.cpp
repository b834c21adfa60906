#include "cli/command_devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "base/error.h"
#include "base/json_text.h"
#include "base/log.h"
#include "bench/machine_table.h"
#include "device/card/card_text.h"
#include "device/device.h"
#include "device/open/open_device.h"
#include "options/option_checks.h"
#include "run/variants/known_machine.h"

namespace weft {

namespace {

nlohmann::ordered_json to_json(const DeviceInfo &device) {
  return {{"selector", device.selector},
          {"backend", device.backend},
          {"name", device.name},
          {"vendor", device.vendor},
          {"architecture", device.architecture},
          {"driver", device.driver},
          {"identity", device.identity},
          {"is_cpu", device.is_cpu},
          {"compute_units", device.compute_units},
          {"memory_bytes", device.memory_bytes},
          {"max_allocation_bytes", device.max_allocation_bytes},
          {"local_memory_bytes", device.local_memory_bytes},
          {"last_cache_bytes", device.last_cache_bytes},
          {"core_cache_bytes", device.core_cache_bytes},
          {"max_work_group", device.max_work_group},
          {"native_lanes_f64", device.native_lanes_f64},
          {"has_f64", device.has_f64},
          {"has_f16", device.has_f16}};
}

void print_table(const std::vector<DeviceInfo> &devices) {
  if (devices.empty()) {
    fmt::print("no devices: the package pocl-opencl-icd makes the CPU one\n");
    return;
  }
  std::size_t name_width = 4;
  for (const DeviceInfo &device : devices)
    name_width = std::max(name_width, device.name.size());
  fmt::print("{:<9} {:<{}}  {:>9}  {:>9}  {:>5}  {}\n", "selector", "name", name_width, "memory",
             "a buffer", "units", "driver");
  for (const DeviceInfo &device : devices)
    fmt::print("{:<9} {:<{}}  {:>6.1f} GB  {:>6.1f} GB  {:>5}  {}\n", device.selector, device.name,
               name_width, static_cast<double>(device.memory_bytes) / 1e9,
               static_cast<double>(device.max_allocation_bytes) / 1e9, device.compute_units,
               device.driver);
}

void print_list(bool as_json) {
  const std::vector<DeviceInfo> devices = list_devices();
  if (!as_json) {
    print_table(devices);
    return;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeviceInfo &device : devices)
    list.push_back(to_json(device));
  fmt::print("{}\n", json_text(list, 2));
}

void print_model(const std::string &name, bool as_json) {
  const Card card = find_card(name, "--model");
  fmt::print("{}", as_json ? json_text(card_json(card), 2) + "\n" : card_table(card));
}

struct MeasureCommand {
  bool measure = false, again = false, json = false;
  std::string device, plot, model;
  int threads = 0, rounds = MeasureOptions{}.rounds;
  double most_s = MeasureOptions{}.most_s;
};

void print_measured(const MeasureCommand &command) {
  if (!command.plot.empty())
    check_plot_file(command.plot);
  const std::unique_ptr<Device> device = open_device(command.device, command.threads);
  TuningDatabase database;
  MeasureOptions options;
  options.rounds = command.rounds;
  options.again = command.again;
  options.most_s = command.most_s;
  const MachineFigures machine = known_machine(*device, database, options);
  const std::string disturbance = disturbance_of(machine);
  if (command.json) {
    nlohmann::ordered_json figures;
    for (const auto &[name, figure] : machine.figures)
      figures[name] = {{"median", figure.median}, {"low", figure.low}, {"high", figure.high}};
    const nlohmann::ordered_json all = {{"device", to_json(device->info())},
                                        {"generator", machine_generator()},
                                        {"disturbed", !disturbance.empty()},
                                        {"disturbance", disturbance.empty()
                                                            ? nlohmann::ordered_json()
                                                            : nlohmann::ordered_json(disturbance)},
                                        {"figures", figures}};
    fmt::print("{}\n", json_text(all, 2));
  } else {
    fmt::print("{}", machine_table(device->info(), machine));
    if (!disturbance.empty())
      fmt::print("\nbusy: the machine was disturbed while it was measured ({})\n", disturbance);
  }
  if (!command.plot.empty() && write_plot(roofline_plot(device->info(), machine), command.plot))
    log::info("wrote {}", command.plot);
}

} // namespace

void add_devices_command(CLI::App &app) {
  auto *command = app.add_subcommand("devices", "list the devices of this machine, or measure one");
  const auto options = std::make_shared<MeasureCommand>();
  command->add_flag("--json", options->json, "all that is known, as JSON");
  CLI::Option *measure = command->add_flag("--measure", options->measure,
                                           "what a device can do: bandwidths, rates of arithmetic "
                                           "and of gathers, latencies; about 20 s "
                                           "where nothing else runs, kept for this device and "
                                           "driver, and taken anew where it was busy");
  command->add_option("--device", options->device, "which one, as in weft run")->needs(measure);
  add_threads_option(*command, options->threads)->needs(measure);
  command
      ->add_option("--rounds", options->rounds,
                   "how often each figure is measured; fewer are quicker and less certain")
      ->needs(measure)
      ->check(number_in(1))
      ->capture_default_str();
  command
      ->add_option("--most", options->most_s,
                   "seconds after which no round begins: what there is by then is taken, and "
                   "marked where it is less than half")
      ->needs(measure)
      ->check(number_in(1e-3))
      ->capture_default_str();
  command->add_flag("--again", options->again, "measure though there are kept figures")
      ->needs(measure);
  command->add_option("--plot", options->plot, "draw the roofline; its points go beside it as CSV")
      ->option_text("FILE.svg")
      ->needs(measure);
  command
      ->add_option("--model", options->model,
                   "what is published of a card that need not be here: h100, a100, v100, rtx4090, "
                   "mi250x, gtx580, gtx280, k20m, gtx750ti, or a JSON file with figures of your "
                   "own; weft explain CASE --device model:h100 predicts with them")
      ->option_text("NAME");
  command->callback([options] {
    if (!options->model.empty() && options->measure)
      throw Error(ErrorKind::input, {.what = "a model of a device cannot be measured",
                                     .where = "--model " + options->model,
                                     .remedy = "leave out --measure, or --model"});
    if (!options->model.empty())
      print_model(options->model, options->json);
    else if (options->measure)
      print_measured(*options);
    else
      print_list(options->json);
  });
}

} // namespace weft
