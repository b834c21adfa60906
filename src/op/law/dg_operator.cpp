#include "op/law/dg_operator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.h"
#include "device/lanes.h"
#include "device/streaming.h"
#include "kernel/law/dg_functions.h"
#include "kernel/law/dg_symmetry.h"
#include "linalg/vector_cost.h"
#include "op/law/dg_inputs.h"

namespace weft {

int default_dg_groups_per_item(std::int64_t groups, const DeviceInfo &device) {
  if (!device.is_cpu)
    return 1;
  const std::int64_t share = groups / (std::int64_t(device.compute_units) * 16);
  return static_cast<int>(std::clamp<std::int64_t>(share, 1, 32));
}

int default_dg_ahead(const DeviceInfo &device) {
  return device.is_cpu ? 4 : 0;
}

bool default_dg_symmetry(const Discretisation &d) {
  return d.geometry.order == 1 && !d.law->finite_volume && d.law->fields.front().order > 1 &&
         std::any_of(d.mesh->sets.begin(), d.mesh->sets.end(),
                     [](const CellSet &set) { return has_nodal_symmetry(set.type); });
}

DgOperator::DgOperator(Device &device, const Discretisation &d, const DgSettings &settings)
    : device_(device), d_(d), law_(*d.law), settings_(settings) {
  settings_.lanes = settings.lanes.value_or(default_lanes(device.info(), settings.precision));
  mesh_ = make_dg_mesh(d, d.map_of_field(0), d.condition_of_class, *settings_.lanes);
  mesh_.state_by_cell = dg_state_lies_by_cell(law_, *settings_.lanes);
  table_sizes_ = dg_table_sizes(mesh_);
  shared_["rows"] = upload(device, mesh_.rows, "rows of facets");
  if (mesh_.plus_entries > 1)
    shared_["row_factors"] = reals(mesh_.row_factors, "rows of facets");
  shared_["cell_table"] = reals(d.cell_table.values, "parameters by region");
  shared_["facet_table"] = reals(d.facet_table.values, "parameters by facet group");
  upload_known();
  upload_limiter_scale();
  for (const DgSet &set : mesh_.sets)
    make_part(set);
  choose(settings_);
  if (limits_states())
    make_limiter();
  if (d.reactions)
    reaction_.emplace(
        device, d, mesh_, *d.reactions,
        DgNodeSpec{.form_name = settings_.form_name, .precision = settings_.precision});
}

void DgOperator::choose(const DgSettings &settings) {
  settings_.fused = settings.fused;
  settings_.by_nodes = settings.by_nodes;
  settings_.node_group = settings.node_group;
  settings_.rows = settings.rows;
  std::int64_t groups = 0;
  for (const DgSet &set : mesh_.sets)
    groups += set.groups.num_groups();
  const DeviceInfo &info = device_.info();
  settings_.groups_per_item =
      settings.groups_per_item.value_or(default_dg_groups_per_item(groups, info));
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

std::optional<DgNodeGroup> DgOperator::choose_node_group(const Part &part) const {
  const DeviceInfo &info = device_.info();
  // Of finite volumes a thread that is a node is one that is a cell.
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

std::int64_t DgOperator::size() const {
  return mesh_.size(law_.num_components);
}

KernelArgument DgOperator::real(double value) const {
  if (settings_.precision == Precision::f64)
    return value;
  return static_cast<float>(value);
}

Buffer DgOperator::reals(const std::vector<double> &values, const char *purpose) {
  Vector vector = make_vector(device_, std::int64_t(values.size()), settings_.precision, purpose);
  set_vector(device_, vector, values);
  return vector.buffer;
}

void DgOperator::make_part(const DgSet &set) {
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
  part.extent = dg_extent(mesh_, set, static_cast<int>(law_.boundaries.size()));

  if (law_.finite_volume) {
    std::vector<std::int32_t> slots; // a unit is a group
    for (std::size_t place = 0; place < set.plus_unit.size(); ++place)
      slots.push_back(set.plus_unit[place] * mesh_.lanes + set.plus_row[place] % mesh_.lanes);
    part.buffers["plus_slot"] = upload(device_, slots, "neighbours");
  } else {
    part.buffers = {{"metric", reals(set.metric, "metric")},
                    {"length", reals(set.length, "lengths of cells")},
                    {"plus_unit", upload(device_, set.plus_unit, "neighbours")},
                    {"plus_row", upload(device_, set.plus_row, "neighbours")}};
  }
  if (!set.gradient_weights.empty())
    part.buffers["gradient_weights"] = reals(set.gradient_weights, "weights of gradients");
  if (!set.limiter_slack.empty())
    part.buffers["limiter_slack"] = reals(set.limiter_slack, "slack of limiters");
  part.buffers.merge(std::map<std::string, Buffer>{
      {"facet_metric", reals(set.facet_metric, "metric of facets")},
      {"condition", upload(device_, set.condition, "boundary conditions")},
      {"conditions", upload(device_, set.conditions, "boundary conditions")}});
  if (!law_.cell_table.empty()) {
    part.buffers["plus_class"] = upload(device_, set.plus_class, "neighbours");
    part.buffers["cell_class"] = upload(device_, set.cell_class, "regions");
  }
  if (!law_.facet_table.empty())
    part.buffers["facet_class"] = upload(device_, set.facet_class, "facet groups");
  if (has_facet_places(law_, set.operators))
    part.buffers["facet_coordinates"] =
        reals(dg_facet_places(d_, mesh_, set), "coordinates of points of facets");
  if (any_uses(law_, SymbolKind::cell_size))
    part.buffers["cell_size"] = reals(dg_cell_sizes(d_, mesh_, set), "sizes of cells");
}

void DgOperator::upload_matrices(Part &part, int rows, bool by_symmetry) {
  const auto [entry, is_new] = part.matrices.try_emplace(rows);
  if (by_symmetry && !entry->second.contains(dg_products_name(DgStage::fused)))
    for (const DgStage stage : {DgStage::fused, DgStage::differentiate, DgStage::lift}) {
      const NodalOperators &operators = *part.spec.operators;
      entry->second[dg_products_name(stage)] =
          reals(dg_class_matrix(dg_classes(stage, operators, rows), operators, rows),
                "reference matrices");
    }
  if (!is_new)
    return;
  const DgMatrices matrices = dg_matrices(*part.spec.operators, rows);
  entry->second.merge(std::map<std::string, Buffer>{
      {"fast", reals(matrices.fast, "reference matrices")},
      {"slow", reals(matrices.slow, "reference matrices")},
      {"lift", reals(matrices.lift, "reference matrices")},
      {"lift_place", upload(device_, matrices.lift_place, "reference matrices")},
      {"lift_column", upload(device_, matrices.lift_column, "reference matrices")}});
  if (part.spec.operators->entries() > 1) {
    entry->second["trace"] = reals(matrices.trace, "reference matrices");
    entry->second["trace_node"] = upload(device_, matrices.trace_node, "reference matrices");
  }
  if (law_.viscous && !law_.finite_volume) {
    entry->second["strong_fast"] = reals(matrices.strong_fast, "reference matrices");
    entry->second["strong_slow"] = reals(matrices.strong_slow, "reference matrices");
  }
}

void DgOperator::upload_known() {
  if (any_uses(law_, SymbolKind::coordinate))
    shared_["coordinates"] = reals(dg_node_places(d_, mesh_), "coordinates of nodes");
  if (dg_values(law_).known > 0)
    shared_["known"] = reals(dg_known_values(d_, mesh_), "known fields");
}

void DgOperator::set_state(const std::vector<double> &dofs, Vector &q) {
  set_values(dofs, mesh_.state_by_cell, q);
}

void DgOperator::set_sum(const std::vector<double> &dofs, Vector &sum) {
  set_values(dofs, false, sum);
}

void DgOperator::set_values(const std::vector<double> &dofs, bool by_cell, Vector &vector) {
  std::vector<double> values(size());
  int first = 0;
  for (std::size_t f = 0; f < law_.fields.size(); ++f) {
    const int components = law_.fields[f].components();
    to_dg_order(mesh_, by_cell, dofs, d_.field_offset[f], components, first, law_.num_components,
                values);
    first += components;
  }
  set_vector(device_, vector, values);
}

std::vector<double> DgOperator::state(const Vector &q) {
  return values(q, mesh_.state_by_cell);
}

std::vector<double> DgOperator::sum(const Vector &sum) {
  return values(sum, false);
}

std::vector<double> DgOperator::values(const Vector &vector, bool by_cell) {
  const std::vector<double> values = get_vector(device_, vector);
  std::vector<double> dofs(d_.num_dofs);
  int first = 0;
  for (std::size_t f = 0; f < law_.fields.size(); ++f) {
    const int components = law_.fields[f].components();
    from_dg_order(mesh_, by_cell, values, first, law_.num_components, components,
                  d_.field_offset[f], dofs);
    first += components;
  }
  return dofs;
}

KernelArgument DgOperator::argument(const Part &part, std::size_t set, const DgLaunch &launch,
                                    const std::string &name, const Call &call) const {
  const DgSet &of_set = mesh_.sets[set];
  if (name == "num_groups")
    return static_cast<std::int32_t>(of_set.groups.num_groups());
  if (name == "groups_per_item")
    return static_cast<std::int32_t>(launch.spec.groups_per_item);
  if (name == "first_group") {
    std::int64_t first = 0;
    for (std::size_t s = 0; s < set; ++s)
      first += mesh_.sets[s].groups.num_groups();
    return static_cast<std::int32_t>(first);
  }
  if (name == "first_unit")
    return static_cast<std::int32_t>(of_set.first_unit);
  const std::pair<const char *, double> numbers[] = {{"time", call.time},
                                                     {"h", call.h},
                                                     {"keep", call.update.keep},
                                                     {"start_factor", call.update.start},
                                                     {"state_factor", call.update.state},
                                                     {"sum_factor", call.update.sum},
                                                     {"rate_factor", call.update.rate}};
  for (const auto &[number, value] : numbers)
    if (name == number)
      return real(value);
  const std::pair<const char *, const Vector *> vectors[] = {
      {"q", call.q}, {"start", call.start}, {"sum", call.sum}, {"out", call.out}};
  for (const auto &[vector, value] : vectors)
    if (name == vector) {
      require(value != nullptr, "a stage has the vectors that its update uses");
      return value->buffer;
    }
  const auto &matrices = part.matrices.at(launch.spec.rows);
  if (const auto matrix = matrices.find(name); matrix != matrices.end())
    return matrix->second;
  const auto own = part.buffers.find(name);
  return own != part.buffers.end() ? own->second : shared_.at(name);
}

DgLaunch &DgOperator::launch_of(Part &part, std::size_t set, DgStage stage,
                                const StageUpdate &update) {
  DgKernelSpec spec = part.spec;
  if (stage == DgStage::fused && part.node_group) {
    spec.node_group = part.node_group;
    spec.rows = dg_blocks(*spec.operators, 1).fast_nodes;
    spec.by_symmetry = false;
  }
  std::string key =
      fmt::format("{} rows {} symmetry {} groups {} stream {} ahead {}", to_string(stage),
                  spec.rows, spec.by_symmetry, spec.groups_per_item, spec.stream, spec.ahead);
  if (spec.node_group)
    key += fmt::format(" nodes {} {} {} {}", spec.node_group->parallel, spec.node_group->in_line,
                       spec.node_group->sequence, spec.node_group->matrix_local);
  if (stage == DgStage::fused || stage == DgStage::update) {
    spec.update = {update.uses_start, update.uses_sum, update.keeps_sum};
    key += update.uses_start ? " start" : "";
    key += update.uses_sum ? update.keeps_sum ? " keeps sum" : " sum" : "";
  }
  const auto [entry, is_new] = part.launches.try_emplace(key);
  DgLaunch &launch = entry->second;
  if (is_new) {
    launch.stage = stage;
    launch.spec = spec;
    launch.kernel = make_dg_kernel(stage, spec, device_.info().backend);
    launch.program = device_.build(
        {.name = launch.kernel.name, .text = launch.kernel.text, .kernels = {launch.kernel.name}});
    const std::int64_t groups = mesh_.sets[set].groups.num_groups();
    const std::int64_t items = (groups + spec.groups_per_item - 1) / spec.groups_per_item;
    launch.launch.group_size = device_.info().is_cpu ? 1 : 64;
    launch.launch.groups = (items + launch.launch.group_size - 1) / launch.launch.group_size;
    if (spec.node_group) {
      const std::int64_t cells = std::int64_t{spec.node_group->cells()} * spec.node_group->sequence;
      launch.launch.group_size = spec.node_group->parallel * spec.operators->element.num_nodes();
      launch.launch.groups = (groups + cells - 1) / cells;
    }
  }
  return launch;
}

void DgOperator::react(double time, double h, Vector &q) {
  if (reaction_)
    reaction_->react(time, h, q);
}

void DgOperator::need_scratch(bool separate) {
  const auto need = [&](const std::string &name, std::int64_t count) {
    if (count > 0 && !shared_.contains(name))
      shared_[name] = make_vector(device_, count, settings_.precision, name.c_str()).buffer;
  };
  const DgValues values = dg_values(law_);
  need("gradient", mesh_.size(values.gradients));
  if (!law_.finite_volume)
    need("whole_gradient", mesh_.size(values.gradients));
  need("limiter", mesh_.size(values.limiters));
  if (!separate)
    return;
  need("rate", size());
  for (std::size_t s = 0; s < parts_.size(); ++s)
    if (!parts_[s].buffers.contains("facet_flux"))
      parts_[s].buffers["facet_flux"] =
          make_vector(device_,
                      mesh_.sets[s].groups.num_groups() * mesh_.sets[s].num_facet_points() *
                          law_.num_components * mesh_.lanes,
                      settings_.precision, "fluxes of facets")
              .buffer;
}

void DgOperator::launch(DgStage stage, const Call &call) {
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    DgLaunch &launch = launch_of(parts_[s], s, stage, call.update);
    std::vector<KernelArgument> arguments;
    for (const std::string &name : launch.kernel.arguments)
      arguments.push_back(argument(parts_[s], s, launch, name, call));
    device_.launch(launch.program, launch.kernel.name, launch.launch, arguments);
  }
}

void DgOperator::launch_part(DgStage stage, double time, double h, const StageUpdate &update,
                             const Vector &q, const Vector *start, Vector *sum, Vector &out) {
  need_scratch(stage == DgStage::differentiate || stage == DgStage::flux ||
               stage == DgStage::lift || stage == DgStage::update);
  launch(stage, {time, h, update, &q, start, sum, &out});
}

std::vector<DgStage> DgOperator::parts_of_stage(bool fused) const {
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

void DgOperator::stage(double time, double h, const StageUpdate &update, const Vector &q,
                       const Vector *start, Vector *sum, Vector &out) {
  need_scratch(!settings_.fused);
  for (const DgStage part : parts_of_stage(settings_.fused))
    launch(part, {time, h, update, &q, start, sum, &out});
}

std::vector<NamedCost> DgOperator::costs_of(DgStage part, const StageUpdate &update) {
  std::vector<NamedCost> costs;
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    const DgLaunch &launch = launch_of(parts_[s], s, part, update);
    NamedCost cost{launch.kernel.name,
                   dg_cost(part, launch.spec, launch.kernel, parts_[s].extent, table_sizes_,
                           dg_registers(launch.spec, device_.info()))};
    count_launch(cost.cost, launch.launch);
    costs.push_back(cost);
  }
  return costs;
}

std::vector<NamedCost> DgOperator::costs(const StageUpdate &update) {
  std::vector<NamedCost> all;
  for (const DgStage part : parts_of_stage(settings_.fused)) {
    const std::vector<NamedCost> of_part = costs_of(part, update);
    all.insert(all.end(), of_part.begin(), of_part.end());
  }
  return all;
}

Operations DgOperator::needed_operations(DgStage part, const StageUpdate &update) {
  Operations sum;
  for (std::size_t s = 0; s < parts_.size(); ++s)
    sum += double(d_.mesh->sets[mesh_.sets[s].set].num_cells()) *
           launch_of(parts_[s], s, part, update).kernel.operations;
  return sum;
}

bool DgOperator::sources_depend_on_state() const {
  return reaction_ || law_.source.uses(SymbolKind::field) ||
         law_.source.uses(SymbolKind::field_gradient);
}

double DgOperator::unit_step(double time, const Vector &q) {
  need_scratch(false);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    Part &part = parts_[s];
    DgLaunch &launch = launch_of(part, s, DgStage::step, {});
    const std::int64_t groups = mesh_.sets[s].groups.num_groups();
    const std::int64_t items = (groups + part.spec.groups_per_item - 1) / part.spec.groups_per_item;
    Vector shortest = make_vector(device_, items, settings_.precision, "shortest steps");
    part.buffers["shortest"] = shortest.buffer;
    const Call call{.time = time, .q = &q};
    std::vector<KernelArgument> arguments;
    for (const std::string &name : launch.kernel.arguments)
      arguments.push_back(argument(part, s, launch, name, call));
    device_.launch(launch.program, launch.kernel.name, launch.launch, arguments);
    for (const double step : get_vector(device_, shortest)) {
      if (std::isnan(step))
        return step;
      least = std::min(least, step);
    }
  }
  return least;
}

std::vector<const DgLaunch *> DgOperator::launches() const {
  std::vector<const DgLaunch *> result;
  for (const Part &part : parts_)
    for (const auto &[key, launch] : part.launches)
      result.push_back(&launch);
  return result;
}

} // namespace weft
