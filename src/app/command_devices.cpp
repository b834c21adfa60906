#include "app/command_devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "device/device.h"

namespace weft {

namespace {

nlohmann::json to_json(const DeviceInfo &device) {
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
          {"max_work_group", device.max_work_group},
          {"native_lanes_f64", device.native_lanes_f64},
          {"has_f64", device.has_f64}};
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

} // namespace

void add_devices_command(CLI::App &app) {
  auto *command = app.add_subcommand("devices", "list the devices of this machine");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "all that is known of them, as JSON");
  command->callback([as_json] {
    const std::vector<DeviceInfo> devices = list_devices();
    if (!*as_json) {
      print_table(devices);
      return;
    }
    nlohmann::json list = nlohmann::json::array();
    for (const DeviceInfo &device : devices)
      list.push_back(to_json(device));
    fmt::print("{}\n", list.dump(2));
  });
}

} // namespace weft
