#include "op/layout/block_lists.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "kernel/text/block_layout.h"

namespace weft {

namespace {

// Cells a pass should have at least, for work-items to share.
constexpr int fewest_pass_cells = 64;
// Work-items that GPUs run together; NVIDIA's word.
constexpr int warp = 32;

// The list of one pass, appended to `list`. `first`, `end`: its lane groups, counted in the plan.
// `nodes`: the family's numbers, [group, node, lane], before they are reordered.
struct PassMaker {
  const LaneGroups &groups;
  int num_nodes = 0, num_slots = 0;

  // Entries of each node of the block that the pass contributes to, in the order of the groups.
  std::vector<std::vector<std::uint16_t>> entries_by_node(const HostArray<std::uint16_t> &nodes,
                                                          std::int64_t first,
                                                          std::int64_t end) const {
    std::vector<std::vector<std::uint16_t>> by_node;
    const int lanes = groups.lanes;
    for (std::int64_t g = first; g < end; ++g)
      for (int l = 0; l < lanes; ++l) {
        if (groups.cells[g * lanes + l] < 0)
          continue;
        for (int i = 0; i < num_nodes; ++i) {
          const std::uint16_t node = nodes[(g * num_nodes + i) * lanes + l];
          if (node >= by_node.size())
            by_node.resize(node + std::size_t{1});
          by_node[node].push_back(
              static_cast<std::uint16_t>(i * num_slots + (g - first) * lanes + l));
        }
      }
    return by_node;
  }

  // {nodes, columns}.
  std::pair<int, int> append(std::vector<std::uint16_t> &list,
                             const std::vector<std::vector<std::uint16_t>> &by_node) const {
    std::vector<int> order;
    for (std::size_t n = 0; n < by_node.size(); ++n)
      if (!by_node[n].empty())
        order.push_back(static_cast<int>(n));
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return by_node[a].size() > by_node[b].size(); });
    const std::size_t columns = order.empty() ? 0 : by_node[order[0]].size();
    for (const int n : order)
      list.push_back(static_cast<std::uint16_t>(n));
    const std::size_t starts = list.size();
    list.resize(starts + columns + 1, 0);
    for (std::size_t j = 0; j < columns; ++j) {
      std::size_t next = list[starts + j];
      for (auto n = order.begin(); n != order.end() && by_node[*n].size() > j; ++n, ++next)
        list.push_back(by_node[*n][j]);
      list[starts + j + 1] = static_cast<std::uint16_t>(next);
    }
    return {static_cast<int>(order.size()), static_cast<int>(columns)};
  }
};

// A block's node numbers from [group, node, lane] to [node, group, lane].
void reorder_nodes(HostArray<std::uint16_t> &nodes, const LaneGroups &groups, int num_nodes,
                   std::int64_t first, std::int64_t count) {
  const int lanes = groups.lanes;
  std::vector<std::uint16_t> reordered(count * num_nodes * lanes);
  for (std::int64_t g = 0; g < count; ++g)
    for (int i = 0; i < num_nodes; ++i)
      for (int l = 0; l < lanes; ++l) {
        const int own = groups.cells[(first + g) * lanes + l] >= 0 ? l : 0;
        reordered[(i * count + g) * lanes + l] = nodes[((first + g) * num_nodes + i) * lanes + own];
      }
  std::copy(reordered.begin(), reordered.end(), nodes.begin() + first * num_nodes * lanes);
}

} // namespace

int most_groups_a_block(const BlockPlan &plan, int num_families) {
  int most = 0;
  for (int b = 0; b < plan.num_blocks; ++b)
    most = std::max(most, plan.blocks[std::size_t(b) * block_row_entries(num_families) + 1]);
  return most;
}

BlockLists make_block_lists(BlockPlan &plan, const std::vector<int> &num_nodes,
                            const std::vector<bool> &wanted, const BlockGroupSizes &sizes) {
  const int num_families = static_cast<int>(num_nodes.size());
  BlockLists result;
  result.lists.resize(num_families);
  result.passes.reserve(std::size_t(plan.num_blocks) * sizes.num_passes * num_families *
                        block_pass_entries);
  for (int b = 0; b < plan.num_blocks; ++b) {
    const std::int32_t *row = &plan.blocks[std::size_t(b) * block_row_entries(num_families)];
    const std::int64_t end_group = std::int64_t{row[0]} + row[1];
    for (int pass = 0; pass < sizes.num_passes; ++pass)
      for (int f = 0; f < num_families; ++f) {
        std::vector<std::uint16_t> &list = result.lists[f];
        require(list.size() < std::size_t{1} << 31, "lists of blocks have 32-bit places");
        const auto offset = static_cast<std::int32_t>(list.size());
        std::pair<int, int> counts{0, 0};
        if (wanted[f]) {
          const PassMaker maker{plan.groups, num_nodes[f], sizes.pass_groups * plan.groups.lanes};
          const std::int64_t first =
              std::min(end_group, row[0] + std::int64_t{pass} * sizes.pass_groups);
          const std::int64_t end = std::min(end_group, first + sizes.pass_groups);
          counts = maker.append(list, maker.entries_by_node(plan.nodes[f], first, end));
        }
        result.passes.insert(result.passes.end(), {offset, counts.first, counts.second});
      }
    for (int f = 0; f < num_families; ++f)
      reorder_nodes(plan.nodes[f], plan.groups, num_nodes[f], row[0], row[1]);
  }
  return result;
}

BlockListCounts count_block_lists(const CellSet &cells, const NodeMapSet &map,
                                  std::int64_t num_nodes, int leaves, int lanes,
                                  const BlockGroupSizes &sizes) {
  const int cell_nodes = map.element.num_nodes();
  const std::int64_t num_leaves = static_cast<std::int64_t>(cells.leaf_offset.size()) - 1;
  std::vector<std::int32_t> last_pass(num_nodes, -1); // that a node was met in
  std::vector<std::int32_t> num_seen(num_nodes, 0);   // in it
  BlockListCounts counts;
  std::int32_t pass = 0;
  for (std::int64_t leaf = 0; leaf < num_leaves; leaf += leaves) {
    const std::int64_t first = cells.leaf_offset[leaf];
    const std::int64_t num_cells = cells.leaf_offset[std::min(num_leaves, leaf + leaves)] - first;
    // As in append_spread_groups(): lane l has a part of consecutive cells.
    const std::int64_t part = num_cells / lanes, longer = num_cells % lanes;
    const std::int64_t num_groups = part + (longer > 0 ? 1 : 0);
    for (std::int64_t group = 0; group < num_groups; group += sizes.pass_groups, ++pass) {
      std::int64_t nodes = 0, entries = 0;
      std::int32_t columns = 0;
      for (std::int64_t l = 0; l < lanes; ++l) {
        const std::int64_t begin = first + l * part + std::min(l, longer);
        const std::int64_t count = part + (l < longer ? 1 : 0);
        const std::int64_t end = begin + std::min(count, group + sizes.pass_groups);
        for (std::int64_t i = (begin + group) * cell_nodes; i < end * cell_nodes; ++i, ++entries) {
          const std::int32_t node = map.nodes[i];
          if (last_pass[node] != pass) {
            last_pass[node] = pass;
            num_seen[node] = 0;
            ++nodes;
          }
          columns = std::max(columns, ++num_seen[node]);
        }
      }
      counts.nodes += nodes;
      counts.bytes += 2 * (nodes + columns + 1 + entries);
    }
  }
  return counts;
}

BlockGroupSizes choose_block_group(std::int64_t stage_bytes, std::int64_t row_bytes_a_cell,
                                   int most_groups, int lanes, int threads,
                                   std::int64_t local_bytes) {
  const std::int64_t group_bytes = row_bytes_a_cell * lanes;
  // Entries of lists count node * slots + slot with 16 bits; a row is at least four bytes.
  const std::int64_t most_by_entries =
      std::numeric_limits<std::uint16_t>::max() / (row_bytes_a_cell / 4 * lanes);
  const auto fitting = [&](std::int64_t bytes) {
    return std::min({std::int64_t{most_groups}, bytes / group_bytes, most_by_entries});
  };
  const std::int64_t enough =
      std::min<std::int64_t>(most_groups, std::max(1, fewest_pass_cells / lanes));
  BlockGroupSizes sizes;
  sizes.staged = fitting(local_bytes - stage_bytes) >= enough;
  const std::int64_t fits = fitting(sizes.staged ? local_bytes - stage_bytes : local_bytes);
  if (fits < 1)
    throw Error(ErrorKind::unsupported,
                {.what = "strategy \"block\" by work-groups for this element",
                 .found = fmt::format("{} bytes of element vectors a lane group", group_bytes),
                 .allowed = fmt::format("{} bytes of local memory", local_bytes),
                 .remedy = "use strategy \"cell\", or fewer lanes"});
  // As few passes as possible, all of about the same size.
  sizes.num_passes = static_cast<int>((most_groups + fits - 1) / fits);
  sizes.pass_groups = (most_groups + sizes.num_passes - 1) / sizes.num_passes;
  sizes.threads = std::min(threads, (sizes.pass_groups + warp - 1) / warp * warp);
  return sizes;
}

} // namespace weft
