// Sliced ELLPACK on a device: what of a layout kernels read, beside the values.
#pragma once

#include <cstdint>

#include "base/precision.h"
#include "device/device.h"
#include "linalg/sell_layout.h"

namespace weft {

// See SellLayout. Matrices of the same pattern share it.
struct DeviceSell {
  int slice = 1, window = 1;
  std::int64_t num_slices = 0, num_values = 0, num_columns16 = 0, num_columns32 = 0,
               num_touched = 0;
  Buffer slices, rows, columns16, columns32, touched;

  std::uint64_t bytes() const;
};

DeviceSell upload_sell(Device &device, SellLayout layout);

// How rows are cut on a device: slices of a lane group of f32 on CPUs, whatever the values are in,
// so that a matrix and its copies in lower precision share a layout; on GPUs of as many rows as
// work-items run in step. Windows have enough rows for slices of like lengths, few enough that the
// parts of vectors that they use stay in the first cache.
int sell_slice(const DeviceInfo &device);
int sell_window(const DeviceInfo &device);
// Reals of a line of a CPU's caches; 0 on GPUs, which are given no hints.
int sell_line_reals(const DeviceInfo &device, Precision precision);

} // namespace weft
