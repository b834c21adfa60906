#include "linalg/halo/halo.h"

#include <algorithm>
#include <limits>

#include "base/embedded.h"
#include "base/error.h"
#include "base/precision_name.h"
#include "device/dialect.h"
#include "linalg/launch_sizes.h"

namespace weft {

namespace {

// to[i] = from[place of i], or to[place of i] = from[i].
template <typename Real>
void gather(const std::vector<std::int32_t> &places, const void *from, void *to) {
  const auto *values = static_cast<const Real *>(from);
  auto *packed = static_cast<Real *>(to);
  for (const std::int32_t place : places)
    *packed++ = values[place];
}
template <typename Real>
void scatter(const std::vector<std::int32_t> &places, const void *from, void *to) {
  const auto *packed = static_cast<const Real *>(from);
  auto *values = static_cast<Real *>(to);
  for (const std::int32_t place : places)
    values[place] = *packed++;
}

} // namespace

Halo::Halo(Device &device, Communicator &ranks, const HaloPlaces &places, Precision precision)
    : device_(device), ranks_(ranks), precision_(precision),
      send_(make_direction(places, &HaloPlaces::Peer::send)),
      receive_(make_direction(places, &HaloPlaces::Peer::receive)) {
  require(precision == Precision::f64 || precision == Precision::f32, "halos of f64 or f32");
  for (const Direction *direction : {&send_, &receive_})
    for (const std::int32_t place : direction->places)
      least_bytes_ = std::max(least_bytes_, (std::uint64_t(place) + 1) * size_bytes(precision));
}

Halo::Direction Halo::make_direction(const HaloPlaces &places,
                                     std::vector<std::int32_t> HaloPlaces::Peer::*which) {
  Direction direction;
  for (const HaloPlaces::Peer &peer : places.peers)
    direction.places.insert(direction.places.end(), (peer.*which).begin(), (peer.*which).end());
  const std::size_t each = size_bytes(precision_);
  direction.values.resize(direction.places.size() * each);
  std::byte *data = direction.values.data();
  for (const HaloPlaces::Peer &peer : places.peers) {
    const std::size_t bytes = (peer.*which).size() * each;
    if (bytes > 0)
      direction.pieces.push_back({peer.rank, data, bytes});
    data += bytes;
  }
  return direction;
}

// For a device whose memory the host does not see.
void Halo::make_kernels() {
  if (program_)
    return;
  program_ = device_.build({.name = "halo_" + to_string(precision_),
                            .text = program_head(device_.info().backend, precision_, 1) +
                                    embedded_text("kernels/vector/halo.kernel"),
                            .kernels = {"halo_pack", "halo_unpack"}});
  for (Direction *direction : {&send_, &receive_}) {
    direction->device_places = upload(device_, direction->places, "places of a halo");
    direction->packed = device_.allocate(direction->values.size(), "halo");
  }
}

void Halo::launch(const char *kernel, Direction &direction, const Buffer &first,
                  const Buffer &second) {
  const bool is_cpu = device_.info().is_cpu;
  const std::int64_t each = is_cpu ? 1024 : 1, group_size = is_cpu ? 1 : 64;
  device_.launch(program_, kernel,
                 {.groups = rounded_up(rounded_up(direction.count(), each), group_size),
                  .group_size = group_size},
                 {direction.count(), each, direction.device_places, first, second});
}

void Halo::pack(const Buffer &array) {
  if (const void *memory = device_.host_memory(array)) {
    device_.finish();
    const auto gather_reals = precision_ == Precision::f64 ? gather<double> : gather<float>;
    gather_reals(send_.places, memory, send_.values.data());
    return;
  }
  make_kernels();
  launch("halo_pack", send_, array, send_.packed);
  device_.read(send_.packed, send_.values.data(), send_.values.size());
}

void Halo::unpack(const Buffer &array) {
  if (void *memory = device_.host_memory(array)) {
    const auto scatter_reals = precision_ == Precision::f64 ? scatter<double> : scatter<float>;
    scatter_reals(receive_.places, receive_.values.data(), memory);
    return;
  }
  device_.write(receive_.packed, receive_.values.data(), receive_.values.size());
  launch("halo_unpack", receive_, array, receive_.packed);
}

void Halo::forget(const Buffer &array) {
  if (receive_.count() == 0)
    return;
  device_.finish();
  const auto fill = [&]<typename Real>(Real nan) {
    auto *values = reinterpret_cast<Real *>(receive_.values.data());
    std::fill(values, values + receive_.count(), nan);
  };
  if (precision_ == Precision::f64)
    fill(std::numeric_limits<double>::quiet_NaN());
  else
    fill(std::numeric_limits<float>::quiet_NaN());
  unpack(array);
}

HaloCounts Halo::counts() const {
  return {std::int64_t(send_.pieces.size()), std::int64_t(send_.values.size())};
}

void Halo::begin(const Buffer &array) {
  require(!exchange_, "one exchange at a time");
  require(array->bytes >= least_bytes_, "an array has room for its ghosts");
  if (send_.count() + receive_.count() > 0)
    pack(array); // nothing that is queued looks at the ghosts after it
  exchange_.emplace(ranks_.start(receive_.pieces, send_.pieces));
}

void Halo::end(const Buffer &array) {
  require(exchange_.has_value(), "an exchange has begun");
  exchange_->wait();
  exchange_.reset();
  if (receive_.count() > 0)
    unpack(array);
}

} // namespace weft
