// What kernels of the two forms of the block strategy read beside a block plan.
#include <algorithm>

#include "kernel/text/block_layout.h"
#include "op/weak_form/block_group.h"
#include "op/weak_form/form_plan.h"

namespace weft {

void FormPlan::make_block_image(Part &part, BlockPlan &plan) {
  std::vector<double> image;
  const int dim = d_.mesh->dim;
  const auto append = [&](std::int32_t node) {
    for (int k = 0; k < image_reals; ++k)
      image.push_back(k < dim ? d_.geometry.coordinates[std::int64_t{dim} * node + k] : 0);
  };
  const int row_entries = block_row_entries(static_cast<int>(families_.size()));
  const NodeMapSet &map = d_.geometry.sets[part.set];
  for (int b = 0; b < plan.num_blocks; ++b) {
    const std::int32_t *row = &plan.blocks[static_cast<std::size_t>(b) * row_entries];
    // Inner nodes, shared ones, then the first cell's.
    const std::int32_t *geometry = row + block_head_entries;
    for (std::int32_t n = 0; n < geometry[1]; ++n)
      append(geometry[0] + n);
    for (std::int32_t n = 0; n < geometry[3]; ++n)
      append(plan.shared[0][geometry[2] + n]);
    const std::int64_t first_cell = plan.groups.cells[std::int64_t{row[0]} * lanes_];
    for (int i = 0; i < map.element.num_nodes(); ++i)
      append(map.nodes[first_cell * map.element.num_nodes() + i]);
  }
  part.image = upload_reals(device_, image, settings_.precision, "coordinates of blocks");
  for (std::size_t f = 0; f < families_.size(); ++f)
    for (std::uint16_t &node : plan.nodes[f])
      node = static_cast<std::uint16_t>(node * node_unit(plan.stage_nodes[f]));
}

void FormPlan::count_block_nodes(Part &part, const BlockPlan &plan) const {
  PartCounts &counts = part.counts;
  const int row_entries = block_row_entries(static_cast<int>(families_.size()));
  counts.inner_nodes.assign(families_.size(), 0);
  counts.shared_nodes.assign(families_.size(), 0);
  for (int b = 0; b < plan.num_blocks; ++b) {
    const std::int32_t *row = &plan.blocks[static_cast<std::size_t>(b) * row_entries];
    const auto first = plan.groups.cells.begin() + std::int64_t{row[0]} * lanes_;
    const auto end = first + std::int64_t{row[1]} * lanes_;
    counts.padded_blocks += std::any_of(first, end, [](std::int32_t cell) { return cell < 0; });
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const std::int32_t *family = row + block_head_entries + block_family_entries * f;
      counts.inner_nodes[f] += family[1];
      counts.shared_nodes[f] += family[3];
    }
  }
}

void FormPlan::make_block_group(Part &part, BlockPlan &plan) {
  const int num_families = static_cast<int>(families_.size());
  const BlockGroupSizes sizes =
      block_group_sizes(block_group_need(integrals_, part, settings_), part.counts.stage_nodes,
                        most_groups_a_block(plan, num_families), settings_, device_.info());
  std::vector<int> num_nodes;
  for (const NodeMap *map : families_)
    num_nodes.push_back(map->sets[part.set].element.num_nodes());
  std::vector<bool> wanted(num_families, false);
  for (const int map : d_.field_map)
    wanted[integrals_.family_of_map(map)] = true;
  const BlockLists lists = make_block_lists(plan, num_nodes, wanted, sizes);
  part.block_group = sizes;
  part.block_passes = upload(device_, lists.passes, "passes of blocks");
  for (const std::vector<std::uint16_t> &list : lists.lists) {
    part.block_lists.push_back(upload(device_, list, "lists of contributions in blocks"));
    part.counts.list_bytes.push_back(2 * static_cast<std::int64_t>(list.size()));
  }
  part.counts.list_nodes.assign(num_families, 0);
  for (std::size_t entry = 0; entry < lists.passes.size(); entry += block_pass_entries) {
    const std::size_t f = entry / block_pass_entries % num_families;
    part.counts.list_nodes[f] += lists.passes[entry + 1];
    if (wanted[f] && lists.passes[entry + 1] == 0)
      part.counts.list_bytes[f] -= 2; // the one entry of an empty list is not read
  }
}

} // namespace weft
