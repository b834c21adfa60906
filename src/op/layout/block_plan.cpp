#include "op/layout/block_plan.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "kernel/text/block_layout.h"

namespace weft {

namespace {

std::int64_t num_leaves(const CellSet &set) {
  return static_cast<std::int64_t>(set.leaf_offset.size()) - 1;
}

// Cells of merged block b.
std::pair<std::int64_t, std::int64_t> block_cells(const CellSet &set, std::int64_t b, int merge) {
  const std::int64_t leaves = num_leaves(set);
  return {set.leaf_offset[b * merge], set.leaf_offset[std::min(leaves, (b + 1) * merge)]};
}

// A block's nodes in one family: `inner` contiguous, `shared` sorted.
struct BlockNodes {
  std::int32_t first_inner = 0, num_inner = 0;
  std::vector<std::int32_t> shared;
};

BlockNodes find_block_nodes(const std::int32_t *begin, const std::int32_t *end,
                            const NodeOwners &owners) {
  BlockNodes result;
  std::int32_t lowest = 0, highest = -1;
  for (const std::int32_t *node = begin; node != end; ++node) {
    if (owners[*node] == -2) {
      result.shared.push_back(*node);
    } else {
      lowest = highest < 0 ? *node : std::min(lowest, *node);
      highest = std::max(highest, *node);
    }
  }
  std::sort(result.shared.begin(), result.shared.end());
  result.shared.erase(std::unique(result.shared.begin(), result.shared.end()), result.shared.end());
  result.first_inner = highest < 0 ? 0 : lowest;
  result.num_inner = highest < 0 ? 0 : highest - lowest + 1;
  for (std::int32_t node = lowest; node <= highest; ++node)
    require(owners[node] == owners[lowest], "inner nodes of a block are contiguous");
  return result;
}

} // namespace

int block_room(std::int64_t nodes) {
  const std::int64_t step = nodes < 1024 ? 128 : 512;
  return static_cast<int>((nodes + step - 1) / step * step);
}

std::vector<int> num_merged_blocks(const Mesh &mesh, int leaves_per_block) {
  std::vector<int> counts;
  for (const CellSet &set : mesh.sets)
    counts.push_back(static_cast<int>((num_leaves(set) + leaves_per_block - 1) / leaves_per_block));
  return counts;
}

NodeOwners node_owners(const Mesh &mesh, const NodeMap &map, int leaves_per_block) {
  NodeOwners owners(map.num_local, -1);
  std::int32_t block = 0;
  for (std::size_t s = 0; s < mesh.sets.size(); ++s) {
    const int num_nodes = map.sets[s].element.num_nodes();
    const int blocks = num_merged_blocks(mesh, leaves_per_block)[s];
    for (int b = 0; b < blocks; ++b, ++block) {
      const auto [first, end] = block_cells(mesh.sets[s], b, leaves_per_block);
      for (std::int64_t i = first * num_nodes; i < end * num_nodes; ++i) {
        std::int32_t &owner = owners[map.sets[s].nodes[i]];
        owner = owner == -1 || owner == block ? block : -2;
        if (map.sets[s].nodes[i] >= map.num_owned)
          owner = -2;
      }
    }
  }
  return owners;
}

BlockPlan make_block_plan(const Mesh &mesh, int set, const std::vector<const NodeMap *> &families,
                          const std::vector<const NodeOwners *> &owners, int leaves_per_block,
                          int lanes) {
  const CellSet &cells = mesh.sets[set];
  const int num_blocks = num_merged_blocks(mesh, leaves_per_block)[set];
  const int num_families = static_cast<int>(families.size());
  const int row_entries = block_row_entries(num_families);
  BlockPlan plan;
  plan.num_blocks = num_blocks;
  plan.groups.lanes = lanes;
  plan.groups.cells.reserve(cells.num_cells() + num_blocks * lanes);
  plan.blocks.resize(static_cast<std::size_t>(num_blocks) * row_entries);
  for (int b = 0; b < num_blocks; ++b) {
    const auto [first, end] = block_cells(cells, b, leaves_per_block);
    std::int32_t *row = &plan.blocks[static_cast<std::size_t>(b) * row_entries];
    row[0] = static_cast<std::int32_t>(plan.groups.num_groups());
    append_spread_groups(plan.groups, first, end);
    row[1] = static_cast<std::int32_t>(plan.groups.num_groups()) - row[0];
  }
  for (int f = 0; f < num_families; ++f) {
    const NodeMapSet &map = families[f]->sets[set];
    const int num_nodes = map.element.num_nodes();
    HostArray<std::uint16_t> local(plan.groups.cells.size() * num_nodes);
    std::vector<BlockNodes> found(num_blocks);
    // A block is work enough for a thread: it counts as many times the smallest part.
    constexpr std::int64_t weight = 4096;
    parallel_ranges(num_blocks * weight, [&](std::int64_t from, std::int64_t to, int) {
      // Index of a shared node in its block's list; stays valid for one block.
      std::vector<std::int32_t> index_in_block(families[f]->num_local, -1);
      for (std::int64_t b = from / weight; b < to / weight; ++b) {
        const auto [first, end] = block_cells(cells, b, leaves_per_block);
        BlockNodes &nodes = found[b];
        nodes = find_block_nodes(&map.nodes[first * num_nodes], &map.nodes[0] + end * num_nodes,
                                 *owners[f]);
        const std::int64_t total = nodes.num_inner + static_cast<std::int64_t>(nodes.shared.size());
        require(total + num_nodes <= 65536, "a block has at most 65536 nodes");
        for (std::size_t i = 0; i < nodes.shared.size(); ++i)
          index_in_block[nodes.shared[i]] = static_cast<std::int32_t>(nodes.num_inner + i);
        const std::int32_t *row = &plan.blocks[b * row_entries];
        for (std::int64_t g = row[0]; g < row[0] + row[1]; ++g)
          for (int l = 0; l < lanes; ++l) {
            const std::int64_t cell = plan.groups.cells[g * lanes + l];
            for (int i = 0; i < num_nodes; ++i) {
              std::int64_t number = total + i; // spare node
              if (cell >= 0) {
                const std::int32_t node = map.nodes[cell * num_nodes + i];
                number = (*owners[f])[node] == -2 ? index_in_block[node] : node - nodes.first_inner;
              }
              local[(g * num_nodes + i) * lanes + l] = static_cast<std::uint16_t>(number);
            }
          }
      }
    });
    std::vector<std::int32_t> shared;
    std::int64_t first_image = 0, largest = 0;
    for (int b = 0; b < num_blocks; ++b) {
      const BlockNodes &nodes = found[b];
      std::int32_t *row = &plan.blocks[static_cast<std::size_t>(b) * row_entries +
                                       block_head_entries + block_family_entries * f];
      row[0] = nodes.first_inner;
      row[1] = nodes.num_inner;
      row[2] = static_cast<std::int32_t>(shared.size());
      row[3] = static_cast<std::int32_t>(nodes.shared.size());
      row[4] = static_cast<std::int32_t>(first_image);
      shared.insert(shared.end(), nodes.shared.begin(), nodes.shared.end());
      const std::int64_t total =
          nodes.num_inner + static_cast<std::int64_t>(nodes.shared.size()) + num_nodes;
      first_image += total;
      largest = std::max(largest, total);
    }
    plan.nodes.push_back(std::move(local));
    plan.shared.push_back(std::move(shared));
    plan.stage_nodes.push_back(block_room(largest));
  }
  return plan;
}

int choose_merge(const Mesh &mesh, int nodes_per_cell, std::int64_t target_cells,
                 std::int64_t smallest_count) {
  std::int64_t cells = 0, leaves = 0;
  for (const CellSet &set : mesh.sets) {
    cells += set.num_cells();
    leaves += num_leaves(set);
  }
  const double leaf_cells = static_cast<double>(cells) / static_cast<double>(leaves);
  int merge = 1;
  while (2 * merge <= leaf_alignment && 2 * merge * leaf_cells <= 1.2 * target_cells &&
         leaves / (2 * merge) >= smallest_count &&
         // Even if no two cells of a block shared a node its numbers would fit in 16 bits.
         2.4 * merge * leaf_cells * nodes_per_cell < 65000)
    merge *= 2;
  return merge;
}

} // namespace weft
