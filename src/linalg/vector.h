// A vector of dofs on a device: owned entries followed by ghosts (none with one process).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/precision.h"
#include "device/device.h"
#include "ranks/communicator.h"

namespace weft {

// How long vectors are: entries of this rank, and room behind them for those of others.
struct VectorLayout {
  std::int64_t owned = 0, ghosts = 0;
  Communicator *among = nullptr; // ranks that sums are over; null: this one is alone
  VectorLayout(std::int64_t alone) : owned(alone) {}
  VectorLayout(std::int64_t own, std::int64_t of_others, Communicator *ranks)
      : owned(own), ghosts(of_others), among(ranks) {}
};

struct Vector {
  Buffer buffer;
  std::int64_t size = 0; // owned entries
  Precision precision = Precision::f64;
};

// Whether ghosts hold NaN but between an exchange and the end of what needs it, so that a forgotten
// exchange shows: in debug builds, and where tests say so.
bool ghosts_are_forgotten();
void set_ghosts_are_forgotten(bool forgotten);

Vector make_vector(Device &device, const VectorLayout &layout, Precision precision,
                   const char *purpose);
// Conversions to and from double on the host, for every precision; rounded once, to nearest even.
void set_vector(Device &device, Vector &vector, std::span<const double> values);
void get_vector(Device &device, const Vector &vector, std::span<double> values);
std::vector<double> get_vector(Device &device, const Vector &vector);
// Each entry so many times, one after the other: [entry][system]; by way of the host.
Vector repeated(Device &device, const Vector &vector, int systems, const char *purpose);

// Reals of a precision, f64 or f32, as arguments of kernels: a number, an array.
KernelArgument real_argument(double value, Precision precision);
Buffer upload_reals(Device &device, const std::vector<double> &values, Precision precision,
                    const char *purpose);

} // namespace weft
