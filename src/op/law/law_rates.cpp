#include "op/law/law_rates.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "device/lanes.h"
#include "device/streaming.h"
#include "kernel/law/dg_functions.h"
#include "kernel/law/dg_symmetry.h"
#include "linalg/launch_sizes.h"
#include "linalg/vector_cost.h"
#include "op/law/dg_inputs.h"

namespace weft {

int default_dg_groups_per_item(std::int64_t groups, const DeviceInfo &device) {
  if (!device.is_cpu)
    return 1;
  const std::int64_t part = groups / (std::int64_t(device.compute_units) * 16);
  return static_cast<int>(std::clamp<std::int64_t>(part, 1, 32));
}

int default_dg_ahead(const DeviceInfo &device) {
  return device.is_cpu ? 4 : 0;
}

bool default_dg_symmetry(const Discretisation &d) {
  return d.geometry.order == 1 && !d.law->finite_volume && d.law->fields.front().order > 1 &&
         std::any_of(d.mesh->sets.begin(), d.mesh->sets.end(),
                     [](const CellSet &set) { return has_nodal_symmetry(set.type); });
}

LawRates::LawRates(Device &device, const Discretisation &d, const DgSettings &settings)
    : device_(device), d_(d), law_(*d.law), settings_(settings) {
  settings_.lanes = settings.lanes.value_or(default_lanes(device.info(), settings.precision));
  mesh_ = make_dg_mesh(d, d.map_of_field(0), d.condition_of_class, *settings_.lanes);
  mesh_.state_by_cell = dg_state_lies_by_cell(law_, *settings_.lanes);
  table_sizes_ = dg_table_sizes(mesh_);
  shared_[{ArgumentRole::rows}] = upload(device, mesh_.rows, "rows of facets");
  if (mesh_.plus_entries > 1)
    shared_[{ArgumentRole::row_factors}] = reals(mesh_.row_factors, "rows of facets");
  shared_[{ArgumentRole::cell_table}] = reals(d.cell_table.values, "parameters by region");
  shared_[{ArgumentRole::facet_table}] = reals(d.facet_table.values, "parameters by facet group");
  upload_known();
  upload_limiter_scale();
  for (const DgSet &set : mesh_.sets)
    make_part(set);
  choose(settings_);
  if (limits_states())
    make_limiter();
  if (d.ranks)
    make_halos();
  if (d.reactions)
    reaction_.emplace(
        device, d, mesh_, *d.reactions,
        DgNodeSpec{.form_name = settings_.form_name, .precision = settings_.precision});
}

void LawRates::choose(const DgSettings &settings) {
  settings_.fused = settings.fused;
  settings_.by_nodes = settings.by_nodes;
  settings_.node_group = settings.node_group;
  settings_.rows = settings.rows;
  const DeviceInfo &info = device_.info();
  settings_.groups_per_item =
      settings.groups_per_item.value_or(default_dg_groups_per_item(mesh_.num_groups, info));
  settings_.stream = settings.stream.value_or(
      streams_by_default(double(size()) * double(size_bytes(settings_.precision)), info));
  settings_.ahead = settings.ahead.value_or(default_dg_ahead(info));
  settings_.by_symmetry = settings.by_symmetry.value_or(
      !settings_.by_nodes.value_or(!info.is_cpu) && default_dg_symmetry(d_));
  for (Part &part : parts_) {
    part.spec.by_symmetry = *settings_.by_symmetry && dg_knows_symmetry(part.spec);
    part.spec.rows = settings.rows.value_or(
        default_dg_rows(*part.spec.operators, law_.num_components, part.spec.by_symmetry));
    part.spec.groups_per_item = *settings_.groups_per_item;
    part.spec.stream = *settings_.stream;
    part.spec.ahead = *settings_.ahead;
    upload_matrices(part, part.spec.rows, part.spec.by_symmetry);
    part.node_group = choose_node_group(part);
    if (part.node_group)
      upload_matrices(part, dg_blocks(*part.spec.operators, 1).fast_nodes, false);
  }
}

std::optional<DgNodeGroup> LawRates::choose_node_group(const Part &part) const {
  const DeviceInfo &info = device_.info();
  // A thread that is a node is one that is a cell in finite volumes.
  const bool asked =
      settings_.by_nodes.value_or(!info.is_cpu) && mesh_.lanes == 1 && !law_.finite_volume;
  if (!asked || !settings_.fused)
    return {};
  const int nodes = part.spec.operators->element.num_nodes();
  const auto fits = [&](const DgNodeGroup &group) {
    return group.parallel * nodes <= info.max_work_group &&
           dg_node_group_bytes(part.spec, group) <= std::int64_t(info.local_memory_bytes);
  };
  const auto refuse = [&](const DgNodeGroup &group) {
    throw Error(
        ErrorKind::unsupported,
        {.what = "a work-group of nodes that does not fit on " + info.name,
         .where = "[device]",
         .found = fmt::format("{} threads, {} bytes of local memory", group.parallel * nodes,
                              dg_node_group_bytes(part.spec, group)),
         .allowed =
             fmt::format("{} threads, {} bytes", info.max_work_group, info.local_memory_bytes),
         .remedy = "use fewer cells at a time, or a lower order"});
  };
  if (settings_.node_group) {
    if (!fits(*settings_.node_group))
      refuse(*settings_.node_group);
    return settings_.node_group;
  }
  DgNodeGroup group{.in_line = 2};
  while (group.parallel * nodes < 96)
    ++group.parallel;
  while (!fits(group) && group.parallel > 1)
    --group.parallel;
  if (!fits(group))
    group.in_line = 1;
  if (fits(group))
    return group;
  if (settings_.by_nodes)
    refuse(group);
  return {}; // a thread a cell then
}

std::int64_t LawRates::size() const {
  return mesh_.size(law_.num_components);
}

VectorLayout LawRates::layout() const {
  return {size(), mesh_.size_with_ghosts(law_.num_components) - size(), d_.ranks};
}

std::int64_t LawRates::num_own(std::int64_t host_dofs) const {
  const NodeMap &map = d_.map_of_field(0); // of all fields
  return map.num_local == 0 ? 0 : host_dofs / map.num_local * map.num_owned;
}

Buffer LawRates::reals(const std::vector<double> &values, const char *purpose) {
  return upload_reals(device_, values, settings_.precision, purpose);
}

void LawRates::make_part(const DgSet &set) {
  Part &part = parts_.emplace_back();
  part.spec.law = &law_;
  part.spec.operators = &set.operators;
  part.spec.form_name = settings_.form_name;
  part.spec.precision = settings_.precision;
  part.spec.lanes = mesh_.lanes;
  part.spec.affine = set.affine;
  part.spec.one_cell_type = mesh_.sets.size() == 1;
  part.spec.row_entries = mesh_.row_entries;
  part.spec.plus_entries = mesh_.plus_entries;
  part.extent = extent_of(parts_.size() - 1, DgRange::all);

  using enum ArgumentRole;
  Buffers &buffers = part.buffers;
  if (law_.finite_volume) {
    std::vector<std::int32_t> slots; // a unit is a group
    for (std::size_t i = 0; i < set.plus_unit.size(); ++i)
      slots.push_back(set.plus_unit[i] * mesh_.lanes + set.plus_row[i] % mesh_.lanes);
    buffers[{plus_slot}] = upload(device_, slots, "neighbours");
  } else {
    buffers[{metric}] = reals(set.metric, "metric");
    buffers[{length}] = reals(set.length, "lengths of cells");
    buffers[{plus_unit}] = upload(device_, set.plus_unit, "neighbours");
    buffers[{plus_row}] = upload(device_, set.plus_row, "neighbours");
  }
  if (!set.gradient_weights.empty())
    buffers[{gradient_weights}] = reals(set.gradient_weights, "weights of gradients");
  if (!set.limiter_slack.empty())
    buffers[{limiter_slack}] = reals(set.limiter_slack, "slack of limiters");
  buffers[{facet_metric}] = reals(set.facet_metric, "metric of facets");
  buffers[{condition}] = upload(device_, set.condition, "boundary conditions");
  buffers[{conditions}] = upload(device_, set.conditions, "boundary conditions");
  if (!law_.cell_table.empty()) {
    buffers[{plus_class}] = upload(device_, set.plus_class, "neighbours");
    buffers[{cell_class}] = upload(device_, set.cell_class, "regions");
  }
  if (!law_.facet_table.empty())
    buffers[{facet_class}] = upload(device_, set.facet_class, "facet groups");
  if (has_facet_positions(law_, set.operators))
    buffers[{facet_coordinates}] =
        reals(dg_facet_positions(d_, mesh_, set), "coordinates of points of facets");
  if (any_uses(law_, SymbolKind::cell_size))
    buffers[{cell_size}] = reals(dg_cell_sizes(d_, mesh_, set), "sizes of cells");
}

void LawRates::upload_matrices(Part &part, int rows, bool by_symmetry) {
  const auto [entry, is_new] = part.matrices.try_emplace(rows);
  Buffers &buffers = entry->second;
  const NodalOperators &operators = *part.spec.operators;
  const auto set = [&](ArgumentRole role, const std::vector<double> &values, int index = 0) {
    buffers[{role, index}] = reals(values, "reference matrices");
  };
  const auto set_numbers = [&](ArgumentRole role, const std::vector<std::int32_t> &values) {
    buffers[{role}] = upload(device_, values, "reference matrices");
  };
  for (const DgStage stage : {DgStage::fused, DgStage::differentiate, DgStage::lift}) {
    const int index = static_cast<int>(stage);
    if (by_symmetry && !buffers.contains({ArgumentRole::products, index}))
      set(ArgumentRole::products,
          dg_class_matrix(dg_classes(stage, operators, rows), operators, rows), index);
  }
  if (!is_new)
    return;
  const DgMatrices matrices = dg_matrices(operators, rows);
  set(ArgumentRole::fast, matrices.fast);
  set(ArgumentRole::slow, matrices.slow);
  set(ArgumentRole::lift, matrices.lift);
  set_numbers(ArgumentRole::lift_start, matrices.lift_start);
  set_numbers(ArgumentRole::lift_column, matrices.lift_column);
  if (operators.entries() > 1) {
    set(ArgumentRole::trace, matrices.trace);
    set_numbers(ArgumentRole::trace_node, matrices.trace_node);
  }
  if (law_.viscous && !law_.finite_volume) {
    set(ArgumentRole::strong_fast, matrices.strong_fast);
    set(ArgumentRole::strong_slow, matrices.strong_slow);
  }
}

void LawRates::upload_known() {
  if (any_uses(law_, SymbolKind::coordinate))
    shared_[{ArgumentRole::coordinates}] =
        reals(dg_node_positions(d_, mesh_), "coordinates of nodes");
  if (dg_values(law_).known > 0)
    shared_[{ArgumentRole::known}] = reals(dg_known_values(d_, mesh_), "known fields");
}

void LawRates::set_state(const std::vector<double> &dofs, Vector &q) {
  set_values(dofs, mesh_.state_by_cell, q);
}

void LawRates::set_sum(const std::vector<double> &dofs, Vector &sum) {
  set_values(dofs, false, sum);
}

void LawRates::set_values(const std::vector<double> &dofs, bool by_cell, Vector &vector) {
  std::vector<double> values(mesh_.size_with_ghosts(law_.num_components));
  int first = 0;
  for (std::size_t f = 0; f < law_.fields.size(); ++f) {
    const int components = law_.fields[f].components();
    to_dg_order(mesh_, by_cell, dofs, d_.field_offset[f], components, first, law_.num_components,
                values);
    first += components;
  }
  values.resize(size()); // ghosts are fetched
  set_vector(device_, vector, values);
}

std::vector<double> LawRates::state(const Vector &q) {
  return values(q, mesh_.state_by_cell);
}

std::vector<double> LawRates::sum(const Vector &sum) {
  return values(sum, false);
}

std::vector<double> LawRates::values(const Vector &vector, bool by_cell) {
  const std::vector<double> values = get_vector(device_, vector);
  std::vector<double> dofs(d_.num_local);
  int first = 0;
  for (std::size_t f = 0; f < law_.fields.size(); ++f) {
    const int components = law_.fields[f].components();
    from_dg_order(mesh_, by_cell, values, first, law_.num_components, components,
                  d_.field_offset[f], dofs);
    first += components;
  }
  return dofs;
}

KernelArgument LawRates::fixed_argument(std::size_t set, DgRange range, const DgKernelSpec &spec,
                                        const ArgumentSpec &argument) {
  Part &part = parts_[set];
  const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  switch (argument.role) {
  case ArgumentRole::begin_group:
    return number(mesh_.sets[set].groups_of(range).begin);
  case ArgumentRole::end_group:
    return number(mesh_.sets[set].groups_of(range).end);
  case ArgumentRole::groups_per_item:
    return number(spec.groups_per_item);
  case ArgumentRole::first_group:
    return number(mesh_.sets[set].first_group);
  case ArgumentRole::first_unit:
    return number(mesh_.sets[set].first_unit);
  case ArgumentRole::facet_flux:
  case ArgumentRole::rate:
  case ArgumentRole::gradient:
  case ArgumentRole::whole_gradient:
  case ArgumentRole::limiter:
    return scratch(part, set, argument);
  default:
    for (const Buffers *buffers : {&part.matrices.at(spec.rows), &part.buffers, &shared_})
      if (const auto found = buffers->find(argument); found != buffers->end())
        return found->second;
    require(false, "every argument of a law's kernel is bound");
    return {};
  }
}

// What the kernels of a stage leave for one another, allocated when the first of them is made. The
// fluxes of facets are the set's own.
const Buffer &LawRates::scratch(Part &part, std::size_t set, const ArgumentSpec &argument) {
  const bool of_facets = argument.role == ArgumentRole::facet_flux;
  Buffer &buffer = of_facets ? part.buffers[argument] : shared_[argument];
  if (buffer)
    return buffer;
  const auto allocate = [&](std::int64_t count, const char *purpose) {
    buffer = make_vector(device_, count, settings_.precision, purpose).buffer;
  };
  const DgValues values = dg_values(law_);
  switch (argument.role) {
  case ArgumentRole::facet_flux:
    allocate(mesh_.sets[set].groups.num_groups() * mesh_.sets[set].num_facet_points() *
                 law_.num_components * mesh_.lanes,
             "fluxes of facets");
    break;
  case ArgumentRole::rate:
    allocate(size(), "rate");
    break;
  case ArgumentRole::gradient:
    allocate(mesh_.size_with_ghosts(values.gradients), "gradient");
    break;
  case ArgumentRole::whole_gradient:
    allocate(mesh_.size(values.gradients), "whole gradient");
    break;
  default:
    allocate(mesh_.size_with_ghosts(values.limiters), "limiter");
  }
  return buffer;
}

Launch LawRates::launch_size(std::size_t set, DgRange range, const DgKernelSpec &spec) const {
  const std::int64_t groups = mesh_.sets[set].groups_of(range).count();
  if (spec.node_group) {
    const std::int64_t cells = std::int64_t{spec.node_group->cells()} * spec.node_group->sequence;
    return {.groups = rounded_up(groups, cells),
            .group_size = spec.node_group->parallel * spec.operators->element.num_nodes()};
  }
  const std::int64_t group_size = device_.info().is_cpu ? 1 : 64;
  return {.groups = rounded_up(rounded_up(groups, spec.groups_per_item), group_size),
          .group_size = group_size};
}

DgLaunch &LawRates::launch_of(std::size_t set, DgStage stage, DgRange range,
                              const StageUpdate &update) {
  Part &part = parts_[set];
  DgChoices choices = part.spec;
  if (stage == DgStage::fused && part.node_group) {
    choices.node_group = part.node_group;
    choices.rows = dg_blocks(*part.spec.operators, 1).fast_nodes;
    choices.by_symmetry = false;
  }
  if (stage == DgStage::fused || stage == DgStage::update)
    choices.update = {update.uses_start, update.uses_sum, update.keeps_sum};
  const KernelKey key{stage, choices, range};
  if (const auto found = part.launches.find(key); found != part.launches.end())
    return found->second;
  DgKernelSpec spec = part.spec;
  static_cast<DgChoices &>(spec) = choices;
  LawLaunch launch(
      device_, make_dg_kernel(stage, spec, device_.info().backend), launch_size(set, range, spec),
      settings_.precision,
      [&](const ArgumentSpec &argument) { return fixed_argument(set, range, spec, argument); });
  return part.launches.emplace(key, DgLaunch{spec, std::move(launch)}).first->second;
}

void LawRates::react(double time, double h, Vector &q) {
  if (reaction_)
    reaction_->react(time, h, q);
}

void LawRates::launch(DgStage stage, DgRange range, const LawCall &call) {
  for (std::size_t s = 0; s < parts_.size(); ++s)
    launch_of(s, stage, range, call.update).launch.run(call);
}

void LawRates::launch_part(DgStage stage, double time, double h, const StageUpdate &update,
                           const Vector &q, const Vector *start, Vector *sum, Vector &out) {
  launch(
      stage, DgRange::all,
      {.time = time, .h = h, .update = update, .q = &q, .start = start, .sum = sum, .out = &out});
}

std::vector<DgStage> LawRates::parts_of_stage(bool fused) const {
  std::vector<DgStage> parts;
  if (dg_values(law_).gradients > 0)
    parts.push_back(DgStage::gradient);
  if (fused) {
    parts.push_back(DgStage::fused);
    return parts;
  }
  if (!law_.finite_volume)
    parts.push_back(DgStage::differentiate);
  parts.insert(parts.end(), {DgStage::flux, DgStage::lift, DgStage::update});
  return parts;
}

void LawRates::stage(double time, double h, const StageUpdate &update, const Vector &q,
                     const Vector *start, Vector *sum, Vector &out) {
  const LawCall call{
      .time = time, .h = h, .update = update, .q = &q, .start = start, .sum = sum, .out = &out};
  LawMessages messages;
  messages.begin(state_halo_, q.buffer);
  for (const DgStage part : parts_of_stage(settings_.fused)) {
    launch_meanwhile(part, call, messages);
    if (part == DgStage::gradient)
      send_gradients(messages);
  }
  messages.forget();
}

std::vector<NamedCost> LawRates::costs_of(DgStage part, const StageUpdate &update) {
  return costs_of(part, DgRange::all, update);
}

DgExtent LawRates::extent_of(std::size_t set, DgRange range) const {
  return dg_extent(mesh_, mesh_.sets[set], range, static_cast<int>(law_.boundaries.size()));
}

std::vector<NamedCost> LawRates::costs_of(DgStage part, DgRange range, const StageUpdate &update) {
  std::vector<NamedCost> costs;
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    if (range != DgRange::all && mesh_.sets[s].groups_of(range).count() == 0)
      continue; // not launched
    const auto &[spec, launch] = launch_of(s, part, range, update);
    const DgExtent extent = range == DgRange::all ? parts_[s].extent : extent_of(s, range);
    NamedCost cost{launch.source().name, dg_cost(part, spec, launch.source().cost, extent,
                                                 table_sizes_, dg_registers(spec, device_.info()))};
    count_launch(cost.cost, launch.size());
    costs.push_back(cost);
  }
  return costs;
}

std::vector<NamedCost> LawRates::costs(const StageUpdate &update) {
  std::vector<NamedCost> all;
  for (const DgStage part : parts_of_stage(settings_.fused))
    for (const DgRange range : ranges_of(part)) {
      const std::vector<NamedCost> of_part = costs_of(part, range, update);
      all.insert(all.end(), of_part.begin(), of_part.end());
    }
  return all;
}

Operations LawRates::needed_operations(DgStage part, const StageUpdate &update) {
  Operations sum;
  for (std::size_t s = 0; s < parts_.size(); ++s)
    sum += double(mesh_.sets[s].num_own_cells()) *
           launch_of(s, part, DgRange::all, update).launch.source().cost.operations;
  return sum;
}

bool LawRates::sources_depend_on_state() const {
  return reaction_ || law_.source.uses(SymbolKind::field) ||
         law_.source.uses(SymbolKind::field_gradient);
}

double LawRates::unit_step(double time, const Vector &q) {
  LawMessages messages;
  if (dg_reads_neighbours(DgStage::step, law_))
    messages.begin(state_halo_, q.buffer);
  messages.end();
  double least = std::numeric_limits<double>::infinity();
  bool is_nan = false;
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    const std::int64_t items =
        rounded_up(mesh_.sets[s].groups.num_groups(), parts_[s].spec.groups_per_item);
    const Vector shortest = make_vector(device_, items, settings_.precision, "shortest steps");
    launch_of(s, DgStage::step, DgRange::all, {})
        .launch.run({.time = time, .q = &q, .shortest = &shortest});
    for (const double step : get_vector(device_, shortest)) {
      is_nan = is_nan || std::isnan(step);
      least = std::min(least, step);
    }
  }
  messages.forget();
  if (any(d_.ranks, is_nan))
    return std::numeric_limits<double>::quiet_NaN();
  return smallest(d_.ranks, least);
}

std::vector<const DgLaunch *> LawRates::launches() const {
  std::vector<const DgLaunch *> result;
  for (const Part &part : parts_)
    for (const auto &[key, launch] : part.launches)
      if (result.empty() || result.back()->launch.source().text != launch.launch.source().text)
        result.push_back(&launch); // other ranges of groups have the same kernel
  return result;
}

} // namespace weft
