// A vector of dofs on a device: owned entries followed by ghosts (none with one process).
#pragma once

#include <cstdint>
#include <vector>

#include "base/precision.h"
#include "device/device.h"

namespace weft {

struct Vector {
  Buffer buffer;
  std::int64_t size = 0;
  Precision precision = Precision::f64;
};

Vector make_vector(Device &device, std::int64_t size, Precision precision, const char *purpose);
// Conversions to and from double on the host, for every precision; rounded once, to nearest even.
void set_vector(Device &device, Vector &vector, const std::vector<double> &values);
std::vector<double> get_vector(Device &device, const Vector &vector);

// Reals of a precision, f64 or f32, as arguments of kernels: a number, an array.
KernelArgument real_argument(double value, Precision precision);
Buffer upload_reals(Device &device, const std::vector<double> &values, Precision precision,
                    const char *purpose);

} // namespace weft
