#include "op/vector.h"

#include "base/error.h"

namespace weft {

Vector make_vector(Device &device, std::int64_t size, Precision precision, const char *purpose) {
  return {device.allocate(size * size_bytes(precision), purpose), size, precision};
}

void set_vector(Device &device, Vector &vector, const std::vector<double> &values) {
  require(std::int64_t(values.size()) == vector.size, "as many values as the vector has entries");
  if (vector.precision == Precision::f64) {
    device.write(vector.buffer, values.data(), values.size() * sizeof(double));
  } else {
    const std::vector<float> rounded(values.begin(), values.end());
    device.write(vector.buffer, rounded.data(), rounded.size() * sizeof(float));
  }
}

std::vector<double> get_vector(Device &device, const Vector &vector) {
  if (vector.precision == Precision::f64) {
    std::vector<double> values(vector.size);
    device.read(vector.buffer, values.data(), values.size() * sizeof(double));
    return values;
  }
  std::vector<float> values(vector.size);
  device.read(vector.buffer, values.data(), values.size() * sizeof(float));
  return {values.begin(), values.end()};
}

} // namespace weft
