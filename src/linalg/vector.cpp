#include "linalg/vector.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/error.h"
#include "base/stored_numbers.h"

namespace weft {

namespace {

#ifdef NDEBUG
std::atomic<bool> forgotten = false;
#else
std::atomic<bool> forgotten = true;
#endif

} // namespace

bool ghosts_are_forgotten() {
  return forgotten;
}

void set_ghosts_are_forgotten(bool value) {
  forgotten = value;
}

Vector make_vector(Device &device, const VectorLayout &layout, Precision precision,
                   const char *purpose) {
  const std::int64_t entries = layout.owned + layout.ghosts;
  Vector vector{device.allocate(entries * size_bytes(precision), purpose), layout.owned, precision};
  if (layout.ghosts > 0 && ghosts_are_forgotten()) {
    Vector whole{vector.buffer, entries, precision};
    set_vector(device, whole,
               std::vector<double>(entries, std::numeric_limits<double>::quiet_NaN()));
  }
  return vector;
}

void set_vector(Device &device, Vector &vector, std::span<const double> values) {
  require(std::int64_t(values.size()) == vector.size, "as many values as the vector has entries");
  if (vector.precision == Precision::f64) {
    device.write(vector.buffer, values.data(), values.size() * sizeof(double));
  } else {
    const std::vector<std::byte> stored = stored_numbers(values, vector.precision);
    device.write(vector.buffer, stored.data(), stored.size());
  }
}

void get_vector(Device &device, const Vector &vector, std::span<double> values) {
  require(std::int64_t(values.size()) == vector.size, "as many values as the vector has entries");
  if (vector.precision == Precision::f64) {
    device.read(vector.buffer, values.data(), values.size() * sizeof(double));
    return;
  }
  std::vector<std::byte> stored(vector.size * size_bytes(vector.precision));
  device.read(vector.buffer, stored.data(), stored.size());
  const std::vector<double> numbers = numbers_of_stored(stored, vector.precision);
  std::copy(numbers.begin(), numbers.end(), values.begin());
}

std::vector<double> get_vector(Device &device, const Vector &vector) {
  std::vector<double> values(vector.size);
  get_vector(device, vector, values);
  return values;
}

Vector repeated(Device &device, const Vector &vector, int systems, const char *purpose) {
  const std::vector<double> values = get_vector(device, vector);
  std::vector<double> entries;
  entries.reserve(values.size() * systems);
  for (const double value : values)
    entries.insert(entries.end(), systems, value);
  Vector result = make_vector(device, vector.size * systems, vector.precision, purpose);
  set_vector(device, result, entries);
  return result;
}

KernelArgument real_argument(double value, Precision precision) {
  if (precision == Precision::f64)
    return value;
  return static_cast<float>(value);
}

Buffer upload_reals(Device &device, const std::vector<double> &values, Precision precision,
                    const char *purpose) {
  if (precision == Precision::f64)
    return upload(device, values, purpose);
  return upload(device, std::vector<float>(values.begin(), values.end()), purpose);
}

} // namespace weft
