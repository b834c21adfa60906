#include "op/assembly/assembly_blocks.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "kernel/matrix/matrix_kernel.h"
#include "op/problem/dof_layout.h"

namespace weft {

namespace {

// What one block's stage holds, numbered from 0: inner entries field by field, interface entries,
// what is dropped.
struct BlockStage {
  std::vector<std::int32_t> first_entry, num_inner; // [field]: of the rows of inner nodes
  std::vector<std::int32_t> interface_indices;
  std::int64_t num_slots() const {
    std::int64_t slots = static_cast<std::int64_t>(interface_indices.size()) + 1;
    for (const std::int32_t count : num_inner)
      slots += count;
    return slots;
  }
};

class BlockMaker {
public:
  BlockMaker(const Discretisation &d, int set, const CsrPattern &pattern,
             const std::vector<NodeOwners> &owners, const std::vector<bool> &constrained)
      : d_(d), set_(set), pattern_(pattern), owners_(owners), constrained_(constrained),
        entries_(d, {set}, pattern), is_shared_row_(d.num_local, 0) {}

  // Slots of a block's cells; `map`: [group of the block][entry][lane].
  BlockStage make(const LaneGroups &groups, std::int64_t first_group, std::int64_t end_group,
                  std::uint16_t *map);

private:
  void find_rows(const LaneGroups &groups, std::int64_t first_slot, std::int64_t end_slot,
                 BlockStage &stage);
  bool is_shared(int field, std::int64_t node) const {
    return owners_[d_.field_map[field]][node] == -2;
  }

  const Discretisation &d_;
  int set_;
  const CsrPattern &pattern_;
  const std::vector<NodeOwners> &owners_;
  const std::vector<bool> &constrained_;
  EntryIndices entries_;
  std::vector<std::uint8_t> is_shared_row_; // [dof]: 1 in shared rows of the block
  std::vector<std::int32_t> shared_rows_;
};

// The ranges of inner rows, and the shared rows.
void BlockMaker::find_rows(const LaneGroups &groups, std::int64_t first_slot, std::int64_t end_slot,
                           BlockStage &stage) {
  std::vector<std::int32_t> shared;
  for (std::size_t field = 0; field < d_.form.fields.size(); ++field) {
    const NodeMap &map = d_.map_of_field(static_cast<int>(field));
    const NodeMapSet &set = map.sets[set_];
    const int n = set.element.num_nodes(), components = d_.form.fields[field].components();
    std::int32_t lowest = 0, highest = -1;
    shared.clear();
    for (std::int64_t slot = first_slot; slot < end_slot; ++slot) {
      const std::int64_t cell = groups.cells[slot];
      for (int i = 0; cell >= 0 && i < n; ++i) {
        const std::int32_t node = set.nodes[cell * n + i];
        if (is_shared(static_cast<int>(field), node)) {
          shared.push_back(node);
        } else {
          lowest = highest < 0 ? node : std::min(lowest, node);
          highest = std::max(highest, node);
        }
      }
    }
    std::sort(shared.begin(), shared.end());
    shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
    const std::int64_t first_row = d_.own_offset[field] + std::int64_t{lowest} * components;
    const std::int64_t end_row = d_.own_offset[field] + (highest + std::int64_t{1}) * components;
    stage.first_entry.push_back(
        highest < 0 ? 0 : static_cast<std::int32_t>(pattern_.row_start[first_row]));
    stage.num_inner.push_back(highest < 0 ? 0
                                          : static_cast<std::int32_t>(pattern_.row_start[end_row]) -
                                                stage.first_entry.back());
    for (const std::int32_t node : shared)
      for (int k = 0; k < components && node < map.num_owned; ++k) {
        shared_rows_.push_back(
            static_cast<std::int32_t>(d_.own_offset[field] + std::int64_t{node} * components + k));
        is_shared_row_[shared_rows_.back()] = 1;
      }
  }
}

BlockStage BlockMaker::make(const LaneGroups &groups, std::int64_t first_group,
                            std::int64_t end_group, std::uint16_t *map) {
  const int lanes = groups.lanes, rows = entries_.num_rows();
  const std::int64_t first_slot = first_group * lanes, end_slot = end_group * lanes;
  BlockStage stage;
  shared_rows_.clear();
  find_rows(groups, first_slot, end_slot, stage);
  // Indices of all entries of the block, and which interface entries it touches, in the order of
  // the rows: all that its cells have, dropped ones too, so that every index of a shared row is
  // written by somebody. A row of the whole domain is far longer than what a block touches of it.
  std::vector<std::int32_t> indices, touched, of_cell, dofs;
  for (std::int64_t slot = first_slot; slot < end_slot; ++slot) {
    if (groups.cells[slot] < 0)
      continue;
    entries_.dofs(groups.cells[slot], dofs);
    entries_.indices(dofs, of_cell);
    indices.insert(indices.end(), of_cell.begin(), of_cell.end());
    for (int i = 0; i < rows; ++i)
      if (is_shared_row_[dofs[i]])
        touched.insert(touched.end(), of_cell.begin() + std::ptrdiff_t{i} * rows,
                       of_cell.begin() + std::ptrdiff_t{i + 1} * rows);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  stage.interface_indices = std::move(touched);
  const std::int64_t dropped = stage.num_slots() - 1;
  const std::int64_t first_interface =
      dropped - static_cast<std::int64_t>(stage.interface_indices.size());
  const auto slot_of = [&stage](std::int32_t index) {
    const std::vector<std::int32_t> &all = stage.interface_indices;
    return std::lower_bound(all.begin(), all.end(), index) - all.begin();
  };
  const std::int32_t *of_slot = indices.data();
  std::vector<std::uint8_t> is_dropped(rows);
  for (std::int64_t slot = first_slot; slot < end_slot; ++slot) {
    const std::int32_t cell = groups.cells[slot];
    std::uint16_t *to =
        map + ((slot - first_slot) / lanes * rows * rows) * lanes + (slot - first_slot) % lanes;
    if (cell < 0) {
      for (int entry = 0; entry < rows * rows; ++entry)
        to[std::int64_t{entry} * lanes] = static_cast<std::uint16_t>(dropped);
      continue;
    }
    entries_.dofs(cell, dofs);
    for (int i = 0; i < rows; ++i)
      is_dropped[i] = constrained_[dofs[i]] ? 1 : 0;
    const auto is_ghost = [&](int row) { return dofs[row] >= pattern_.num_rows; };
    std::int64_t first_inner = 0;
    for (int i = 0, field = -1, end_of_field = 0; i < rows; ++i) {
      while (i >= end_of_field) { // the next field's rows
        if (field >= 0)
          first_inner += stage.num_inner[field];
        ++field;
        end_of_field += d_.map_of_field(field).sets[set_].element.num_nodes() *
                        d_.form.fields[field].components();
      }
      const std::int64_t inner = first_inner - stage.first_entry[field];
      for (int j = 0; j < rows; ++j, ++of_slot, to += lanes) {
        const std::int64_t number = is_dropped[i] || is_dropped[j] || is_ghost(i) ? dropped
                                    : is_shared_row_[dofs[i]] ? first_interface + slot_of(*of_slot)
                                                              : inner + *of_slot;
        *to = static_cast<std::uint16_t>(number);
      }
    }
  }
  for (const std::int32_t row : shared_rows_)
    is_shared_row_[row] = 0;
  return stage;
}

} // namespace

EntryIndices::EntryIndices(const Discretisation &d, const std::vector<int> &sets,
                           const CsrPattern &pattern)
    : d_(d), pattern_(pattern) {
  for (const int set : sets)
    for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
      fields_.push_back({&d.map_of_field(static_cast<int>(field)).sets[set],
                         d.form.fields[field].components(), static_cast<int>(field)});
      num_rows_ += fields_.back().set->element.num_nodes() * fields_.back().components;
    }
}

void EntryIndices::dofs(std::int64_t cell, std::vector<std::int32_t> &dofs) const {
  dofs.clear();
  for (const Field &field : fields_) {
    const int n = field.set->element.num_nodes();
    for (int i = 0; i < n; ++i) {
      const std::int64_t first = vector_dof(d_, field.number, field.set->nodes[cell * n + i], 0);
      for (int k = 0; k < field.components; ++k)
        dofs.push_back(static_cast<std::int32_t>(first + k));
    }
  }
}

void EntryIndices::indices(const std::vector<std::int32_t> &dofs,
                           std::vector<std::int32_t> &indices) const {
  indices.assign(std::int64_t{num_rows_} * num_rows_, -1);
  for (int i = 0; i < num_rows_; ++i) {
    if (dofs[i] >= pattern_.num_rows)
      continue;
    const std::int64_t start = pattern_.row_start[dofs[i]];
    const std::int64_t end = pattern_.row_start[dofs[i] + 1];
    // Rows of one node have the same columns: those of the row before are looked at first.
    const bool same_node = i > 0 && dofs[i] == dofs[i - 1] + 1;
    const std::int64_t shift = same_node ? start - pattern_.row_start[dofs[i - 1]] : 0;
    int j = 0;
    for (const Field &field : fields_)
      for (int node = 0; node < field.set->element.num_nodes(); ++node) {
        // A node's dofs follow one another in a row.
        std::int64_t index = same_node ? indices[(i - 1) * num_rows_ + j] + shift : start;
        if (index >= end || pattern_.columns[index] != dofs[j])
          index = start + pattern_.num_below(dofs[i], dofs[j]);
        for (int k = 0; k < field.components; ++k, ++j)
          indices[i * num_rows_ + j] = static_cast<std::int32_t>(index + k);
      }
  }
}

void find_indices(const EntryIndices &entries, std::int64_t num_slots, const DofsOfSlot &dofs_of,
                  const std::vector<bool> &constrained, HostArray<std::int32_t> &indices) {
  const int rows = entries.num_rows();
  const std::int64_t num_entries = std::int64_t{rows} * rows;
  indices.resize(num_slots * num_entries);
  parallel_ranges(num_slots, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<std::int32_t> dofs, of_slot;
    for (std::int64_t slot = begin; slot < end; ++slot) {
      std::int32_t *to = &indices[slot * num_entries];
      std::fill_n(to, num_entries, -1);
      if (!dofs_of(slot, dofs))
        continue;
      entries.indices(dofs, of_slot);
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < rows; ++column) // -1 in another rank's rows
          if (!constrained[dofs[row]] && !constrained[dofs[column]])
            to[row * rows + column] = of_slot[row * rows + column];
    }
  });
}

std::vector<bool> constrained_flags(const Discretisation &d) {
  std::vector<double> of_entries(d.num_local, 0);
  for (const std::int32_t dof : d.constraints.dofs)
    of_entries[dof] = 1;
  if (d.ranks)
    exchange_on_host(*d.ranks, dof_halo(d), of_entries);
  return {of_entries.begin(), of_entries.end()};
}

AssemblyBlocks make_assembly_blocks(const Discretisation &d, int set, const CsrPattern &pattern,
                                    const std::vector<NodeOwners> &owners,
                                    const std::vector<bool> &constrained, int leaves_per_block,
                                    int lanes) {
  const CellSet &cells = d.mesh->sets[set];
  const int num_fields = static_cast<int>(d.form.fields.size());
  const std::int64_t row_entries = matrix_block_row_entries(num_fields);
  AssemblyBlocks result;
  result.num_blocks = num_merged_blocks(*d.mesh, leaves_per_block)[set];
  result.groups.lanes = lanes;
  result.blocks.resize(result.num_blocks * row_entries);
  const std::int64_t leaves = static_cast<std::int64_t>(cells.leaf_offset.size()) - 1;
  for (std::int64_t b = 0; b < result.num_blocks; ++b) {
    std::int32_t *row = &result.blocks[b * row_entries];
    row[0] = static_cast<std::int32_t>(result.groups.num_groups());
    append_spread_groups(result.groups, cells.leaf_offset[b * leaves_per_block],
                         cells.leaf_offset[std::min(leaves, (b + 1) * leaves_per_block)]);
    row[1] = static_cast<std::int32_t>(result.groups.num_groups()) - row[0];
  }
  const std::int64_t rows = EntryIndices(d, {set}, pattern).num_rows(), entries = rows * rows;
  result.entry_map.resize(result.groups.cells.size() * entries);
  std::vector<BlockStage> stages(result.num_blocks);
  // A block is work enough for a thread: it counts as many times the smallest part.
  constexpr std::int64_t weight = 4096;
  parallel_ranges(result.num_blocks * weight, [&](std::int64_t from, std::int64_t to, int) {
    BlockMaker maker(d, set, pattern, owners, constrained);
    for (std::int64_t b = (from + weight - 1) / weight; b * weight < to; ++b) {
      const std::int32_t *row = &result.blocks[b * row_entries];
      stages[b] = maker.make(result.groups, row[0], row[0] + row[1],
                             &result.entry_map[row[0] * entries * lanes]);
    }
  });
  for (std::int64_t b = 0; b < result.num_blocks; ++b) {
    const BlockStage &stage = stages[b];
    std::int32_t *entry = &result.blocks[b * row_entries + matrix_block_head_entries];
    for (int f = 0; f < num_fields; ++f) {
      *entry++ = stage.first_entry[f];
      *entry++ = stage.num_inner[f];
    }
    *entry++ = static_cast<std::int32_t>(result.interface_indices.size());
    *entry++ = static_cast<std::int32_t>(stage.interface_indices.size());
    result.interface_indices.insert(result.interface_indices.end(), stage.interface_indices.begin(),
                                    stage.interface_indices.end());
    result.largest_stage = std::max(result.largest_stage, stage.num_slots());
  }
  result.fits = result.largest_stage <= most_stage_entries;
  if (!result.fits)
    result.entry_map = {};
  return result;
}

} // namespace weft
