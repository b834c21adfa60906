#include "op/weak_form/form_cost.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "kernel/cell/argument_list.h"
#include "kernel/text/block_layout.h"
#include "linalg/vector_cost.h"

namespace weft {

namespace {

constexpr double block_index_bytes = 2; // node numbers within a block

using Kind = NodalInput::Kind;

// Lane groups that work is done for: by planes, work-items without one of their own repeat the
// last.
std::int64_t groups_done(const CellIntegral &in, const KernelVariant &variant,
                         const PartCounts &counts) {
  const std::int64_t of_work_group =
      in.by_planes() ? std::int64_t{variant.cells_at_once} * variant.groups_per_item : 1;
  return (counts.groups + of_work_group - 1) / of_work_group * of_work_group;
}

// Adds up the cost of one launch.
class CostOfLaunch {
public:
  CostOfLaunch(const CellIntegral &in, const KernelVariant &variant, const PartCounts &counts,
               const CellCost &cell)
      : in_(in), variant_(variant), n_(counts), cell_(cell),
        slots_(static_cast<double>(counts.groups) * in.lanes),
        done_(static_cast<double>(groups_done(in, variant, counts)) * in.lanes),
        real_(static_cast<double>(size_bytes(in.precision))) {}
  KernelCost add_up();

private:
  void add_cell_data();
  void add_global_strategy();
  void add_planes();
  void add_block();
  void add_stage_of_family(std::size_t family, const StageRecord &record);
  void add_stage_of_test(const TestField &test);
  void add_block_group();
  void add_lists_of_block_group();
  void add_block_rows();
  void add_block_outputs();

  double num_nodes(std::size_t family) const { return in_.families[family].element.num_nodes(); }
  // Nodes of all blocks, and with the spare ones.
  double block_nodes(std::size_t family) const {
    return static_cast<double>(n_.inner_nodes[family] + n_.shared_nodes[family]);
  }
  double staged_nodes(std::size_t family) const {
    return block_nodes(family) + static_cast<double>(n_.blocks) * num_nodes(family);
  }
  double reals_a_node(const NodalInput &input) const {
    return nodes_read(in_, input, n_) * input.components;
  }
  void add_local(double reals) { cost_.local_bytes += reals * real_; }

  const CellIntegral &in_;
  const KernelVariant &variant_;
  const PartCounts &n_;
  const CellCost &cell_;
  const double slots_;
  const double done_; // slots that work is done for
  const double real_;
  KernelCost cost_;
};

// What a slot reads besides nodal values.
void CostOfLaunch::add_cell_data() {
  double reals = in_.reads_coordinates() ? 0 : in_.stored_geometry_entries();
  for (const NodalInput &input : in_.inputs)
    reals += input.family < 0 ? input.components : 0;
  cost_.bytes_read += slots_ * reals * real_;
  // By planes each work-item reads them.
  const int readers = in_.by_planes() ? variant_.group_size / variant_.cells_at_once : 1;
  add_tables(cost_, in_, n_, slots_, done_ / slots_ * readers);
  if (in_.on_facets)
    cost_.bytes_read += static_cast<double>(in_.sides().size() * n_.groups) * index_bytes;
}

// Strategies cell and transposed: global node numbers, element vectors to memory.
void CostOfLaunch::add_global_strategy() {
  const bool transposed = variant_.strategy == Strategy::transposed;
  const std::vector<bool> used = families_in_use(in_, false);
  for (std::size_t f = 0; f < used.size(); ++f)
    cost_.bytes_read += used[f] ? slots_ * num_nodes(f) * index_bytes : 0;
  // Each thread of the quadrature phase reads its cell.
  const double readers = transposed ? in_.num_points() * in_.num_components() : 1;
  for (const NodalInput &input : in_.inputs)
    if (input.family >= 0 && is_read(in_, input)) {
      cost_.bytes_read += reals_a_node(input) * real_;
      cost_.memory_reads1 += done_ * readers * in_.nodes_of(input) * input.components;
      cost_.memory_places1 += reals_a_node(input);
    }
  const bool streamed = !transposed && !in_.by_planes();
  (streamed ? cost_.bytes_streamed : cost_.bytes_written) += slots_ * in_.num_rows() * real_;
  if (transposed) {
    add_local(slots_ * cell_.local_reals);
    cost_.stage_bytes = static_cast<double>(transposed_sizes(in_, variant_).batch_cells) *
                        in_.lanes * in_.num_points() * values_apart(in_, cell_.num_values) * real_;
  }
}

// What the work-items that share a cell exchange, and tables, which each work-group copies.
void CostOfLaunch::add_planes() {
  const double work_groups = static_cast<double>(integral_launch(in_, variant_, n_).groups);
  add_local(done_ * cell_.local_reals + done_ / in_.lanes * cell_.table_reads +
            work_groups * cell_.table_reals);
  cost_.stage_bytes =
      (cell_.slot_reals * variant_.cells_at_once * in_.lanes + cell_.table_reals) * real_;
}

// Rows of the table of blocks.
void CostOfLaunch::add_block_rows() {
  const std::vector<bool> used = families_in_use(in_, true);
  const auto families = std::count(used.begin(), used.end(), true);
  cost_.bytes_read += static_cast<double>(n_.blocks) * index_bytes *
                      static_cast<double>(block_head_entries + block_family_entries * families);
}

void CostOfLaunch::add_block_outputs() {
  for (const TestField &test : in_.tests)
    cost_.bytes_written += block_nodes(test.family) * test.components * real_;
}

void CostOfLaunch::add_stage_of_family(std::size_t f, const StageRecord &record) {
  if (record.reals == 0)
    return;
  const double image = static_cast<double>(image_reals);
  bool staged = false; // of values that are not coordinates
  for (std::size_t i = 0; i < in_.inputs.size(); ++i) {
    const NodalInput &input = in_.inputs[i];
    if (record.input_offset[i] < 0 || input.kind == Kind::coordinates)
      continue;
    staged = true;
    cost_.bytes_read += reals_a_node(input) * real_;
    cost_.memory_reads1 += static_cast<double>(n_.shared_nodes[f]) * input.components;
    cost_.memory_places1 += static_cast<double>(n_.shared_nodes[f]) * input.components;
    // Into records of other lengths they are copied one by one.
    if (record.reals != input.components)
      cost_.memory_alone1 += static_cast<double>(n_.shared_nodes[f]) * input.components;
    add_local(staged_nodes(f) * input.components);
  }
  if (staged)
    cost_.bytes_read += static_cast<double>(n_.shared_nodes[f]) * index_bytes;
  if (record.only_image) { // read in place; spare nodes only by slots without a cell
    cost_.bytes_read +=
        (block_nodes(f) + static_cast<double>(n_.padded_blocks) * num_nodes(f)) * image * real_;
  } else if (record.image) {
    cost_.bytes_read += staged_nodes(f) * image * real_;
    add_local(staged_nodes(f) * image);
  }
  const double reads = slots_ * num_nodes(f) * record.reals;
  if (record.reals % 4 == 0)
    cost_.stage_reads4 += reads / 4;
  else
    cost_.stage_reads1 += reads;
  add_local(reads);
  cost_.stage_bytes += staged_nodes(f) * record.reals * real_;
}

void CostOfLaunch::add_stage_of_test(const TestField &test) {
  const int reals = sum_reals(test);
  const double adds = slots_ * num_nodes(test.family) * reals;
  if (reals == 4) {
    cost_.stage_adds4 += adds / 4;
  } else {
    cost_.stage_adds2 += adds / reals * (reals / 2);
    cost_.stage_adds1 += adds / reals * (reals % 2);
  }
  cost_.operations.additions += adds;
  // Cleared, added to, written out.
  add_local(staged_nodes(test.family) * reals + 2 * adds +
            block_nodes(test.family) * test.components);
  cost_.stage_bytes += staged_nodes(test.family) * reals * real_;
}

void CostOfLaunch::add_block() {
  add_block_rows();
  const std::vector<bool> used = families_in_use(in_, true);
  for (std::size_t f = 0; f < used.size(); ++f)
    cost_.bytes_read += used[f] ? slots_ * num_nodes(f) * block_index_bytes : 0;
  const std::vector<StageRecord> records = stage_records(in_);
  for (std::size_t f = 0; f < records.size(); ++f)
    add_stage_of_family(f, records[f]);
  for (const TestField &test : in_.tests)
    add_stage_of_test(test);
  cost_.stage_bytes /= static_cast<double>(std::max<std::int64_t>(1, n_.blocks)); // on average
  add_block_outputs();
}

// Lists of the contributions to each node, and the sums by them.
void CostOfLaunch::add_lists_of_block_group() {
  const int passes = variant_.block_group->num_passes;
  std::vector<bool> listed(in_.families.size(), false);
  for (const TestField &test : in_.tests) {
    const std::size_t f = test.family;
    if (!listed[f])
      cost_.bytes_read +=
          static_cast<double>(n_.blocks * passes * block_pass_entries) * index_bytes +
          static_cast<double>(n_.list_bytes[f]);
    listed[f] = true;
    if (passes > 1)
      cost_.operations.additions += static_cast<double>(n_.list_nodes[f]) * test.components;
  }
  const double entries = static_cast<double>(n_.cells) * in_.num_rows();
  cost_.operations.additions += entries;
  cost_.stage_reads1 += entries;
  add_local(slots_ * in_.num_rows() + entries); // written by cells, read by nodes
}

void CostOfLaunch::add_block_group() {
  const BlockGroupSizes &sizes = *variant_.block_group;
  add_block_rows();
  const std::vector<bool> used = families_in_use(in_, false);
  for (std::size_t f = 0; f < used.size(); ++f)
    if (used[f])
      cost_.bytes_read += slots_ * num_nodes(f) * block_index_bytes +
                          static_cast<double>(n_.shared_nodes[f]) * index_bytes;
  double stage_reals = 0;
  for (const NodalInput &input : in_.inputs) {
    if (input.family < 0 || !is_read(in_, input))
      continue;
    cost_.bytes_read += reals_a_node(input) * real_;
    const double reads = slots_ * num_nodes(input.family) * input.components;
    if (!sizes.staged) {
      cost_.memory_reads1 += reads;
      cost_.memory_places1 += reals_a_node(input);
      continue;
    }
    const double shared = static_cast<double>(n_.shared_nodes[input.family]) * input.components;
    cost_.memory_reads1 += shared;
    cost_.memory_places1 += shared;
    cost_.stage_reads1 += reads;
    add_local(block_nodes(input.family) * input.components + reads);
    stage_reals += static_cast<double>(n_.stage_nodes[input.family]) * input.components;
  }
  cost_.stage_bytes =
      (stage_reals + static_cast<double>(in_.num_rows()) * sizes.pass_groups * in_.lanes) * real_;
  add_lists_of_block_group();
  add_block_outputs();
}

KernelCost CostOfLaunch::add_up() {
  cost_.operations = done_ * cell_.performed;
  add_cell_data();
  if (in_.by_planes())
    add_planes();
  if (variant_.strategy != Strategy::block)
    add_global_strategy();
  else if (variant_.block_group)
    add_block_group();
  else
    add_block();
  count_launch(cost_, integral_launch(in_, variant_, n_));
  cost_.private_values = in_.num_cell_inputs() + in_.rows_held();
  cost_.unrolled_points = unrolls_points(in_, cell_);
  cost_.lanes = in_.lanes;
  cost_.slots = slots_;
  return cost_;
}

} // namespace

double nodes_read(const CellIntegral &in, const NodalInput &input, const PartCounts &counts) {
  const auto on_minus = [&](const NodalInput &other) {
    return other.side == Side::minus && other.kind == input.kind && other.index == input.index;
  };
  if (input.side == Side::plus && std::any_of(in.inputs.begin(), in.inputs.end(), on_minus))
    return static_cast<double>(counts.plus_alone[input.family - in.families.size() / 2]);
  return static_cast<double>(counts.nodes[input.family]);
}

void add_tables(KernelCost &cost, const CellIntegral &in, const PartCounts &counts, double slots,
                double readers) {
  const auto real = static_cast<double>(size_bytes(in.precision));
  const auto add = [&](std::set<int> &read, const std::vector<int> &entries) {
    if (entries.empty())
      return;
    read.insert(entries.begin(), entries.end());
    cost.bytes_read += slots * index_bytes; // classes
    cost.memory_reads1 += slots * readers * static_cast<double>(entries.size());
  };
  const auto add_places = [&](const std::set<int> &read, std::int64_t classes) {
    const double places = static_cast<double>(classes) * static_cast<double>(read.size());
    cost.bytes_read += places * real;
    cost.memory_places1 += places;
  };
  std::set<int> of_cells, of_facets;
  for (const Side side : in.sides())
    add(of_cells, in.cell_table_reads(side));
  add(of_facets, in.facet_table_reads());
  add_places(of_cells, counts.cell_classes);
  add_places(of_facets, counts.facet_classes);
}

Launch integral_launch(const CellIntegral &in, const KernelVariant &variant,
                       const PartCounts &counts) {
  const auto rounded_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  switch (variant.strategy) {
  case Strategy::block:
    return {counts.blocks, variant.block_group ? variant.block_group->threads : 1};
  case Strategy::cell: {
    const std::int64_t at_once = in.by_planes() ? variant.cells_at_once : variant.group_size;
    return {rounded_up(counts.groups, at_once * variant.groups_per_item), variant.group_size};
  }
  case Strategy::transposed:
    break;
  }
  const TransposedSizes sizes = transposed_sizes(in, variant);
  return {rounded_up(counts.groups, std::int64_t{sizes.batch_cells} * variant.num_batches),
          sizes.threads};
}

KernelCost integral_cost(const CellIntegral &integral, const KernelVariant &variant,
                         const PartCounts &counts, const CellCost &cell) {
  return CostOfLaunch(integral, variant, counts, cell).add_up();
}

KernelCost integral_cost(const CellIntegral &integral, const KernelVariant &variant,
                         const PartCounts &counts) {
  return integral_cost(integral, variant, counts, cell_cost(integral, variant.strategy));
}

KernelCost gather_cost(const GatherCounts &counts, Precision precision, const Launch &launch) {
  const double real = static_cast<double>(size_bytes(precision));
  const double nodes = static_cast<double>(counts.nodes);
  const double entries = static_cast<double>(counts.entries);
  const double results = nodes * counts.components, values = entries * counts.components;
  KernelCost cost;
  cost.operations.additions = values;
  // Node, first entry (one more than nodes), entries, contributions.
  cost.bytes_read = index_bytes * (2 * nodes + 1 + entries) + real * values;
  cost.bytes_read += counts.add ? real * results : 0;
  cost.bytes_written = real * results;
  cost.memory_reads1 = values;
  cost.memory_places1 = values;
  cost.memory_alone1 = values;
  count_launch(cost, launch);
  return cost;
}

int list_entries_an_item(const DeviceInfo &device) {
  return device.is_cpu ? 256 : 1;
}

Launch list_launch(std::int64_t entries, const DeviceInfo &device) {
  const std::int64_t group_size = device.is_cpu ? 1 : 128;
  const std::int64_t per_group = group_size * list_entries_an_item(device);
  return {(entries + per_group - 1) / per_group, group_size};
}

KernelCost constrain_cost(const std::string &kernel, std::int64_t dofs, Precision precision,
                          const Launch &launch) {
  const double real = static_cast<double>(size_bytes(precision));
  const double n = static_cast<double>(dofs);
  // Reals read and written, and places by the list: a store to one first brings its line, as a read
  // does.
  double read = n, written = n, places = n;
  KernelCost cost;
  if (kernel == "constrain_take") { // stores where it has read
    written = 2 * n;
  } else if (kernel == "constrain_give_back") {
    written = 2 * n;
    places = 2 * n;
  } else if (kernel == "constrain_residual") {
    read = 2 * n;
    places = 2 * n;
    cost.operations.additions = n;
  } else {
    require(kernel == "constrain_set", "a kernel of constraints has a cost");
    read = 1;
  }
  cost.memory_reads1 = places;
  cost.memory_places1 = places;
  cost.bytes_read = n * index_bytes + read * real;
  cost.bytes_written = written * real;
  count_launch(cost, launch);
  return cost;
}

std::vector<NamedCost> constrain_costs(IntegralKind kind, std::int64_t dofs, Precision precision,
                                       const DeviceInfo &device) {
  std::vector<NamedCost> costs;
  const auto add = [&](const char *kernel) {
    if (dofs > 0)
      costs.push_back({kernel, constrain_cost(kernel, dofs, precision, list_launch(dofs, device))});
  };
  switch (kind) {
  case IntegralKind::residual:
    add("constrain_residual");
    break;
  case IntegralKind::linearised:
    add("constrain_take");
    add("constrain_give_back");
    break;
  case IntegralKind::diagonal:
    add("constrain_set");
    break;
  case IntegralKind::matrix: // of an assembled matrix, not of its kernels
    break;
  }
  return costs;
}

Operations integral_operations(const CellIntegral &integral, const KernelVariant &variant,
                               const PartCounts &counts, const CellCost &cell) {
  Operations operations = static_cast<double>(counts.cells) * cell.operations;
  if (variant.strategy == Strategy::block)
    operations.additions += static_cast<double>(counts.cells) * integral.num_rows();
  return operations;
}

} // namespace weft
