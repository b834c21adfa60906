#include "weft/device_vector.h"

#include <string>

#include <fmt/format.h>

#include "api/problem_parts.h"
#include "base/error.h"

namespace weft {

void DeviceVector::Impl::require_size(std::size_t found) const {
  if (std::int64_t(found) != vector.size)
    throw Error(ErrorKind::input, {.what = "an array of the wrong size: vector on the device",
                                   .found = fmt::format("{} entries", found),
                                   .allowed = fmt::format("{}", vector.size)});
}

DeviceVector::DeviceVector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeviceVector::~DeviceVector() = default;
DeviceVector::DeviceVector(DeviceVector &&) noexcept = default;
DeviceVector &DeviceVector::operator=(DeviceVector &&) noexcept = default;

std::size_t DeviceVector::size() const {
  return static_cast<std::size_t>(impl_->vector.size);
}

std::size_t DeviceVector::bytes_per_entry() const {
  return size_bytes(impl_->vector.precision);
}

void *DeviceVector::data() {
  return impl_->device.address(impl_->vector.buffer);
}

const void *DeviceVector::data() const {
  return impl_->device.address(impl_->vector.buffer);
}

bool DeviceVector::on_host() const {
  return impl_->device.host_memory(impl_->vector.buffer) != nullptr;
}

int DeviceVector::cuda_device() const {
  const std::string prefix = "cuda:";
  const std::string &selector = impl_->device.info().selector;
  return selector.starts_with(prefix) ? std::stoi(selector.substr(prefix.size())) : -1;
}

void DeviceVector::finish() const {
  impl_->device.finish();
}

void DeviceVector::set(std::span<const double> values) {
  impl_->require_size(values.size());
  set_vector(impl_->device, impl_->vector, values);
}

void DeviceVector::get(std::span<double> values) const {
  impl_->require_size(values.size());
  get_vector(impl_->device, impl_->vector, values);
}

} // namespace weft
