#include "op/assembly/assembly_plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/text/block_layout.h"
#include "op/problem/dof_layout.h"
#include "op/weak_form/constrain_program.h"

namespace weft {

namespace {

// Slots of a block's stage that it should have: large blocks share few rows, small ones stay in
// the second cache.
constexpr double target_slots = 32768;
// Entries of the matrix that cells of blocks have, over those in all: shared rows are several times
// in blocks.
constexpr double interface_ratio = 1.4;

// Indices that are looked for before they are used.
constexpr std::int64_t indices_at_once = 1 << 22;

int rows_of_cell(const Discretisation &d, int set) {
  int rows = 0;
  for (std::size_t field = 0; field < d.form.fields.size(); ++field)
    rows += d.map_of_field(static_cast<int>(field)).sets[set].element.num_nodes() *
            d.form.fields[field].components();
  return rows;
}

// Streamed: the whole lanes among what a block copies from its stage.
StageCounts count_stages(const AssemblyBlocks &blocks, int num_fields, std::int64_t real_bytes) {
  const std::int64_t lanes = blocks.groups.lanes;
  const int row_entries = matrix_block_row_entries(num_fields);
  StageCounts counts;
  for (int b = 0; b < blocks.num_blocks; ++b)
    for (int segment = 0; segment <= num_fields; ++segment) {
      const std::int32_t *entry =
          &blocks.blocks[std::int64_t{b} * row_entries + matrix_block_head_entries + 2 * segment];
      const std::int64_t before = (lanes - entry[0] % lanes) % lanes;
      counts.entries += entry[1];
      counts.streamed_values += entry[1] > before ? (entry[1] - before) / lanes * lanes : 0;
    }
  if (blocks.num_blocks > 0)
    counts.stage_bytes = static_cast<double>(real_bytes) *
                         (1 + static_cast<double>(counts.entries) / blocks.num_blocks);
  return counts;
}

} // namespace

AssemblyPlan::AssemblyPlan(Device &device, const FormIntegrals &integrals,
                           const OperatorSettings &settings, const AssemblySettings &assembly,
                           SparseMatrix &matrix)
    : FormPlan(device, integrals, settings, WithoutParts{}), assembly_(assembly), matrix_(matrix),
      blocks_(assembly.blocks.value_or(default_blocks(device.info()))) {
  if (!d_.form.c_text.empty())
    throw Error(ErrorKind::unsupported,
                {.what = "an assembled operator of pointwise functions in C text",
                 .where = "[solver] operator",
                 .found = "assembled, and [pointwise]",
                 .allowed = "matrix_free",
                 .remedy = "write f0 and f1 as expressions, whose derivatives are known"});
  constrained_ = constrained_flags(d_); // of all ranks, whatever each makes of it
  if (integrals_.has_cells()) {
    blocks_ = blocks_ && make_block_parts(assembly_.leaves_per_block);
    if (!blocks_)
      make_memory_parts();
  }
  if (integrals_.has_facets()) {
    const std::size_t first_facets = parts_.size();
    make_facet_parts();
    add_element_matrix_gather(first_facets, integrals_.has_cells());
  }
  if (integrals_.has_interior()) {
    const std::size_t first_facets = parts_.size();
    make_interior_parts();
    add_element_matrix_gather(first_facets, true);
  }
  make_constraints();
}

// False where 16 bits do not number the slots of a block, however small.
bool AssemblyPlan::make_block_parts(std::optional<int> leaves_per_block) {
  const CsrPattern &pattern = matrix_.pattern();
  std::vector<NodeOwners> owners(d_.maps.size());
  const double slots_a_cell = interface_ratio * static_cast<double>(pattern.num_entries()) /
                              static_cast<double>(d_.mesh->num_cells());
  leaves_per_block_ = leaves_per_block.value_or(
      choose_merge(*d_.mesh, 1, static_cast<std::int64_t>(target_slots / slots_a_cell),
                   blocks_a_core * std::max(1, device_.info().compute_units)));
  std::vector<AssemblyBlocks> sets;
  while (true) {
    for (const int map : d_.field_map)
      owners[map] = node_owners(*d_.mesh, d_.maps[map], leaves_per_block_);
    sets.clear();
    bool fit = true;
    for (std::size_t s = 0; fit && s < d_.mesh->sets.size(); ++s) {
      sets.push_back(make_assembly_blocks(d_, static_cast<int>(s), pattern, owners, constrained_,
                                          leaves_per_block_, lanes_));
      fit = sets.back().fits;
    }
    if (fit)
      break;
    if (leaves_per_block_ == 1)
      return false;
    leaves_per_block_ /= 2;
  }
  std::vector<std::int32_t> interface;
  const int fields = static_cast<int>(d_.form.fields.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    AssemblyBlocks &blocks = sets[s];
    for (int b = 0; b < blocks.num_blocks; ++b) // the interfaces of all sets follow one another
      blocks.blocks[std::int64_t{b} * matrix_block_row_entries(fields) + matrix_block_head_entries +
                    matrix_block_field_entries * fields] +=
          static_cast<std::int32_t>(interface.size());
    interface.insert(interface.end(), blocks.interface_indices.begin(),
                     blocks.interface_indices.end());
    Part part;
    part.set = static_cast<int>(s);
    part.groups = std::move(blocks.groups);
    part.counts.blocks = blocks.num_blocks;
    part.blocks = upload(device_, blocks.blocks, "blocks of the matrix");
    for (const NodeMap *map : families_)
      part.nodes.push_back(
          upload(device_, group_nodes(part.groups, map->sets[s]), "node numbers of cells"));
    count_cells(part);
    entry_maps_.push_back(
        upload(device_, std::move(blocks.entry_map), "places of element entries"));
    const std::int64_t largest = std::max<std::int64_t>(1, blocks.largest_stage); // of no block
    stage_entries_.push_back(
        std::min<int>(most_stage_entries, static_cast<int>((largest + 2047) / 2048 * 2048)));
    stages_.push_back(count_stages(blocks, fields, real_bytes()));
    parts_.push_back(std::move(part));
  }
  interface_entries_ =
      device_.allocate(interface.size() * real_bytes(), "border entries of blocks");
  const auto each = [&](const auto &visit) {
    for (std::size_t e = 0; e < interface.size(); ++e)
      visit(interface[e], static_cast<std::uint32_t>(e));
  };
  add_gather(make_gather_lists(pattern.num_entries(), each), {}, 1, interface_entries_, false);
  return true;
}

void AssemblyPlan::make_memory_parts() {
  add_consecutive_parts();
  add_element_matrix_gather(0, false);
}

bool AssemblyPlan::find_dofs(const Part &part, const PartNodes &nodes, std::int64_t slot,
                             std::vector<std::int32_t> &dofs) const {
  if (part.groups.cells[slot] < 0)
    return false;
  dofs.clear();
  const std::size_t num_fields = d_.form.fields.size();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int field = static_cast<int>(i % num_fields);
    const int components = d_.form.fields[field].components();
    const std::int64_t n = static_cast<std::int64_t>(nodes[i].size()) /
                           static_cast<std::int64_t>(part.groups.cells.size());
    const std::int32_t *of_slot = &nodes[i][slot / lanes_ * n * lanes_ + slot % lanes_];
    for (std::int64_t node = 0; node < n; ++node) {
      const std::int64_t first = vector_dof(d_, field, of_slot[node * lanes_], 0);
      for (int k = 0; k < components; ++k)
        dofs.push_back(static_cast<std::int32_t>(first + k));
    }
  }
  return true;
}

void AssemblyPlan::add_element_matrix_gather(std::size_t first_part, bool add) {
  std::int64_t entries = 0;
  for (std::size_t p = first_part; p < parts_.size(); ++p) {
    const CellIntegral in = describe(IntegralKind::matrix, parts_[p]);
    parts_[p].first_entry = entries;
    entries += num_matrix_slots(in, variant_of(in, parts_[p]), parts_[p].groups.num_groups()) *
               num_matrix_entries(in);
  }
  if (entries >= std::int64_t{1} << 32)
    throw Error(ErrorKind::unsupported,
                {.what = "element matrices of more than 2^32 entries on one device",
                 .found = fmt::format("{} entries", entries),
                 .remedy = "use solver.operator = \"matrix_free\", which stores none"});
  const Buffer matrices = device_.allocate(entries * real_bytes(), "element matrices");
  for (std::size_t p = first_part; p < parts_.size(); ++p)
    parts_[p].element_vectors = matrices;
  std::vector<PartNodes> nodes;
  for (std::size_t p = first_part; p < parts_.size(); ++p) {
    PartNodes &of_part = nodes.emplace_back();
    for (std::size_t side = 0; side < parts_[p].sets().size(); ++side)
      for (const int map : d_.field_map)
        of_part.push_back(nodes_of(parts_[p], side, d_.maps[map]));
  }
  const auto each = [&](const auto &visit) {
    HostArray<std::int32_t> indices;
    for (std::size_t p = first_part; p < parts_.size(); ++p) {
      const Part &part = parts_[p];
      const CellIntegral in = describe(IntegralKind::matrix, part);
      const std::int64_t width = interleave_width(in, variant_of(in, part));
      const EntryIndices entry_indices(d_, part.sets(), matrix_.pattern());
      const std::int64_t own = num_matrix_entries(in);
      const std::int64_t entries_a_cell =
          std::int64_t{entry_indices.num_rows()} * entry_indices.num_rows();
      const std::size_t num_slots = part.groups.cells.size();
      const std::size_t step = std::max<std::int64_t>(1, indices_at_once / entries_a_cell);
      for (std::size_t begin = 0; begin < num_slots; begin += step) {
        const std::size_t end = std::min(begin + step, num_slots);
        find_indices(
            entry_indices, static_cast<std::int64_t>(end - begin),
            [&](std::int64_t slot, std::vector<std::int32_t> &dofs) {
              return find_dofs(part, nodes[p - first_part], static_cast<std::int64_t>(begin) + slot,
                               dofs);
            },
            constrained_, indices);
        const std::int32_t *index = indices.data();
        for (auto slot = static_cast<std::int64_t>(begin); slot < static_cast<std::int64_t>(end);
             ++slot) {
          const std::int64_t first = part.first_entry + slot / width * own * width + slot % width;
          for (std::int64_t entry = 0; entry < entries_a_cell; ++entry, ++index)
            if (*index >= 0)
              visit(*index, static_cast<std::uint32_t>(first + entry * width));
        }
      }
    }
  };
  add_gather(make_gather_lists(matrix_.pattern().num_entries(), each), {}, 1, matrices, add);
}

void AssemblyPlan::make_constraints() {
  const std::vector<std::int32_t> &dofs = d_.constraints.dofs;
  num_constrained_ = static_cast<std::int64_t>(dofs.size());
  if (num_constrained_ == 0)
    return;
  std::vector<std::int32_t> indices;
  for (const std::int32_t dof : dofs)
    indices.push_back(static_cast<std::int32_t>(matrix_.pattern().place(dof, dof)));
  diagonal_places_ = upload(device_, indices, "places of prescribed rows");
  one_ = upload_reals(device_, {1.0}, settings_.precision, "one");
  constrain_program_ = constrain_program(device_, settings_.precision);
}

void AssemblyPlan::begin() {
  // Cells leave no entry where dofs have a facet in common, but no cell.
  if (integrals_.has_interior())
    device_.fill_zero(matrix_.values(), matrix_.pattern().num_entries() * real_bytes());
}

void AssemblyPlan::finish() {
  gather({matrix_.values(), matrix_.pattern().num_entries(), settings_.precision});
  if (num_constrained_ > 0)
    device_.launch(constrain_program_, "constrain_set",
                   list_launch(num_constrained_, device_.info()),
                   {static_cast<std::int32_t>(num_constrained_), diagonal_places_, matrix_.values(),
                    one_, std::int32_t{0}});
  matrix_.values_changed();
}

std::vector<NamedCost> AssemblyPlan::finish_costs() const {
  std::vector<NamedCost> costs = gather_costs();
  if (num_constrained_ > 0)
    costs.push_back(
        {"constrain_set", constrain_cost("constrain_set", num_constrained_, settings_.precision,
                                         list_launch(num_constrained_, device_.info()))});
  const std::vector<NamedCost> change = matrix_.change_costs();
  costs.insert(costs.end(), change.begin(), change.end());
  return costs;
}

double AssemblyPlan::bytes_needed(const FormIntegrals &integrals, const OperatorSettings &settings,
                                  bool blocks) {
  const Discretisation &d = integrals.discretisation();
  const double real = static_cast<double>(size_bytes(settings.precision));
  double bytes = 0;
  for (std::size_t s = 0; integrals.has_cells() && s < d.mesh->sets.size(); ++s) {
    const double cells = static_cast<double>(d.mesh->sets[s].num_cells());
    const double rows = rows_of_cell(d, static_cast<int>(s));
    for (const NodeMap *map : integrals.families())
      bytes += 4 * cells * map->sets[s].element.num_nodes();
    // 16-bit indices; or the matrices themselves with 32-bit indices.
    bytes += cells * rows * rows * (blocks ? 2 : real + 4);
  }
  for (const InteriorGroup &group : d.interior) {
    const double rows = rows_of_cell(d, group.minus_set) + rows_of_cell(d, group.plus_set);
    bytes += static_cast<double>(group.minus_cells.size()) * rows * rows * (real + 4);
  }
  return bytes;
}

} // namespace weft
