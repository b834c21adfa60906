#include "ranks/shared_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "ranks/bytes.h"
#include "ranks/first_numbers.h"

namespace weft {

namespace {

std::vector<std::int64_t> multiplied(const std::vector<std::int64_t> &numbers,
                                     std::int64_t factor) {
  std::vector<std::int64_t> result;
  result.reserve(numbers.size());
  for (const std::int64_t number : numbers)
    result.push_back(number * factor);
  return result;
}

} // namespace

int SharedRows::owner(std::int64_t number) const {
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), number) - first.begin()) - 1;
}

SharedRows share_rows(Communicator &ranks, std::int64_t num_own, std::vector<std::int64_t> ghosts) {
  SharedRows rows = {
      .ranks = &ranks, .first = first_numbers(ranks, num_own), .ghosts = std::move(ghosts)};
  std::map<int, HaloPlaces::Peer> peers;
  std::map<int, std::vector<std::int64_t>> wanted;
  for (std::size_t g = 0; g < rows.ghosts.size(); ++g) {
    const int rank = rows.owner(rows.ghosts[g]);
    require(rank != ranks.rank() && rank < ranks.size(), "ghosts are rows of other ranks");
    peers[rank].receive.push_back(static_cast<std::int32_t>(num_own + g));
    wanted[rank].push_back(rows.ghosts[g]);
  }
  std::vector<Parcel> requests;
  for (const auto &[rank, numbers] : wanted) {
    ByteWriter write;
    write(numbers);
    requests.push_back({rank, write.take()});
  }
  for (const Parcel &request : ranks.deliver(std::move(requests))) {
    std::vector<std::int64_t> numbers;
    ByteReader read(request.bytes);
    read(numbers);
    for (const std::int64_t number : numbers)
      peers[request.rank].send.push_back(
          static_cast<std::int32_t>(number - rows.first[ranks.rank()]));
  }
  for (auto &[rank, peer] : peers) {
    peer.rank = rank;
    rows.halo.peers.push_back(std::move(peer));
  }
  return rows;
}

SharedRows rows_of_nodes(const SharedRows &nodes, int components) {
  SharedRows rows = {.ranks = nodes.ranks, .first = multiplied(nodes.first, components)};
  for (const std::int64_t node : nodes.ghosts)
    for (int k = 0; k < components; ++k)
      rows.ghosts.push_back(node * components + k);
  for (const HaloPlaces::Peer &of_nodes : nodes.halo.peers) {
    HaloPlaces::Peer peer = {.rank = of_nodes.rank};
    for (int k = 0; k < components; ++k) {
      for (const std::int32_t node : of_nodes.send)
        peer.send.push_back(node * components + k);
      for (const std::int32_t node : of_nodes.receive)
        peer.receive.push_back(node * components + k);
    }
    rows.halo.peers.push_back(std::move(peer));
  }
  return rows;
}

SharedRows nodes_of_rows(const SharedRows &rows, int components) {
  SharedRows nodes = {.ranks = rows.ranks};
  for (const std::int64_t first : rows.first)
    nodes.first.push_back(first / components);
  for (std::size_t g = 0; g < rows.ghosts.size(); g += components)
    nodes.ghosts.push_back(rows.ghosts[g] / components);
  // Both sides list the rows of a node in the same order: one of each is enough.
  const auto nodes_of = [&](const std::vector<std::int32_t> &places) {
    std::vector<std::int32_t> of;
    for (const std::int32_t place : places)
      if (place % components == 0)
        of.push_back(place / components);
    return of;
  };
  for (const HaloPlaces::Peer &peer : rows.halo.peers)
    nodes.halo.peers.push_back(
        {.rank = peer.rank, .send = nodes_of(peer.send), .receive = nodes_of(peer.receive)});
  return nodes;
}

} // namespace weft
