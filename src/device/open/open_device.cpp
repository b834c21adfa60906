#include "device/open/open_device.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <mutex>

#include "base/error.h"
#include "base/log.h"
#include "device/cuda/cuda_device.h"
#include "device/opencl/opencl_device.h"

namespace weft {

namespace {

// Drivers and what is kept of their start are not made for two threads at once.
std::mutex opening;

std::string lower_case(std::string text) {
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "opencl" and "cuda" mean the first of their kind; anything but a selector is part of a name.
bool matches(const DeviceInfo &device, const std::string &wanted) {
  if (wanted == device.backend || wanted == device.selector)
    return true;
  return !wanted.starts_with("opencl") && !wanted.starts_with("cuda") &&
         lower_case(device.name).find(lower_case(wanted)) != std::string::npos;
}

std::string listing(const std::vector<DeviceInfo> &devices) {
  if (devices.empty())
    return "none";
  std::string text;
  for (const DeviceInfo &device : devices)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device.selector, device.name);
  return text;
}

std::vector<DeviceInfo> list_of_every_driver() {
  std::vector<DeviceInfo> devices = list_opencl_devices();
  const std::vector<DeviceInfo> of_cuda = list_cuda_devices();
  devices.insert(devices.end(), of_cuda.begin(), of_cuda.end());
  return devices;
}

// All that match and are alike, by name, from the first on.
std::vector<DeviceInfo> find_alike(const std::vector<DeviceInfo> &devices,
                                   const std::string &wanted) {
  std::vector<DeviceInfo> alike;
  for (const DeviceInfo &device : devices)
    if (matches(device, wanted) && (alike.empty() || device.name == alike.front().name))
      alike.push_back(device);
  return alike;
}

} // namespace

std::vector<DeviceInfo> list_devices() {
  const std::lock_guard lock(opening);
  return list_of_every_driver();
}

std::unique_ptr<Device> open_device(const std::string &selector, int threads,
                                    const std::string &place, int which) {
  const std::lock_guard lock(opening);
  configure_opencl(threads);
  const std::string wanted = selector.empty() ? "opencl" : selector;
  // CUDA's driver takes a third of a second to open: only where it is asked for, or OpenCL has no
  // device of the name.
  std::vector<DeviceInfo> alike;
  if (!wanted.starts_with("cuda"))
    alike = find_alike(list_opencl_devices(), wanted);
  if (alike.empty() && !wanted.starts_with("opencl"))
    alike = find_alike(list_cuda_devices(), wanted);
  if (alike.empty())
    throw Error(ErrorKind::system,
                {.what = "no such device",
                 .where = place,
                 .found = wanted,
                 .allowed = listing(list_of_every_driver()),
                 .remedy = wanted.starts_with("model:")
                               ? "name one of these: on a model of a device nothing is computed, "
                                 "weft explain predicts with it"
                               : "name one of these; a CPU becomes a device with the package "
                                 "pocl-opencl-icd"});
  const DeviceInfo &found = alike[which % alike.size()];
  if (threads > 0 && found.is_cpu && found.compute_units > threads)
    log::notice("--threads {}: the device was first used with {} threads and keeps them", threads,
                found.compute_units);
  const int index = std::stoi(found.selector.substr(found.selector.find(':') + 1));
  return found.backend == "cuda" ? open_cuda_device(index) : open_opencl_device(index);
}

} // namespace weft
