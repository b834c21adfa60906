#include "op/law/dg_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "kernel/law/dg_functions.h"
#include "kernel/law/dg_symmetry.h"
#include "op/law/fv_cost.h"

namespace weft {

namespace {

// Which values of the nodes of its groups a launch reads, as a fraction of all nodes.
class Counter {
public:
  Counter(DgStage stage, const DgKernelSpec &spec, const DgExtent &extent,
          const DgTableSizes &tables)
      : stage_(stage), spec_(spec), law_(*spec.law), in_(*spec.operators), extent_(extent),
        tables_(tables), real_(double(size_bytes(spec.precision))),
        fused_(stage == DgStage::fused) {
    std::set<int> distinct;
    for (const NodalFacet &facet : in_.facets) {
      facet_nodes_ += facet.num_points();
      distinct.insert(facet.nodes.begin(), facet.nodes.end());
    }
    outer_nodes_ = double(distinct.size());
  }

  void count(KernelCost &cost) const {
    double nodal = 0, written = 0;
    count_state(nodal, written);
    const double lanes = extent_.groups * extent_.lanes;
    cost.bytes_read += real_ * lanes * nodal + geometry() + matrices();
    for (int d = 0; d < law_.dim; ++d)
      cost.bytes_read += real_ * extent_.lanes * coordinate_positions(d);
    count_dg_writes(stage_, spec_, lanes, written, cost);
    if (reads_neighbours())
      count_facets(cost);
    if (stage_ != DgStage::lift && !law_.cell_table.empty())
      cost.bytes_read +=
          integer_bytes * lanes + real_ * tables_.cell_classes * double(law_.cell_table.size());
    if (stage_ != DgStage::lift && any_uses(law_, SymbolKind::cell_size))
      cost.bytes_read += real_ * lanes;
  }

private:
  bool reads_neighbours() const {
    return fused_ || stage_ == DgStage::flux || stage_ == DgStage::gradient;
  }
  bool by_cell() const { return dg_state_lies_by_cell(law_, static_cast<int>(extent_.lanes)); }
  bool differentiates() const { return fused_ || stage_ == DgStage::differentiate; }
  bool updates() const { return fused_ || stage_ == DgStage::update; }
  // The update loads the values at a point for them.
  bool finishes_with_values() const {
    for (int k = 0; k < law_.num_components; ++k) {
      const Node &node = law_.capacity.nodes[law_.capacity.outputs[k]];
      if (!law_.source.output_is_zero(k) || node.op != Op::constant || node.value != 1)
        return true;
    }
    return false;
  }
  // Counts reals at the nodes of a lane.
  void count_state(double &read, double &written) const;
  double coordinate_positions(int direction) const;
  double geometry() const;
  double matrices() const;
  void count_facets(KernelCost &cost) const;

  DgStage stage_;
  const DgKernelSpec &spec_;
  const ConservationLaw &law_;
  const NodalOperators &in_;
  const DgExtent &extent_;
  const DgTableSizes &tables_;
  double real_;
  bool fused_;
  double facet_nodes_ = 0; // points of all facets
  double outer_nodes_ = 0; // nodes that make values at them
};

void Counter::count_state(double &read, double &written) const {
  const double n = in_.element.num_nodes(), c = law_.num_components;
  const DgValues values = dg_values(law_);
  const bool points = finishes_with_values(),
             at_all_nodes = differentiates() || stage_ == DgStage::step || (updates() && points);
  const double nodes = at_all_nodes ? n : stage_ == DgStage::flux ? outer_nodes_ : 0;
  read += nodes * values.known;
  const bool whole_cells = by_cell() && stage_ != DgStage::lift;
  read += c * (whole_cells || updates() || stage_ == DgStage::gradient ? n : nodes);
  read += (at_all_nodes ? n : 0) * values.gradients; // with lifted jumps
  read += (fused_ || stage_ == DgStage::flux ? outer_nodes_ : 0) * values.gradients;
  if (stage_ == DgStage::lift)
    read += (n + facet_nodes_) * c;
  if (stage_ == DgStage::update)
    read += n * c; // the rate
  if (stage_ == DgStage::flux)
    written += facet_nodes_ * c;
  if (stage_ == DgStage::differentiate || stage_ == DgStage::lift)
    written += n * c;
  if (stage_ == DgStage::gradient)
    written += 2 * n * values.gradients;
  if (updates()) {
    const DgUpdate &u = spec_.update;
    read += n * c * ((u.uses_sum && u.keeps_sum) + u.uses_start);
    written += n * c * (1 + u.uses_sum);
  }
  if (stage_ == DgStage::step)
    read += 1; // the length
}

// Nodes of all groups, and points of facets where these are no nodes, of which a coordinate is
// read.
double Counter::coordinate_positions(int direction) const {
  const auto uses = [&](const PointwiseFunction &f) {
    return std::any_of(f.symbols.begin(), f.symbols.end(), [&](const Symbol &s) {
      return s.kind == SymbolKind::coordinate && s.component == direction;
    });
  };
  const bool in_cells =
      (differentiates() && uses(law_.flux)) ||
      (updates() && (uses(law_.source) || uses(law_.capacity))) ||
      (stage_ == DgStage::step && (uses(law_.wave_speed) || uses(law_.diffusivity)));
  const double inside = in_cells ? extent_.groups * in_.element.num_nodes() : 0;
  const bool apart = in_.entries() > 1;
  if (in_.element.order == 0 || !reads_neighbours() || (in_cells && !apart))
    return inside;
  if (stage_ != DgStage::gradient && uses(law_.numerical_flux))
    return inside + extent_.groups * (apart ? facet_nodes_ : outer_nodes_);
  double nodes = 0;
  for (std::size_t b = 0; b < law_.boundaries.size(); ++b) {
    const BoundaryCondition &condition = law_.boundaries[b];
    if (uses(stage_ == DgStage::gradient ? condition.outer : condition.flux))
      nodes += extent_.nodes_with[b];
  }
  return inside + nodes;
}

double Counter::geometry() const {
  const double n = in_.element.num_nodes(), dim = law_.dim, lanes = extent_.groups * extent_.lanes;
  double reals = 0;
  if (differentiates() || stage_ == DgStage::gradient)
    reals += spec_.affine ? dim * dim : n * dim * dim;
  // One over the volume.
  if (!spec_.affine && (updates() || stage_ == DgStage::gradient))
    reals += n;
  if (reads_neighbours()) {
    const double entries = dg_facet_layout(law_, in_.element.order).entries -
                           (any_uses(law_, SymbolKind::penalty) ? 0 : 1);
    reals += entries * (spec_.affine ? double(in_.facets.size()) : facet_nodes_);
  }
  return real_ * lanes * reals;
}

double Counter::matrices() const {
  const DgMatrices m = dg_matrices(in_, spec_.rows);
  double bytes = 0;
  const bool by_symmetry = dg_uses_symmetry(stage_, spec_);
  if (by_symmetry)
    bytes += real_ * dg_classes(stage_, in_, spec_.rows).entries;
  if (differentiates() && !by_symmetry)
    bytes += real_ * double(m.fast.size() + m.slow.size());
  if (stage_ == DgStage::gradient)
    bytes += real_ * double(m.strong_fast.size() + m.strong_slow.size());
  if ((fused_ || stage_ == DgStage::lift || stage_ == DgStage::gradient) && !by_symmetry)
    bytes += real_ * double(m.lift.size()) +
             integer_bytes * double(m.lift_start.size() + m.lift_column.size());
  if (reads_neighbours() && in_.entries() > 1)
    bytes += (real_ + integer_bytes) * double(m.trace.size());
  return bytes;
}

void Counter::count_facets(KernelCost &cost) const {
  const double group_facets = extent_.groups * double(in_.facets.size());
  const double lanes = extent_.lanes;
  const DgValues values = dg_values(law_);
  const double gathered = stage_ == DgStage::gradient ? values.components : values.total();
  // Where the neighbour lies and how it is turned; which conditions there are.
  cost.bytes_read += integer_bytes * group_facets * (2 * lanes + 1);
  const double row_nodes = tables_.row_points * spec_.plus_entries;
  cost.bytes_read += integer_bytes * (row_nodes + (spec_.one_cell_type ? 0 : tables_.rows));
  if (spec_.plus_entries > 1)
    cost.bytes_read += real_ * row_nodes;
  cost.bytes_read += integer_bytes * extent_.boundary_facets * lanes;
  if (!law_.cell_table.empty())
    cost.bytes_read += integer_bytes * group_facets * lanes;
  if (!law_.facet_table.empty())
    cost.bytes_read += integer_bytes * extent_.boundary_facets * lanes +
                       real_ * tables_.facet_classes * double(law_.facet_table.size());
  cost.bytes_read += real_ * extent_.outer_values * spec_.plus_entries * gathered;
  const double reads = extent_.groups * lanes * facet_nodes_ * spec_.plus_entries;
  // Rows of four, see weft_gather_states(). What the model takes for a stage is the caches that
  // hold the neighbours; spilled values lie apart from it.
  const double c = values.components;
  const bool by_rows = by_cell() && spec_.plus_entries == 1 && c >= 4;
  if (by_rows) {
    const double rows = reads * std::ceil(c / 4);
    cost.stage_reads4 += rows;
    cost.local_bytes += 4 * rows * real_;
  }
  cost.memory_reads1 += reads * (gathered - (by_rows ? c : 0));
}

} // namespace

void count_dg_writes(DgStage stage, const DgKernelSpec &spec, double slots, double reals,
                     KernelCost &cost) {
  const bool updates = stage == DgStage::fused || stage == DgStage::update;
  const double sums = updates && spec.update.uses_sum && spec.update.keeps_sum
                          ? spec.operators->element.num_nodes() * spec.law->num_components
                          : 0;
  const bool streams = spec.stream && stage != DgStage::gradient && stage != DgStage::step;
  const double bytes = double(size_bytes(spec.precision)) * slots,
               streamed = streams ? reals - sums : 0;
  cost.bytes_streamed += bytes * streamed;
  cost.bytes_written += bytes * (reals - streamed);
}

DgExtent dg_extent(const DgMesh &mesh, const DgSet &set, DgRange range, int num_conditions) {
  const DgGroups groups = set.groups_of(range);
  DgExtent extent{.groups = double(groups.count()),
                  .lanes = double(mesh.lanes),
                  .nodes_with = std::vector<double>(num_conditions)};
  const std::int64_t begin = set.first_unit + groups.begin * set.num_nodes(),
                     end = set.first_unit + groups.end * set.num_nodes(),
                     num_facets = set.num_facets();
  for (std::int64_t i = groups.begin * num_facets; i < groups.end * num_facets; ++i) {
    const int present = set.conditions[i], facet = static_cast<int>(i % num_facets);
    extent.boundary_facets += present != 0 ? 1 : 0;
    for (int b = 0; b < num_conditions; ++b)
      extent.nodes_with[b] +=
          (present >> b & 1) * (set.facet_offset[facet + 1] - set.facet_offset[facet]);
  }
  for (std::int64_t i = groups.begin * num_facets * mesh.lanes;
       i < groups.end * num_facets * mesh.lanes; ++i)
    if (set.plus_unit[i] < begin || set.plus_unit[i] >= end) {
      const int facet = static_cast<int>(i / mesh.lanes % num_facets);
      extent.outer_values += set.facet_offset[facet + 1] - set.facet_offset[facet];
    }
  return extent;
}

DgExtent with_lanes(DgExtent extent, double lanes) {
  const double factor = extent.lanes / lanes;
  extent.groups = std::ceil(extent.groups * factor);
  extent.lanes = lanes;
  return extent;
}

DgTableSizes dg_table_sizes(const DgMesh &mesh) {
  std::set<std::int32_t> cells, facets;
  std::map<std::int32_t, int> points_of_row;
  for (const DgSet &set : mesh.sets) {
    cells.insert(set.cell_class.begin(), set.cell_class.end());
    for (std::size_t i = 0; i < set.facet_class.size(); ++i) {
      const int facet = static_cast<int>(i / mesh.lanes) % set.num_facets();
      points_of_row[set.plus_row[i] / mesh.lanes] =
          set.facet_offset[facet + 1] - set.facet_offset[facet];
      if (set.conditions[i / mesh.lanes] != 0)
        facets.insert(set.facet_class[i]);
    }
  }
  double row_points = 0;
  for (const auto &[row, points] : points_of_row)
    row_points += points;
  return {.rows = double(mesh.rows.size()) / mesh.row_entries,
          .row_points = row_points,
          .cell_classes = double(cells.size()),
          .facet_classes = double(facets.size())};
}

KernelCost dg_cost(DgStage stage, const DgKernelSpec &spec, const CellCost &of_cell,
                   const DgExtent &extent, const DgTableSizes &tables, double registers) {
  KernelCost cost;
  const double slots = extent.groups * extent.lanes;
  cost.operations = slots * of_cell.performed;
  if (stage == DgStage::fused || stage == DgStage::flux || stage == DgStage::gradient)
    for (std::size_t b = 0; b < of_cell.on_boundary.size(); ++b)
      cost.operations += extent.nodes_with[b] * extent.lanes * of_cell.on_boundary[b];
  if (spec.law->finite_volume)
    count_fv_bytes(stage, spec, extent, tables, cost);
  else
    Counter(stage, spec, extent, tables).count(cost);
  if (stage == DgStage::step)
    cost.bytes_written +=
        double(size_bytes(spec.precision)) * std::ceil(extent.groups / spec.groups_per_item);
  const double c = spec.law->num_components;
  cost.slots = slots;
  cost.lanes = extent.lanes;
  cost.private_values = spec.rows * c + c + 1;
  const double spilled = cost.private_values - registers;
  if (spilled > 0 && of_cell.performed.table_multiply_adds > 0) {
    const double real = double(size_bytes(spec.precision));
    const double columns = of_cell.performed.table_multiply_adds / (spec.rows * c); // of all blocks
    cost.local_bytes += 2 * slots * spilled * columns * real;
    cost.stage_bytes = spilled * extent.lanes * real;
  }
  return cost;
}

double dg_registers(const DgKernelSpec &spec, const DeviceInfo &device) {
  if (!device.is_cpu)
    return std::numeric_limits<double>::infinity();
  const double native =
      device.native_lanes_f64 * double(sizeof(double)) / double(size_bytes(spec.precision));
  return 32 / std::max(1.0, spec.lanes / native);
}

} // namespace weft
