#include "base/host_array.h"

#include <cstdlib>
#include <sys/mman.h>

namespace weft {

namespace {
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
} // namespace

void *allocate_pages(std::size_t bytes) {
  void *address = nullptr;
  if (bytes < huge_page_bytes) {
    address = std::malloc(bytes);
  } else {
    const std::size_t size = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    address = std::aligned_alloc(huge_page_bytes, size);
    if (address)
      madvise(address, size, MADV_HUGEPAGE); // a wish: without it, all is as before
  }
  if (!address)
    throw std::bad_alloc();
  return address;
}

void free_pages(void *address) {
  std::free(address);
}

} // namespace weft
