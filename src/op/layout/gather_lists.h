// For each node, which contributions are summed into it and in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_array.h"

namespace weft {

// Compressed rows: contributions entries[first_entry[n]] ... of node nodes[n].
struct GatherLists {
  HostArray<std::int32_t> nodes;
  HostArray<std::int32_t> first_entry; // [rows + 1]
  HostArray<std::uint32_t> entries;    // index of a contribution's first component
};

// Builds lists from pairs (node, entry) that `for_each` hands to its callback, always in the same
// order; within a row entries keep that order. `num_nodes`: nodes are below it.
template <typename ForEach>
GatherLists make_gather_lists(std::int64_t num_nodes, const ForEach &for_each) {
  std::vector<std::int32_t> next(num_nodes + 1, 0);
  for_each([&](std::int32_t node, std::uint32_t) { ++next[node + 1]; });
  GatherLists lists;
  lists.first_entry.push_back(0);
  for (std::int64_t n = 0; n < num_nodes; ++n) {
    const std::int32_t count = next[n + 1];
    next[n] = lists.first_entry.back();
    if (count > 0) {
      lists.nodes.push_back(static_cast<std::int32_t>(n));
      lists.first_entry.push_back(lists.first_entry.back() + count);
    }
  }
  lists.entries.resize(lists.first_entry.back());
  for_each([&](std::int32_t node, std::uint32_t entry) { lists.entries[next[node]++] = entry; });
  return lists;
}

} // namespace weft
