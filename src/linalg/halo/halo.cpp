#include "linalg/halo/halo.h"

#include "base/embedded.h"
#include "base/error.h"
#include "base/precision_name.h"
#include "device/dialect.h"
#include "linalg/launch_sizes.h"

namespace weft {

Halo::Halo(Device &device, Communicator &ranks, const HaloPlaces &places, Precision precision)
    : device_(device), ranks_(ranks), precision_(precision),
      send_(make_direction(places, &HaloPlaces::Peer::send)),
      receive_(make_direction(places, &HaloPlaces::Peer::receive)) {
  if (send_.count + receive_.count > 0)
    program_ = device.build({.name = "halo_" + to_string(precision),
                             .text = program_head(device.info().backend, precision, 1) +
                                     embedded_text("kernels/vector/halo.kernel"),
                             .kernels = {"halo_pack", "halo_unpack"}});
}

Halo::Direction Halo::make_direction(const HaloPlaces &places,
                                     std::vector<std::int32_t> HaloPlaces::Peer::*which) {
  Direction direction;
  std::vector<std::int32_t> all;
  for (const HaloPlaces::Peer &peer : places.peers)
    all.insert(all.end(), (peer.*which).begin(), (peer.*which).end());
  direction.count = static_cast<std::int64_t>(all.size());
  const std::size_t each = size_bytes(precision_);
  direction.host.resize(all.size() * each);
  direction.places = upload(device_, all, "places of a halo");
  direction.packed = device_.allocate(direction.host.size(), "halo");
  std::byte *data = direction.host.data();
  for (const HaloPlaces::Peer &peer : places.peers) {
    const std::size_t bytes = (peer.*which).size() * each;
    if (bytes > 0)
      direction.pieces.push_back({peer.rank, data, bytes});
    data += bytes;
  }
  return direction;
}

void Halo::launch(const char *kernel, const Direction &direction, const Buffer &first,
                  const Buffer &second) {
  const bool is_cpu = device_.info().is_cpu;
  const std::int64_t each = is_cpu ? 1024 : 1, group_size = is_cpu ? 1 : 64;
  device_.launch(program_, kernel,
                 {.groups = rounded_up(rounded_up(direction.count, each), group_size),
                  .group_size = group_size},
                 {direction.count, each, direction.places, first, second});
}

HaloCounts Halo::counts() const {
  return {std::int64_t(send_.pieces.size()), std::int64_t(send_.host.size())};
}

void Halo::begin(const Buffer &array) {
  require(!exchange_, "one exchange at a time");
  if (send_.count > 0) {
    launch("halo_pack", send_, array, send_.packed);
    device_.read(send_.packed, send_.host.data(), send_.host.size());
  }
  exchange_.emplace(ranks_.start(receive_.pieces, send_.pieces));
}

void Halo::end(const Buffer &array) {
  require(exchange_.has_value(), "an exchange has begun");
  exchange_->wait();
  exchange_.reset();
  if (receive_.count > 0) {
    device_.write(receive_.packed, receive_.host.data(), receive_.host.size());
    launch("halo_unpack", receive_, array, receive_.packed);
  }
}

} // namespace weft
