#include "op/levels/line_transfer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/embedded.h"
#include "base/error.h"
#include "base/parallel.h"
#include "device/dialect.h"
#include "device/lanes.h"
#include "kernel/cell/basis_tables.h"
#include "linalg/launch_sizes.h"
#include "linalg/vector_cost.h"
#include "op/layout/lane_groups.h"
#include "op/layout/number_marks.h"
#include "space/line_basis.h"

namespace weft {

namespace {

constexpr std::int64_t most_turns = 16; // CPUs

std::int64_t power(int base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i)
    result *= base;
  return result;
}

// The functions of a line of `coarse` at the nodes of one of `fine`: [fine node][coarse node].
std::vector<double> line_table(const LineBasis &fine, const LineBasis &coarse) {
  constexpr double rounding = 1e-12;
  std::vector<double> values, derivatives;
  coarse.tabulate(fine.nodes, values, derivatives);
  for (double &value : values)
    if (std::abs(value - std::round(value)) < rounding)
      value = std::round(value);
  return values;
}

// Node numbers of lane groups along the lines of their cells: [group][node][lane].
HostArray<std::int32_t> nodes_along_lines(const LaneGroups &groups, const NodeMapSet &map,
                                          const LineBasis &line) {
  HostArray<std::int32_t> nodes(groups.cells.size() * line.element_nodes.size());
  const auto num_nodes = static_cast<std::int64_t>(line.element_nodes.size());
  const int lanes = groups.lanes;
  parallel_ranges(groups.num_groups(), [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t g = begin; g < end; ++g)
      for (int l = 0; l < lanes; ++l) {
        const std::int32_t own = groups.cells[g * lanes + l];
        const std::int64_t cell = own >= 0 ? own : groups.cells[g * lanes];
        for (std::int64_t i = 0; i < num_nodes; ++i)
          nodes[(g * num_nodes + i) * lanes + l] =
              map.nodes[cell * num_nodes + line.element_nodes[i]];
      }
  });
  return nodes;
}

// The rows of P that are of a set's cells: of each node those of the first cell that meets it.
struct Rows {
  HostArray<std::int32_t> first;   // [group + 1]
  HostArray<std::int32_t> nodes;   // [row]
  HostArray<std::uint16_t> places; // [row]: in [group at once][node along lines][lane]
};

Rows take_rows(const LaneGroups &groups, const NodeMapSet &map, const LineBasis &line,
               std::int64_t groups_at_once, std::vector<bool> &is_taken) {
  const int num_nodes = map.element.num_nodes(), lanes = groups.lanes;
  std::vector<int> along_lines(num_nodes); // of the element's nodes
  for (int i = 0; i < num_nodes; ++i)
    along_lines[line.element_nodes[i]] = i;
  Rows rows;
  rows.nodes.reserve(is_taken.size());
  rows.places.reserve(is_taken.size());
  rows.first.push_back(0);
  for (std::int64_t g = 0; g < groups.num_groups(); ++g) {
    for (int l = 0; l < lanes && groups.cells[g * lanes + l] >= 0; ++l)
      for (int i = 0; i < num_nodes; ++i) {
        const std::int32_t node =
            map.nodes[std::int64_t{groups.cells[g * lanes + l]} * num_nodes + i];
        if (is_taken[node])
          continue;
        is_taken[node] = true;
        rows.nodes.push_back(node);
        rows.places.push_back(static_cast<std::uint16_t>(
            (g % groups_at_once * num_nodes + along_lines[i]) * lanes + l));
      }
    rows.first.push_back(static_cast<std::int32_t>(rows.nodes.size()));
  }
  return rows;
}

std::int64_t count_different(const std::vector<std::int32_t> &nodes, std::int64_t num) {
  NumberMarks marks(num);
  for (const std::int32_t node : nodes)
    marks.add(node);
  return marks.count();
}

// S or its inverse, 0 of prescribed dofs.
std::vector<double> weights(Device &device, const Discretisation &d,
                            const MatrixTransfer::Side &side, bool inverse) {
  std::vector<double> values(side.size, 1.0);
  if (side.scaling)
    values = get_vector(device, *side.scaling);
  if (inverse)
    for (double &value : values)
      value = 1 / value;
  for (const std::int32_t dof : d.constraints.dofs)
    values[dof] = 0;
  return values;
}

} // namespace

bool LineTransfer::suits(const Discretisation &fine, const Discretisation &coarse) {
  const auto have_lines = [](const Discretisation &d) {
    for (std::size_t field = 0; field < d.form.fields.size(); ++field) {
      const NodeMap &map = d.map_of_field(static_cast<int>(field));
      for (const NodeMapSet &set : map.sets)
        if (map.discontinuous || !has_line_basis(set.element))
          return false;
    }
    return true;
  };
  return !fine.ranks && fine.mesh == coarse.mesh && have_lines(fine) && have_lines(coarse);
}

Launch LineTransfer::Part::launch() const {
  return {rounded_up(num_groups, groups_at_once * turns), group_size};
}

std::int64_t LineTransfer::Part::coarse_nodes_a_cell() const {
  return power(coarse_line, dim);
}

std::int64_t LineTransfer::Part::fine_nodes_a_cell() const {
  return power(fine_line, dim);
}

LineTransfer::LineTransfer(Device &device, const Discretisation &fine, const Discretisation &coarse,
                           const MatrixTransfer::Side &fine_side,
                           const MatrixTransfer::Side &coarse_side)
    : device_(device), num_fine_(fine_side.size), num_coarse_(coarse_side.size),
      fine_precision_(fine_side.vectors), coarse_precision_(coarse_side.vectors) {
  require(suits(fine, coarse), "cells with lines of nodes");
  require(fine.num_local == num_fine_ && coarse.num_local == num_coarse_,
          "unknowns of the discretisations");
  const Precision real = wider(fine_precision_, coarse_precision_);
  fine_weights_ = weights(device, fine, fine_side, true);
  coarse_weights_ = make_vector(device, num_coarse_, real, "weights of a transfer");
  set_vector(device, coarse_weights_, weights(device, coarse, coarse_side, false));
  for (std::size_t field = 0; field < fine.form.fields.size(); ++field)
    add_field(fine, coarse, static_cast<int>(field));
  contributions_ = device.allocate(num_contributions_ * size_bytes(coarse_precision_),
                                   "contributions to a coarser level");
  for (NodeSums &sums : sums_)
    sums.contributions = contributions_;
  fine_weights_.clear(); // rows have them
}

void LineTransfer::add_field(const Discretisation &fine, const Discretisation &coarse, int field) {
  const NodeMap &fine_map = fine.map_of_field(field), &coarse_map = coarse.map_of_field(field);
  const int components = fine.form.fields[field].components();
  const Precision real = wider(fine_precision_, coarse_precision_);
  const int lanes = default_lanes(device_.info(), real);
  const auto row_weights = [&](const Rows &rows, const Part &part) {
    std::vector<double> values;
    values.reserve(rows.nodes.size() * components);
    for (const std::int32_t node : rows.nodes)
      for (int k = 0; k < components; ++k)
        values.push_back(fine_weights_[part.first_fine + std::int64_t{node} * components + k]);
    return values;
  };
  std::vector<bool> is_taken(fine_map.num_local, false);
  std::vector<LaneGroups> groups;
  std::vector<std::int64_t> first; // of contributions, [set]
  for (std::size_t s = 0; s < fine_map.sets.size(); ++s) {
    const NodeMapSet &fine_set = fine_map.sets[s], &coarse_set = coarse_map.sets[s];
    const LineBasis fine_line = line_basis(fine_set.element);
    const LineBasis coarse_line = line_basis(coarse_set.element);
    groups.push_back(consecutive_groups(fine.mesh->sets[s].num_cells(), lanes));
    first.push_back(num_contributions_);
    if (groups.back().cells.empty())
      continue;
    Part part{.dim = dimension(fine_set.element.cell),
              .fine_line = fine_line.num_nodes(),
              .coarse_line = coarse_line.num_nodes(),
              .components = components,
              .lanes = lanes,
              .num_groups = groups.back().num_groups(),
              .first_fine = fine.field_offset[field],
              .first_coarse = coarse.field_offset[field],
              .first_contribution = num_contributions_};
    choose_launch(part);
    Rows rows = take_rows(groups.back(), fine_set, fine_line, part.groups_at_once, is_taken);
    part.num_rows = static_cast<std::int64_t>(rows.nodes.size());
    part.row_weights = upload_reals(device_, row_weights(rows, part), real, "weights of rows");
    part.first_row = upload(device_, std::move(rows.first), "first rows of a transfer");
    part.row_nodes = upload(device_, std::move(rows.nodes), "rows of a transfer");
    part.row_places = upload(device_, std::move(rows.places), "places of rows of a transfer");
    part.num_columns = count_different(coarse_set.nodes, coarse_map.num_local);
    part.coarse_nodes = upload(device_, nodes_along_lines(groups.back(), coarse_set, coarse_line),
                               "coarse nodes of a transfer");
    num_contributions_ += part.num_groups * lanes * part.coarse_nodes_a_cell() * components;
    build(part, line_table(fine_line, coarse_line));
    parts_.push_back(std::move(part));
  }
  require(num_contributions_ < std::int64_t{1} << 32, "contributions are numbered in 32 bits");
  const auto each = [&](const auto &visit) {
    for (std::size_t s = 0; s < groups.size(); ++s) {
      const NodeMapSet &set = coarse_map.sets[s];
      const std::vector<int> order = line_basis(set.element).element_nodes;
      const auto num_nodes = static_cast<std::int64_t>(order.size());
      for (std::size_t c = 0; c < groups[s].cells.size(); ++c) {
        const std::int64_t cell = groups[s].cells[c];
        const auto group = static_cast<std::int64_t>(c) / lanes;
        for (std::int64_t i = 0; i < num_nodes && cell >= 0; ++i)
          visit(set.nodes[cell * num_nodes + order[i]],
                static_cast<std::uint32_t>(first[s] + (group * num_nodes + i) * components * lanes +
                                           static_cast<std::int64_t>(c) % lanes));
      }
    }
  };
  sums_.push_back(make_node_sums(device_, make_gather_lists(coarse_map.num_local, each),
                                 {.components = components,
                                  .stride = lanes,
                                  .output_offset = coarse.field_offset[field],
                                  .precision = coarse_precision_}));
}

void LineTransfer::choose_launch(Part &part) const {
  const DeviceInfo &info = device_.info();
  if (info.is_cpu) {
    part.turns = std::clamp<std::int64_t>(
        part.num_groups / (fewest_items_a_core * std::max(1, info.compute_units)), 1, most_turns);
  } else {
    part.group_size = gpu_group;
    part.groups_at_once =
        std::max<std::int64_t>(1, gpu_group / power(part.fine_line, part.dim - 1));
  }
}

void LineTransfer::build(Part &part, const std::vector<double> &table) {
  const DeviceInfo &info = device_.info();
  const Precision real = wider(fine_precision_, coarse_precision_);
  const std::string text =
      program_head(info.backend, real, part.lanes) + stored_dialect_text(info.backend) +
      fmt::format("#define WEFT_FINE {}\n#define WEFT_COARSE {}\n#define WEFT_DIM {}\n"
                  "#define WEFT_FINE_LINE {}\n#define WEFT_COARSE_LINE {}\n"
                  "#define WEFT_COMPONENTS {}\n#define WEFT_GROUP {}\n"
                  "#define WEFT_GROUPS_AT_ONCE {}\n#define WEFT_TURNS {}\n",
                  to_string(fine_precision_), to_string(coarse_precision_), part.dim,
                  part.fine_line, part.coarse_line, part.components, part.group_size,
                  part.groups_at_once, part.turns) +
      table_definition("weft_lines", table, real) +
      embedded_text("kernels/matrix/level_lines.kernel");
  part.program =
      device_.build({.name = fmt::format("level_lines_{}_{}", part.fine_line, part.coarse_line),
                     .text = text,
                     .kernels = {"lines_prolong", "lines_restrict"}});
}

std::uint64_t LineTransfer::bytes() const {
  std::uint64_t bytes = contributions_->bytes + coarse_weights_.buffer->bytes;
  for (const Part &part : parts_)
    for (const Buffer &buffer :
         {part.first_row, part.row_nodes, part.row_places, part.row_weights, part.coarse_nodes})
      bytes += buffer->bytes;
  for (const NodeSums &sums : sums_)
    bytes += sums.nodes->bytes + sums.first_entry->bytes + sums.entries->bytes;
  return bytes;
}

// Lane groups past the last, of a work-group that takes several at once, are computed too.
KernelCost LineTransfer::cost(const Part &part, bool back) const {
  const auto bytes_of = [](Precision p) { return static_cast<double>(size_bytes(p)); };
  const double real = bytes_of(wider(fine_precision_, coarse_precision_));
  const double values = part.components * part.lanes * static_cast<double>(part.num_groups);
  const double done =
      part.components * part.lanes *
      static_cast<double>(rounded_up(part.num_groups, part.groups_at_once) * part.groups_at_once);
  const double f = part.fine_line, c = part.coarse_line, index = sizeof(std::int32_t);
  const double fine_nodes = static_cast<double>(part.fine_nodes_a_cell());
  const double coarse_nodes = static_cast<double>(part.coarse_nodes_a_cell());
  const double fine_dofs = static_cast<double>(part.num_rows) * part.components;
  const double coarse_dofs = static_cast<double>(part.num_columns) * part.components;
  // What is left of the first directions for the next.
  const double between = part.dim == 3 ? f * c * (f + c) : f * c;
  KernelCost cost;
  cost.operations.multiply_adds =
      done * (part.dim == 3 ? f * c * (f * f + f * c + c * c) : f * c * (f + c));
  cost.bytes_read =
      part.lanes * static_cast<double>(part.num_groups) * coarse_nodes * index +
      static_cast<double>(rounded_up(part.num_groups, part.groups_at_once) + 1) * index +
      static_cast<double>(part.num_rows) * (index + sizeof(std::uint16_t)) +
      fine_dofs * (real + bytes_of(fine_precision_)) + coarse_dofs * real;
  cost.memory_places1 = fine_dofs + coarse_dofs;
  cost.local_bytes = (2 * done * between + fine_dofs) * real;
  if (back) {
    cost.operations.multiplications = values * coarse_nodes + fine_dofs;
    cost.bytes_written = values * coarse_nodes * bytes_of(coarse_precision_);
    cost.local_bytes += 2 * done * fine_nodes * real;
    cost.memory_reads1 = fine_dofs + values * coarse_nodes;
  } else {
    cost.operations.multiplications = values * coarse_nodes + fine_dofs;
    cost.operations.additions = fine_dofs;
    cost.bytes_read += coarse_dofs * bytes_of(coarse_precision_);
    cost.bytes_written = fine_dofs * bytes_of(fine_precision_);
    cost.local_bytes += done * (2 * coarse_nodes + fine_nodes) * real;
    cost.memory_reads1 = 2 * values * coarse_nodes + fine_dofs;
    cost.memory_places1 += coarse_dofs;
  }
  cost.lanes = part.lanes;
  cost.slots = part.lanes * static_cast<double>(part.num_groups);
  count_launch(cost, part.launch());
  return cost;
}

std::vector<NamedCost> LineTransfer::costs() const {
  std::vector<NamedCost> costs;
  for (const Part &part : parts_)
    for (const bool back : {false, true})
      costs.push_back({back ? "lines_restrict" : "lines_prolong", cost(part, back)});
  for (const NodeSums &sums : sums_)
    costs.push_back({sums.name, cost_of(device_.info(), sums)});
  return costs;
}

void LineTransfer::restrict_to(const Vector &fine, Vector &coarse) {
  require(fine.size == num_fine_ && coarse.size == num_coarse_ &&
              fine.precision == fine_precision_ && coarse.precision == coarse_precision_,
          "vectors of these levels");
  for (const Part &part : parts_) {
    count_next_launch(device_, [&] { return cost(part, true); });
    device_.launch(part.program, "lines_restrict", part.launch(),
                   {static_cast<std::int32_t>(part.num_groups), part.first_row, part.row_nodes,
                    part.row_places, part.row_weights, part.coarse_nodes, coarse_weights_.buffer,
                    part.first_fine, part.first_coarse, fine.buffer, contributions_,
                    part.first_contribution});
  }
  for (const NodeSums &sums : sums_)
    sum_nodes(device_, sums, coarse.buffer);
}

void LineTransfer::prolong_add(const Vector &coarse, Vector &fine) {
  require(fine.size == num_fine_ && coarse.size == num_coarse_ &&
              fine.precision == fine_precision_ && coarse.precision == coarse_precision_,
          "vectors of these levels");
  for (const Part &part : parts_) {
    count_next_launch(device_, [&] { return cost(part, false); });
    device_.launch(part.program, "lines_prolong", part.launch(),
                   {static_cast<std::int32_t>(part.num_groups), part.first_row, part.row_nodes,
                    part.row_places, part.row_weights, part.coarse_nodes, coarse_weights_.buffer,
                    part.first_fine, part.first_coarse, coarse.buffer, fine.buffer});
  }
}

} // namespace weft
