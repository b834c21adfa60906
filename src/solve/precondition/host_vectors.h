// Vectors of a device as those of f64 on the host, for preconditioners that work there.
#pragma once

#include <vector>

#include "linalg/vector.h"

namespace weft {

class HostVectors {
public:
  explicit HostVectors(Device &device) : device_(device) {}
  // values: [v.size], in host memory of the caller.
  void read(const Vector &v, double *values);
  void write(const double *values, Vector &v);

private:
  Device &device_;
  std::vector<float> rounded_; // of vectors in f32
};

} // namespace weft
