#include "linalg/vector_conversion.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "device/lanes.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

constexpr std::int64_t lanes_a_group = 1024; // CPUs: a work-group is a work-item
constexpr int gpu_group_size = 256;

} // namespace

VectorConversion::VectorConversion(Device &device, Precision from, Precision to)
    : device_(device), from_(from), to_(to),
      arithmetic_(from == Precision::f64 || to == Precision::f64 ? Precision::f64 : Precision::f32),
      lanes_(default_lanes(device.info(), arithmetic_)),
      group_(device.info().is_cpu ? 1 : gpu_group_size) {
  const std::string &backend = device.info().backend;
  program_ = device_.build(
      {.name = fmt::format("convert_{}_{}", to_string(from), to_string(to)),
       .text = program_head(backend, arithmetic_, lanes_) + stored_dialect_text(backend) +
               fmt::format("#define WEFT_VALUE {}\n#define WEFT_FROM {}\n#define WEFT_GROUP {}\n",
                           to_string(to), to_string(from), group_) +
               embedded_text("kernels/vector/common.kernel") +
               embedded_text("kernels/vector/convert.kernel"),
       .kernels = {"vector_convert", "vector_convert_add"}});
}

std::int64_t VectorConversion::chunk() const {
  return lanes_ * (device_.info().is_cpu ? lanes_a_group : group_);
}

void VectorConversion::launch(const char *kernel, const Vector &x, Vector &out, double a,
                              const DeviceScalar &scalar) {
  require(x.precision == from_ && out.precision == to_ && x.size == out.size,
          "vectors of this conversion");
  const KernelArgument factor =
      arithmetic_ == Precision::f64 ? KernelArgument(a) : KernelArgument(static_cast<float>(a));
  // A buffer that is not read where there is no scalar.
  const Buffer &reals = scalar.reals ? scalar.reals : out.buffer;
  device_.launch(
      program_, kernel,
      {.groups = std::max<std::int64_t>(1, (x.size + chunk() - 1) / chunk()), .group_size = group_},
      {x.size, chunk(), out.buffer, x.buffer, factor, static_cast<std::int32_t>(scalar.use), reals,
       scalar.place});
}

void VectorConversion::convert(const Vector &x, Vector &out, double a, const DeviceScalar &scalar) {
  launch("vector_convert", x, out, a, scalar);
}

void VectorConversion::add(const Vector &x, Vector &out, double a, const DeviceScalar &scalar) {
  launch("vector_convert_add", x, out, a, scalar);
}

NamedCost VectorConversion::cost(std::int64_t size, bool adds, DeviceScalar::Use use) const {
  const double n = static_cast<double>(size), to = static_cast<double>(size_bytes(to_));
  const double slots = static_cast<double>((size + lanes_ - 1) / lanes_ * lanes_);
  const Launch launched{std::max<std::int64_t>(1, (size + chunk() - 1) / chunk()), group_};
  const double items = static_cast<double>(launched.groups * launched.group_size);
  KernelCost cost;
  cost.bytes_read = static_cast<double>(size_bytes(from_)) * n + (adds ? to * n : 0);
  cost.bytes_written = to * n;
  if (use != DeviceScalar::Use::nothing)
    cost.bytes_read += static_cast<double>(size_bytes(arithmetic_));
  (adds ? cost.operations.multiply_adds : cost.operations.multiplications) = slots;
  if (use == DeviceScalar::Use::multiply)
    cost.operations.multiplications += items;
  if (use == DeviceScalar::Use::divide)
    cost.operations.divisions += items;
  count_launch(cost, launched);
  return {adds ? "vector_convert_add" : "vector_convert", cost};
}

} // namespace weft
