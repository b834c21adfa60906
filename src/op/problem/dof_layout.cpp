#include "op/problem/dof_layout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "ranks/first_numbers.h"

namespace weft {

std::size_t num_varying_fields(const std::vector<FieldSpec> &fields) {
  return std::count_if(fields.begin(), fields.end(),
                       [](const FieldSpec &field) { return !field.whole_domain; });
}

std::int64_t num_border_dofs(const std::vector<FieldSpec> &fields) {
  std::int64_t dofs = 0;
  for (const FieldSpec &field : fields)
    dofs += field.whole_domain ? field.components() : 0;
  return dofs;
}

VectorLayout vector_layout(const Discretisation &d) {
  return {d.num_owned, d.num_local - d.num_owned, d.ranks};
}

HaloPlaces dof_halo(const Discretisation &d) {
  std::map<int, HaloPlaces::Peer> peers;
  for (int f = 0; d.ranks && f < static_cast<int>(d.form.fields.size()); ++f)
    for (const HaloPlaces::Peer &of_nodes : d.node_halo[d.field_map[f]].peers) {
      HaloPlaces::Peer &peer = peers[of_nodes.rank];
      peer.rank = of_nodes.rank;
      const auto append = [&](const std::vector<std::int32_t> &nodes,
                              std::vector<std::int32_t> &dofs) {
        for (const std::int32_t node : nodes)
          for (int k = 0; k < d.form.fields[f].components(); ++k)
            dofs.push_back(static_cast<std::int32_t>(vector_dof(d, f, node, k)));
      };
      append(of_nodes.send, peer.send);
      append(of_nodes.receive, peer.receive);
    }
  HaloPlaces places;
  for (auto &[rank, peer] : peers)
    places.peers.push_back(std::move(peer));
  return places;
}

void fetch_ghosts(const Discretisation &d, int map, int components, std::vector<double> &values) {
  if (!d.ranks)
    return;
  HaloPlaces places = d.node_halo[map];
  for (HaloPlaces::Peer &peer : places.peers)
    for (auto *nodes : {&peer.send, &peer.receive}) {
      std::vector<std::int32_t> entries;
      for (const std::int32_t node : *nodes)
        for (int k = 0; k < components; ++k)
          entries.push_back(node * components + k);
      *nodes = std::move(entries);
    }
  exchange_on_host(*d.ranks, places, values);
}

std::vector<std::int32_t> numbers_of_entries(const Discretisation &d) {
  if (!d.ranks)
    return {};
  const std::vector<std::int64_t> first = first_numbers(*d.ranks, d.num_owned);
  if (first.back() > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::unsupported, {.what = "rows of all processes beyond 32 bits",
                                         .allowed = "2147483647",
                                         .remedy = "use a preconditioner that needs no matrix"});
  std::vector<double> numbers(d.num_local); // exact
  std::iota(numbers.begin(), numbers.begin() + d.num_owned,
            static_cast<double>(first[d.ranks->rank()]));
  exchange_on_host(*d.ranks, dof_halo(d), numbers);
  return {numbers.begin(), numbers.end()};
}

std::vector<double> own_entries(const Discretisation &d, const std::vector<double> &state) {
  if (!d.ranks)
    return state;
  std::vector<double> entries;
  entries.reserve(d.num_owned);
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const auto first = state.begin() + d.field_offset[f];
    entries.insert(entries.end(), first,
                   first + d.map_of_field(static_cast<int>(f)).num_owned *
                               d.form.fields[f].components());
  }
  return entries;
}

std::vector<double> state_of_entries(const Discretisation &d, std::vector<double> entries) {
  if (!d.ranks)
    return entries;
  entries.resize(d.num_local);
  exchange_on_host(*d.ranks, dof_halo(d), entries);
  std::vector<double> state;
  state.reserve(d.num_local);
  for (std::size_t f = 0; f < d.form.fields.size(); ++f) {
    const NodeMap &map = d.map_of_field(static_cast<int>(f));
    const int components = d.form.fields[f].components();
    const auto own = entries.begin() + d.own_offset[f],
               ghosts = entries.begin() + d.ghost_offset[f];
    state.insert(state.end(), own, own + map.num_owned * components);
    state.insert(state.end(), ghosts, ghosts + (map.num_local - map.num_owned) * components);
  }
  return state;
}

} // namespace weft
