#include "linalg/device_sell.h"

#include "device/lanes.h"

namespace weft {

namespace {

constexpr int gpu_slice = 32;
constexpr int cpu_window = 256, gpu_window = 1024;
constexpr int cache_line_bytes = 64; // of CPUs' caches

} // namespace

std::uint64_t DeviceSell::bytes() const {
  return slices->bytes + rows->bytes + columns16->bytes + columns32->bytes + touched->bytes;
}

DeviceSell upload_sell(Device &device, SellLayout layout) {
  return {.slice = layout.slice,
          .window = layout.window,
          .num_slices = layout.num_slices,
          .num_values = layout.num_values,
          .num_columns16 = static_cast<std::int64_t>(layout.columns16.size()),
          .num_columns32 = static_cast<std::int64_t>(layout.columns32.size()),
          .num_touched = static_cast<std::int64_t>(layout.touched.size()),
          .slices = upload(device, std::move(layout.slices), "slices of the matrix"),
          .rows = upload(device, std::move(layout.rows), "rows of slices"),
          .columns16 = upload(device, std::move(layout.columns16), "columns of slices, 16 bits"),
          .columns32 = upload(device, std::move(layout.columns32), "columns of slices, 32 bits"),
          .touched = upload(device, std::move(layout.touched), "lines of x that slices touch")};
}

int sell_slice(const DeviceInfo &device) {
  return device.is_cpu ? default_lanes(device, Precision::f32) : gpu_slice;
}

int sell_window(const DeviceInfo &device) {
  return device.is_cpu ? cpu_window : gpu_window;
}

int sell_line_reals(const DeviceInfo &device, Precision precision) {
  return device.is_cpu ? static_cast<int>(cache_line_bytes / size_bytes(precision)) : 0;
}

} // namespace weft
