#include "ranks/halo_places.h"

#include <cstring>

namespace weft {

void exchange_on_host(Communicator &ranks, const HaloPlaces &places, void *values,
                      std::size_t bytes_each) {
  auto *bytes = static_cast<std::byte *>(values);
  std::vector<std::vector<std::byte>> sent(places.peers.size()), received(places.peers.size());
  std::vector<Piece> to, from;
  for (std::size_t p = 0; p < places.peers.size(); ++p) {
    const HaloPlaces::Peer &peer = places.peers[p];
    sent[p].resize(peer.send.size() * bytes_each);
    received[p].resize(peer.receive.size() * bytes_each);
    for (std::size_t i = 0; i < peer.send.size(); ++i)
      std::memcpy(&sent[p][i * bytes_each], bytes + peer.send[i] * bytes_each, bytes_each);
    if (!sent[p].empty())
      to.push_back({peer.rank, sent[p].data(), sent[p].size()});
    if (!received[p].empty())
      from.push_back({peer.rank, received[p].data(), received[p].size()});
  }
  ranks.start(from, to).wait();
  for (std::size_t p = 0; p < places.peers.size(); ++p)
    for (std::size_t i = 0; i < places.peers[p].receive.size(); ++i)
      std::memcpy(bytes + places.peers[p].receive[i] * bytes_each, &received[p][i * bytes_each],
                  bytes_each);
}

void exchange_on_host(Communicator &ranks, const HaloPlaces &places, std::vector<double> &values) {
  exchange_on_host(ranks, places, values.data(), sizeof(double));
}

} // namespace weft
