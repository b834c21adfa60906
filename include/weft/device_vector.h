// A vector of dofs where kernels read it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "weft/export.h"

namespace weft {

class WEFT_EXPORT DeviceVector {
public:
  ~DeviceVector();
  DeviceVector(DeviceVector &&) noexcept;
  DeviceVector &operator=(DeviceVector &&) noexcept;

  std::size_t size() const;
  std::size_t bytes_per_entry() const; // 8 (f64) or 4 (f32)
  // Where its entries are: on a CPU device in the memory of this process, on a CUDA device a
  // CUdeviceptr; null where neither is (a GPU by OpenCL). Who writes there lets the device know by
  // nothing: calls of the problem come after it in order. finish() before reading.
  void *data();
  const void *data() const;
  bool on_host() const; // data() is memory of this process
  // The number that CUDA's driver gives to its device; -1: it is on none of CUDA's.
  int cuda_device() const;
  // Waits until what writes it is done.
  void finish() const;

  // Copies, converting; as many entries as it has.
  void set(std::span<const double> values);
  void get(std::span<double> values) const;

private:
  friend class Problem;
  struct Impl;
  explicit DeviceVector(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace weft
