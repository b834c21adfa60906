#include "space/shared_nodes.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "ranks/bytes.h"
#include "space/element.h"

namespace weft {

namespace {

// What a node is known by on all ranks: the numbers of the vertices of what it lies on, ascending
// and filled with -1, or that of the cell it lies in, and its place there.
struct NodeKey {
  std::array<std::int32_t, 4> on = {-1, -1, -1, -1};
  std::int32_t place = 0;
  bool operator==(const NodeKey &) const = default;
};

struct HashOfKey {
  std::size_t operator()(const NodeKey &key) const {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::int32_t number : {key.on[0], key.on[1], key.on[2], key.on[3], key.place})
      hash = (hash ^ static_cast<std::uint32_t>(number)) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }
};

// Consecutive nodes of an element that lie on one entity of the cell.
struct EntityOfCell {
  std::vector<int> vertices; // empty: in the cell
  int first = 0, count = 0;
};

std::vector<EntityOfCell> entities_of(const Element &element) {
  if (element.nodal) // all nodes are the cell's own
    return {{{}, 0, element.num_nodes()}};
  std::vector<EntityOfCell> entities;
  for (int i = 0; i < element.num_nodes(); ++i) {
    const NodeEntity &entity = element.entities[i];
    const bool inner = entity.dim == dimension(element.cell);
    if (entity.within == 0 || entities.empty())
      entities.push_back(
          {inner ? std::vector<int>{} : entity_vertices(element.cell, entity), i, 0});
    ++entities.back().count;
  }
  return entities;
}

class KeyedNodes {
public:
  KeyedNodes(const Mesh &mesh, const NodeMap &map) : mesh_(mesh), map_(map) {
    for (const NodeMapSet &set : map.sets)
      entities_.push_back(entities_of(set.element));
  }

  // Calls body(node, key, owner) for nodes of cells at the border and of ghosts, some several
  // times.
  template <typename Body> void for_each(const Body &body) const {
    const MeshShare &share = *mesh_.share;
    for (std::size_t s = 0; s < map_.sets.size(); ++s)
      for (std::int64_t c = share.sets[s].num_inner; c < mesh_.sets[s].num_cells(); ++c)
        for (const EntityOfCell &entity : entities_[s])
          visit(s, c, entity, body);
  }

private:
  template <typename Body>
  void visit(std::size_t s, std::int64_t c, const EntityOfCell &entity, const Body &body) const {
    const MeshShare &share = *mesh_.share;
    const MeshShare::Cells &cells = share.sets[s];
    NodeKey key;
    int owner = share.part;
    if (entity.vertices.empty()) {
      key.on[0] = cells.whole[c];
      key.on[1] = -2; // no vertex has the same key
      if (c >= cells.num_owned)
        owner = cells.owner[c - cells.num_owned];
    } else {
      const CellSet &set = mesh_.sets[s];
      std::array<std::pair<std::int32_t, std::int32_t>, 4> corners; // number, owner
      std::size_t n = 0;
      for (const int v : entity.vertices) {
        const std::int32_t node = set.nodes[c * set.nodes_per_cell + v];
        corners[n++] = {share.lowest(node), share.vertex_owner[node]};
      }
      std::sort(corners.begin(), corners.begin() + n);
      for (std::size_t v = 0; v < n; ++v)
        key.on[v] = corners[v].first;
      owner = corners[0].second;
    }
    // Nodes of an entity are numbered in a row, in an order that all ranks have.
    const NodeMapSet &map = map_.sets[s];
    const auto nodes = map.nodes.begin() + c * map.element.num_nodes() + entity.first;
    const std::int32_t first = *std::min_element(nodes, nodes + entity.count);
    for (int i = 0; i < entity.count; ++i) {
      key.place = nodes[i] - first;
      body(nodes[i], key, owner);
    }
  }

  const Mesh &mesh_;
  const NodeMap &map_;
  std::vector<std::vector<EntityOfCell>> entities_; // [set]
};

} // namespace

HaloPlaces shared_nodes(const Mesh &mesh, const NodeMap &map, Communicator &ranks) {
  const KeyedNodes nodes(mesh, map);
  std::vector<bool> seen(map.num_local - map.num_owned, false);
  struct Asked {
    std::vector<NodeKey> keys;
    std::vector<std::int32_t> ghosts;
  };
  std::map<int, Asked> asked;
  std::unordered_map<NodeKey, std::int32_t, HashOfKey> own;
  nodes.for_each([&](std::int32_t node, const NodeKey &key, int owner) {
    require((owner == mesh.share->part) == (node < map.num_owned), "own nodes come first");
    if (node < map.num_owned) {
      own.emplace(key, node);
    } else if (!seen[node - map.num_owned]) {
      seen[node - map.num_owned] = true;
      asked[owner].keys.push_back(key);
      asked[owner].ghosts.push_back(node);
    }
  });
  std::vector<Parcel> parcels;
  std::map<int, HaloPlaces::Peer> peers;
  for (auto &[owner, of_owner] : asked) {
    ByteWriter writer;
    writer(of_owner.keys);
    parcels.push_back({owner, writer.take()});
    peers[owner].receive = std::move(of_owner.ghosts);
  }
  for (const Parcel &parcel : ranks.deliver(std::move(parcels))) {
    std::vector<NodeKey> keys;
    ByteReader reader(parcel.bytes);
    reader(keys);
    for (const NodeKey &key : keys) {
      const auto found = own.find(key);
      require(found != own.end(), "the owner of a node has it");
      peers[parcel.rank].send.push_back(found->second);
    }
  }
  HaloPlaces places;
  for (auto &[rank, peer] : peers) {
    peer.rank = rank;
    places.peers.push_back(std::move(peer));
  }
  return places;
}

} // namespace weft
