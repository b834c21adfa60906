// Vectors from one precision to another, scaled.
#pragma once

#include <cstdint>

#include "cost/kernel_cost.h"
#include "device/device.h"
#include "linalg/vector.h"

namespace weft {

// A number on the device that a factor is multiplied with or divided by, of the arithmetic's
// precision.
struct DeviceScalar {
  enum class Use { nothing, multiply, divide } use = Use::nothing;
  Buffer reals;
  std::int32_t place = 0;
};

class VectorConversion {
public:
  VectorConversion(Device &device, Precision from, Precision to);

  // In which is computed: f64 where one of the vectors is, else f32.
  Precision arithmetic() const { return arithmetic_; }
  // out = a x, and out + a x; numbers are rounded once, and again by the sum.
  void convert(const Vector &x, Vector &out, double a = 1, const DeviceScalar &scalar = {});
  void add(const Vector &x, Vector &out, double a = 1, const DeviceScalar &scalar = {});
  // Counts one of these on vectors of `size` entries, with a scalar or without.
  NamedCost cost(std::int64_t size, bool adds, DeviceScalar::Use use) const;

private:
  void launch(const char *kernel, const Vector &x, Vector &out, double a,
              const DeviceScalar &scalar);
  std::int64_t chunk() const;

  Device &device_;
  Precision from_, to_, arithmetic_;
  int lanes_, group_;
  Program program_;
};

} // namespace weft
