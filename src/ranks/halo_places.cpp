#include "ranks/halo_places.h"

namespace weft {

void exchange_on_host(Communicator &ranks, const HaloPlaces &places, std::vector<double> &values) {
  std::vector<std::vector<double>> sent, received;
  std::vector<Piece> to, from;
  for (const HaloPlaces::Peer &peer : places.peers) {
    std::vector<double> &out = sent.emplace_back();
    for (const std::int32_t place : peer.send)
      out.push_back(values[place]);
    received.emplace_back(peer.receive.size());
  }
  for (std::size_t p = 0; p < places.peers.size(); ++p) {
    const int rank = places.peers[p].rank;
    if (!sent[p].empty())
      to.push_back({rank, sent[p].data(), sent[p].size() * sizeof(double)});
    if (!received[p].empty())
      from.push_back({rank, received[p].data(), received[p].size() * sizeof(double)});
  }
  ranks.start(from, to).wait();
  for (std::size_t p = 0; p < places.peers.size(); ++p)
    for (std::size_t i = 0; i < received[p].size(); ++i)
      values[places.peers[p].receive[i]] = received[p][i];
}

} // namespace weft
