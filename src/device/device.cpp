#include "device/device.h"

#include "base/pages.h"

namespace weft {

namespace {

// Room for a copy of device memory.
std::shared_ptr<void> host_copy(std::uint64_t bytes) {
  return {allocate_pages(bytes), [=](void *address) { free_pages(address, bytes); }};
}

} // namespace

Buffer Device::share(const void *from, std::uint64_t bytes, const char *purpose) {
  Buffer copy = allocate(bytes, purpose);
  write(copy, from, bytes);
  return copy;
}

std::shared_ptr<const void> Device::view(const Buffer &from, std::uint64_t bytes) {
  const std::shared_ptr<void> copy = host_copy(bytes);
  read(from, copy.get(), bytes);
  return copy;
}

void Device::write_by(const Buffer &to, std::uint64_t bytes,
                      const std::function<void(void *)> &fill) {
  const std::shared_ptr<void> filled = host_copy(bytes);
  fill(filled.get());
  write(to, filled.get(), bytes);
}

} // namespace weft
