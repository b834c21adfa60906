#include "output/canonical_order.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "op/problem/dof_layout.h"
#include "ranks/bytes.h"
#include "ranks/sums_in_order.h"

namespace weft {

namespace {

// Nodes of a whole mesh in the order in which its cells touch them first.
std::vector<std::int32_t> numbers_at_first_touch(const Mesh &mesh, const NodeMap &map) {
  std::vector<std::int32_t> numbers(map.num_local, -1);
  std::int32_t next = 0;
  std::vector<std::int64_t> cell_at;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const std::vector<std::int32_t> places = canonical_numbers(mesh, static_cast<int>(s));
    const std::int32_t first = places.empty() ? 0 : *std::min_element(places.begin(), places.end());
    cell_at.resize(places.size());
    for (std::size_t c = 0; c < places.size(); ++c)
      cell_at[places[c] - first] = static_cast<std::int64_t>(c);
    const NodeMapSet &set = map.sets[s];
    const int n = set.element.num_nodes();
    for (const std::int64_t c : cell_at)
      for (int i = 0; i < n; ++i)
        if (std::int32_t &number = numbers[set.nodes[c * n + i]]; number < 0)
          number = next++;
  }
  require(next == map.num_local, "cells touch every node");
  return numbers;
}

// All: the same of the own nodes of a part, whose rank has all cells that touch them.
std::vector<std::int32_t> numbers_at_first_touch(const Mesh &part, const NodeMap &map,
                                                 Communicator &ranks) {
  std::int64_t most = 1; // nodes of a cell
  for (const NodeMapSet &set : map.sets)
    most = std::max<std::int64_t>(most, set.element.num_nodes());
  // Nodes are in the order of their first cells, then of their places there.
  std::vector<std::int64_t> first(map.num_owned, part.share->num_whole_cells * most);
  for (std::size_t s = 0; s < map.sets.size(); ++s) {
    const NodeMapSet &set = map.sets[s];
    const int n = set.element.num_nodes();
    for (std::size_t i = 0; i < set.nodes.size(); ++i)
      if (const std::int32_t node = set.nodes[i]; node < map.num_owned)
        first[node] = std::min(first[node], part.share->sets[s].whole[i / n] * most +
                                                static_cast<std::int64_t>(i % n));
  }
  const SumsInOrder sums = sums_in_order({.num_numbers = part.share->num_whole_cells * most,
                                          .number = std::move(first),
                                          .count = std::vector<std::int64_t>(map.num_owned, 1)},
                                         ranks);
  return {sums.before.begin(), sums.before.end()};
}

// Values that are sent or were received.
class PackedValues {
public:
  explicit PackedValues(std::vector<std::byte> &bytes) : bytes_(bytes) {}
  void add(const double *values, std::int64_t count) {
    const auto *from = reinterpret_cast<const std::byte *>(values);
    bytes_.insert(bytes_.end(), from, from + count * sizeof(double));
  }
  void take(double *values, std::int64_t count) {
    const std::size_t size = count * sizeof(double);
    require(taken_ + size <= bytes_.size(), "ranks send all values of their cells");
    if (size > 0)
      std::memcpy(values, bytes_.data() + taken_, size);
    taken_ += size;
  }

private:
  std::vector<std::byte> &bytes_;
  std::size_t taken_ = 0;
};

// All: a process alone has its parcel already.
std::vector<Parcel> deliver(Communicator *ranks, std::vector<Parcel> parcels) {
  return ranks ? ranks->deliver(std::move(parcels)) : std::move(parcels);
}

} // namespace

CanonicalOrder::CanonicalOrder(const Discretisation &d) : d_(d), shared_nodes_(d.maps.size()) {
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s)
    num_cells_.push_back(sum(d.ranks, num_own_cells(*d.mesh, s)));
  cells_ = gather_cells();
  for (const int map : d.field_map)
    if (!d.maps[map].discontinuous && shared_nodes_[map].empty())
      shared_nodes_[map] = numbers_of_nodes(d.maps[map]);
}

// [rank][own node]: on the first rank of all, on others nothing.
CanonicalOrder::NodesOfRanks CanonicalOrder::numbers_of_nodes(const NodeMap &map) const {
  if (!d_.ranks)
    return {numbers_at_first_touch(*d_.mesh, map)};
  ByteWriter writer;
  writer(numbers_at_first_touch(*d_.mesh, map, *d_.ranks));
  NodesOfRanks numbers(d_.ranks->size()); // not empty on other ranks
  for (const Parcel &parcel : d_.ranks->deliver({{0, writer.take()}})) {
    ByteReader reader(parcel.bytes);
    reader(numbers[parcel.rank]);
  }
  return numbers;
}

std::vector<CanonicalOrder::OwnCells> CanonicalOrder::gather_cells() const {
  std::vector<OwnCells> cells(is_first() && d_.ranks ? d_.ranks->size() : 1);
  std::int64_t first = 0;
  for (std::size_t s = 0; s < num_cells_.size(); ++s) {
    const std::vector<std::int32_t> numbers = canonical_numbers(*d_.mesh, static_cast<int>(s));
    const auto *bytes = reinterpret_cast<const std::byte *>(numbers.data());
    for (const Parcel &parcel :
         deliver(d_.ranks, {{0, {bytes, bytes + numbers.size() * sizeof(std::int32_t)}}})) {
      std::vector<std::int32_t> &of_rank = cells[parcel.rank].emplace_back();
      of_rank.resize(parcel.bytes.size() / sizeof(std::int32_t));
      if (!of_rank.empty())
        std::memcpy(of_rank.data(), parcel.bytes.data(), parcel.bytes.size());
      for (std::int32_t &cell : of_rank)
        cell -= static_cast<std::int32_t>(first);
    }
    first += num_cells_[s];
  }
  return cells;
}

// Calls body(node, count) for the nodes of a rank's cells, one cell after the other, as files
// number them.
template <typename Body> void CanonicalOrder::for_each_of_file(int map, int rank, Body body) const {
  std::int64_t first = 0;
  for (std::size_t s = 0; s < num_cells_.size(); ++s) {
    const std::int64_t n = d_.maps[map].sets[s].element.num_nodes();
    for (const std::int32_t cell : cells_[rank][s])
      body(first + cell * n, n);
    first += num_cells_[s] * n;
  }
}

// The same nodes in the same order, as this rank numbers them: those of own cells begin each set.
template <typename Body> void CanonicalOrder::for_each_here(int map, Body body) const {
  for (std::size_t s = 0; s < d_.mesh->sets.size(); ++s)
    if (const NodeMapSet &set = d_.maps[map].sets[s]; num_own_cells(*d_.mesh, s) > 0)
      body(std::int64_t{set.nodes.front()}, set.element.num_nodes() * num_own_cells(*d_.mesh, s));
}

void CanonicalOrder::to_file(int map, int components, const double *here, double *of_file) const {
  Parcel parcel;
  PackedValues packed(parcel.bytes);
  if (const NodesOfRanks &numbers = shared_nodes_[map]; !numbers.empty()) {
    packed.add(here, d_.maps[map].num_owned * components);
    std::vector<Parcel> parcels;
    parcels.push_back(std::move(parcel));
    for (Parcel &arrived : deliver(d_.ranks, std::move(parcels))) {
      PackedValues values(arrived.bytes);
      for (const std::int32_t node : numbers[arrived.rank])
        values.take(of_file + std::int64_t{node} * components, components);
    }
    return;
  }
  for_each_here(map, [&](std::int64_t node, std::int64_t count) {
    packed.add(here + node * components, count * components);
  });
  std::vector<Parcel> parcels;
  parcels.push_back(std::move(parcel));
  for (Parcel &arrived : deliver(d_.ranks, std::move(parcels))) {
    PackedValues values(arrived.bytes);
    for_each_of_file(map, arrived.rank, [&](std::int64_t node, std::int64_t count) {
      values.take(of_file + node * components, count * components);
    });
  }
}

void CanonicalOrder::from_file(int map, int components, const double *of_file, double *here) const {
  std::vector<Parcel> parcels;
  if (const NodesOfRanks &numbers = shared_nodes_[map]; !numbers.empty()) {
    for (int rank = 0; is_first() && rank < static_cast<int>(numbers.size()); ++rank) {
      PackedValues packed(parcels.emplace_back(Parcel{rank, {}}).bytes);
      for (const std::int32_t node : numbers[rank])
        packed.add(of_file + std::int64_t{node} * components, components);
    }
    for (Parcel &arrived : deliver(d_.ranks, std::move(parcels)))
      PackedValues(arrived.bytes).take(here, d_.maps[map].num_owned * components);
    return;
  }
  for (int rank = 0; is_first() && rank < static_cast<int>(cells_.size()); ++rank) {
    PackedValues packed(parcels.emplace_back(Parcel{rank, {}}).bytes);
    for_each_of_file(map, rank, [&](std::int64_t node, std::int64_t count) {
      packed.add(of_file + node * components, count * components);
    });
  }
  for (Parcel &arrived : deliver(d_.ranks, std::move(parcels))) {
    PackedValues values(arrived.bytes);
    for_each_here(map, [&](std::int64_t node, std::int64_t count) {
      values.take(here + node * components, count * components);
    });
  }
}

// Calls body(map, components, first dof here, first one in files) for each field.
template <typename Body> void CanonicalOrder::for_each_field(Body body) const {
  std::int64_t of_file = 0;
  for (std::size_t f = 0; f < d_.form.fields.size(); ++f) {
    const int map = d_.field_map[f], components = d_.form.fields[f].components();
    body(map, components, d_.field_offset[f], is_first() ? of_file : 0);
    of_file += d_.maps[map].num_global * components;
  }
}

std::vector<double> CanonicalOrder::to_file(const std::vector<double> &state) const {
  require(static_cast<std::int64_t>(state.size()) == d_.num_local, "a state is of this rank");
  std::vector<double> of_file(is_first() ? d_.num_global : 0);
  for_each_field([&](int map, int components, std::int64_t here, std::int64_t there) {
    to_file(map, components, state.data() + here, of_file.data() + there);
  });
  return of_file;
}

std::vector<double> CanonicalOrder::from_file(const std::vector<double> &of_file) const {
  require(!is_first() || static_cast<std::int64_t>(of_file.size()) == d_.num_global,
          "a state of a file is of all ranks");
  std::vector<double> state(d_.num_local);
  for_each_field([&](int map, int components, std::int64_t here, std::int64_t there) {
    from_file(map, components, of_file.data() + there, state.data() + here);
  });
  if (d_.ranks && !d_.law)
    return state_of_entries(d_, own_entries(d_, state));
  return state;
}

std::vector<double> CanonicalOrder::nodes_to_file(const std::vector<double> &values) const {
  std::vector<double> of_file(is_first() ? d_.map_of_field(0).num_global : 0);
  to_file(d_.field_map[0], 1, values.data(), of_file.data());
  return of_file;
}

std::vector<double> CanonicalOrder::nodes_from_file(const std::vector<double> &of_file) const {
  std::vector<double> values(d_.map_of_field(0).num_local);
  from_file(d_.field_map[0], 1, of_file.data(), values.data());
  return values;
}

} // namespace weft
