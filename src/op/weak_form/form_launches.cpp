// The launches of a form's kernels: integrals described to the printer, arguments bound by role.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/text/block_layout.h"
#include "op/layout/stored_geometry.h"
#include "op/weak_form/form_plan.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

// A compiler's message about C text, which names a line of case.toml, with the case's own file and
// the key.
Error with_key(const Error &error, const CText &c_text) {
  Diagnostic diagnostic = error.diagnostic();
  const std::size_t colon = diagnostic.where.rfind(':');
  const int line = colon == std::string::npos ? 0 : std::atoi(&diagnostic.where[colon + 1]);
  int nearest = 0;
  std::string file, keys;
  for (const CTextFunction &function : c_text.functions)
    for (const auto *text : {&function.f0, &function.f1}) {
      if (!*text || (*text)->line > line || (*text)->line < nearest)
        continue;
      keys = (*text)->line == nearest ? keys + ", " + (*text)->key : (*text)->key;
      file = (*text)->file;
      nearest = (*text)->line;
    }
  diagnostic.where = fmt::format("{}:{}: {}", file, line, keys);
  diagnostic.remedy = "docs/reference/c_text.md says what the text may use";
  return {error.kind(), diagnostic};
}

Program build_kernel(Device &device, const KernelSource &source, const CText &c_text) {
  try {
    return device.build({.name = source.name, .text = source.text, .kernels = {source.name}});
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::input)
      throw;
    throw with_key(error, c_text);
  }
}

} // namespace

std::vector<IntegralLaunch> FormPlan::make_launches(IntegralKind kind) {
  std::vector<IntegralLaunch> launches;
  for (Part &part : parts_)
    launches.push_back(make_launch(kind, part));
  return launches;
}

IntegralLaunch FormPlan::make_launch(IntegralKind kind, Part &part) {
  if (part.is_two_sided() && kind == IntegralKind::diagonal) {
    MatrixVariant variant;
    variant.loop_order =
        usual_loop_order(describe(IntegralKind::matrix, part), device_.info().is_cpu);
    variant.destination = MatrixDestination::diagonal;
    take_groups(variant, device_.info());
    part.counts.equal_rows = count_equal_rows(part);
    return make_matrix_launch(part, variant);
  }
  const Strategy strategy = part.on_facets ? Strategy::cell : strategy_;
  const CellIntegral in = describe(kind, part);
  KernelVariant variant = kernel_variant(in, strategy, settings_, device_.info());
  variant.block_group = part.block_group;
  IntegralLaunch launch;
  launch.source =
      make_integral_kernel(in, variant, device_.info().backend, part.counts.stage_nodes);
  launch.program = build_kernel(device_, launch.source, d_.form.c_text);
  launch.variant = to_string(variant, lanes_) +
                   (in.sums == Summation::points ? "" : " sums=" + to_string(in.sums));
  launch.on_facets = part.on_facets;
  launch.cell = in.cell;
  launch.order = in.families[in.tests[0].family].element.order;
  launch.num_cells = part.counts.cells;
  launch.launch = integral_launch(in, variant, part.counts);
  launch.cost = integral_cost(in, variant, part.counts, launch.source.cost);
  launch.needed = integral_operations(in, variant, part.counts, launch.source.cost);
  launch.paper = paper_sizes(in, variant);
  bind(launch, in, part);
  return launch;
}

IntegralLaunch FormPlan::make_matrix_launch(Part &part, const MatrixVariant &variant,
                                            int stage_entries, const StageCounts &stages) {
  const CellIntegral in = describe(IntegralKind::matrix, part);
  IntegralLaunch launch;
  launch.source = make_matrix_kernel(in, variant, device_.info().backend, stage_entries);
  launch.program = device_.build(
      {.name = launch.source.name, .text = launch.source.text, .kernels = {launch.source.name}});
  launch.variant = to_string(variant, lanes_);
  launch.on_facets = part.on_facets;
  launch.cell = in.cell;
  launch.order = in.families[in.tests[0].family].element.order;
  launch.num_cells = part.counts.cells;
  launch.launch = matrix_launch(variant, part.counts);
  launch.cost = matrix_cost(in, variant, part.counts, stages, launch.source.cost);
  launch.needed = static_cast<double>(part.counts.cells) * launch.source.cost.operations;
  bind(launch, in, part);
  return launch;
}

void FormPlan::bind(IntegralLaunch &launch, const CellIntegral &in, Part &part) {
  for (const ArgumentSpec &spec : launch.source.arguments) {
    const int index = static_cast<int>(launch.arguments.size());
    if (spec.role == ArgumentRole::input && in.inputs[spec.index].kind == Kind::field)
      launch.field_arguments.push_back(index);
    if (spec.role == ArgumentRole::input && in.inputs[spec.index].kind == Kind::rate_offset)
      launch.rate_offset_arguments[in.inputs[spec.index].order - 1].push_back(index);
    if (spec.role == ArgumentRole::input && in.inputs[spec.index].kind == Kind::direction)
      launch.direction_arguments.push_back(index);
    if (spec.role == ArgumentRole::output)
      launch.output_arguments.push_back(index);
    if (spec.role == ArgumentRole::time)
      launch.time_arguments.push_back(index);
    if (spec.role == ArgumentRole::shift)
      launch.shift_arguments[spec.index].push_back(index);
    launch.arguments.push_back(argument(spec, in, part));
  }
}

KernelArgument FormPlan::real_argument(double value) const {
  return weft::real_argument(value, settings_.precision);
}

KernelArgument FormPlan::argument(const ArgumentSpec &spec, const CellIntegral &in, Part &part) {
  switch (spec.role) {
  case ArgumentRole::num_groups:
    return static_cast<std::int32_t>(part.groups.num_groups());
  case ArgumentRole::element_vectors:
    return part.element_vectors;
  case ArgumentRole::first_entry:
    return part.first_entry;
  case ArgumentRole::nodes:
    return part.nodes[spec.index];
  case ArgumentRole::input: {
    const NodalInput &input = in.inputs[spec.index];
    if (input.kind == Kind::coordinates)
      return coordinates_;
    if (input.family < 0)
      return cell_values_of(input, part);
    if (input.kind == Kind::auxiliary)
      return auxiliary_[input.index];
    return Buffer{};
  }
  case ArgumentRole::input_offset: {
    const NodalInput &input = in.inputs[spec.index];
    return input.kind == Kind::auxiliary ? std::int64_t{0} : d_.field_offset[input.index];
  }
  case ArgumentRole::stored_geometry:
    return stored_geometry_of(in, part);
  case ArgumentRole::cell_class: {
    Buffer &classes = part.cell_class[spec.index];
    if (!classes)
      classes = class_array(*part.groups_of_sides()[spec.index],
                            d_.mesh->sets[part.sets()[spec.index]].region);
    return classes;
  }
  case ArgumentRole::cell_table:
    return cell_table_;
  case ArgumentRole::facet_class:
    return part.facet_class;
  case ArgumentRole::facet_table:
    return facet_table_;
  case ArgumentRole::facet_slot:
    return part.facet_slot[spec.index];
  case ArgumentRole::time:
  case ArgumentRole::shift:
    return real_argument(0); // of each call
  case ArgumentRole::blocks:
    return part.blocks;
  case ArgumentRole::shared_nodes:
    return shared_[spec.index];
  case ArgumentRole::block_passes:
    return part.block_passes;
  case ArgumentRole::block_lists:
    return part.block_lists[spec.index];
  case ArgumentRole::coordinate_image:
    return part.image ? part.image : node_image();
  case ArgumentRole::output:
    return Buffer{};
  case ArgumentRole::output_offset:
    return d_.own_offset[spec.index];
  case ArgumentRole::interface:
    return interface_[spec.index];
  default: // of other families
    break;
  }
  require(false, "every argument's role is bound");
  return Buffer{};
}

Buffer FormPlan::class_array(const LaneGroups &groups, const std::vector<std::int32_t> &classes) {
  std::vector<std::int32_t> by_lane(groups.cells.size());
  for (std::size_t c = 0; c < by_lane.size(); ++c) {
    const std::int32_t own = groups.cells[c];
    by_lane[c] = classes[own >= 0 ? own : groups.cells[c / groups.lanes * groups.lanes]];
  }
  return upload(device_, by_lane, "classes of cells");
}

Buffer FormPlan::stored_geometry_of(const CellIntegral &in, Part &part) {
  const StoredGeometryLayout layout = in.stored_geometry_layout();
  Buffer &stored = part.stored_geometry[{layout.inverse, layout.positions}];
  if (!stored)
    stored =
        upload_reals(device_, stored_geometry(d_, part.set, part.groups, in.quadrature, layout),
                     settings_.precision, "stored geometry");
  return stored;
}

Buffer FormPlan::cell_values_of(const NodalInput &input, Part &part) {
  Buffer &buffer = part.cell_values[{input.index, input.side}];
  if (!buffer)
    buffer =
        upload_reals(device_, cell_values(input, part), settings_.precision, "values of cells");
  return buffer;
}

std::vector<double> FormPlan::cell_values(const NodalInput &input, const Part &part) const {
  const std::size_t side = input.side == Side::plus ? 1 : 0;
  const int set = part.sets()[side];
  // Values of the set's cells: [cell, component].
  std::vector<double> values;
  if (input.kind == Kind::cell_size) {
    for (std::int64_t c = 0; c < d_.mesh->sets[set].num_cells(); ++c)
      values.push_back(cell_size(d_, set, c));
  } else {
    const AuxiliaryField &auxiliary = d_.auxiliary[input.index];
    for (const std::int32_t number : d_.maps[auxiliary.map].sets[set].nodes)
      for (int k = 0; k < input.components; ++k)
        values.push_back(auxiliary.values[std::int64_t{number} * input.components + k]);
  }
  const LaneGroups &groups = *part.groups_of_sides()[side];
  std::vector<double> by_lane(groups.cells.size() * input.components);
  for (std::int64_t g = 0; g < groups.num_groups(); ++g)
    for (int l = 0; l < lanes_; ++l) {
      const std::int32_t own = groups.cells[g * lanes_ + l];
      const std::int64_t cell = own >= 0 ? own : groups.cells[g * lanes_];
      for (int k = 0; k < input.components; ++k)
        by_lane[(g * input.components + k) * lanes_ + l] = values[cell * input.components + k];
    }
  return by_lane;
}

void FormPlan::rewrite(const Buffer &buffer, const std::vector<double> &values) {
  Vector view{buffer, static_cast<std::int64_t>(values.size()), settings_.precision};
  if (view.size > 0)
    set_vector(device_, view, values);
}

void FormPlan::update_tables() {
  rewrite(cell_table_, d_.cell_table.values);
  rewrite(facet_table_, d_.facet_table.values);
}

void FormPlan::update_auxiliary(bool AuxiliaryField::*depends) {
  for (std::size_t a = 0; a < auxiliary_.size(); ++a) {
    if (!(d_.auxiliary[a].*depends))
      continue;
    if (auxiliary_[a])
      rewrite(auxiliary_[a], d_.auxiliary[a].values);
    const int index = static_cast<int>(a);
    for (Part &part : parts_)
      for (const auto &[of, values] : part.cell_values)
        if (of.first == index)
          rewrite(values,
                  cell_values({Kind::auxiliary, index, d_.auxiliary[a].components, -1, of.second},
                              part));
  }
}

} // namespace weft
