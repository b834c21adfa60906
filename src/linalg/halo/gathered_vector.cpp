#include "linalg/halo/gathered_vector.h"

#include <algorithm>
#include <cstring>

#include "ranks/first_numbers.h"

namespace weft {

GatheredVector::GatheredVector(Device &device, Communicator &ranks, std::int64_t own,
                               Precision precision)
    : device_(device), ranks_(ranks), entry_bytes_(size_bytes(precision)),
      first_(first_numbers(ranks, own)) {
  for (int rank = 0; rank < ranks.size(); ++rank)
    most_bytes_ = std::max(most_bytes_, (first_[rank + 1] - first_[rank]) * entry_bytes_);
  own_.resize(most_bytes_); // as many from each
  all_.resize(most_bytes_ * ranks.size());
}

void GatheredVector::gather(const Buffer &own, const Buffer &whole) {
  const std::size_t own_bytes =
      static_cast<std::size_t>(first_[ranks_.rank() + 1] - first()) * entry_bytes_;
  if (own_bytes > 0)
    device_.read(own, own_.data(), own_bytes);
  ranks_.gather(own_.data(), most_bytes_, all_.data());
  // Close together: nothing moves past where it was.
  for (int rank = 1; rank < ranks_.size(); ++rank)
    std::memmove(all_.data() + first_[rank] * entry_bytes_, all_.data() + rank * most_bytes_,
                 (first_[rank + 1] - first_[rank]) * entry_bytes_);
  device_.write(whole, all_.data(), size() * entry_bytes_);
}

} // namespace weft
