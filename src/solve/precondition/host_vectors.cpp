#include "solve/precondition/host_vectors.h"

#include <algorithm>

namespace weft {

void HostVectors::read(const Vector &v, double *values) {
  if (v.precision == Precision::f64) {
    device_.read(v.buffer, values, v.size * sizeof(double));
    return;
  }
  rounded_.resize(v.size);
  device_.read(v.buffer, rounded_.data(), v.size * sizeof(float));
  std::copy(rounded_.begin(), rounded_.end(), values);
}

void HostVectors::write(const double *values, Vector &v) {
  if (v.precision == Precision::f64) {
    device_.write(v.buffer, values, v.size * sizeof(double));
    return;
  }
  rounded_.resize(v.size);
  std::copy_n(values, v.size, rounded_.begin());
  device_.write(v.buffer, rounded_.data(), v.size * sizeof(float));
}

} // namespace weft
