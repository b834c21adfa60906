// The launches of a form's kernels: integrals described to the printer, arguments bound by role.
#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "kernel/block_layout.h"
#include "op/form_plan.h"
#include "op/stored_geometry.h"

namespace weft {

namespace {

using Kind = NodalInput::Kind;

// Entries that are the same in all classes become numbers in the kernel's text.
std::vector<std::optional<double>> uniform_entries(const ClassTable &table) {
  std::vector<std::optional<double>> uniform(table.num_entries);
  for (int entry = 0; entry < table.num_entries; ++entry) {
    bool same = true;
    for (std::size_t i = entry; i < table.values.size(); i += table.num_entries)
      same = same && table.values[i] == table.values[entry];
    if (same && !table.values.empty())
      uniform[entry] = table.values[entry];
  }
  return uniform;
}

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
  diagnostic.remedy = "docs/c_text.md says what the text may use";
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

PointwiseFunction FormPlan::function_of(IntegralKind kind, const FormIntegral &integral) const {
  switch (kind) {
  case IntegralKind::residual:
    return integral.residual;
  case IntegralKind::linearised:
    return integral.linearised;
  case IntegralKind::diagonal:
    break;
  }
  std::vector<int> components;
  for (const FieldSpec &field : d_.form.fields)
    components.push_back(field.components());
  return diagonal_blocks(integral.linearised, d_.mesh->dim, components);
}

CellIntegral FormPlan::describe(IntegralKind kind, const Part &part) const {
  CellIntegral in;
  in.form_name = settings_.form_name;
  in.kind = kind;
  in.dim = d_.mesh->dim;
  in.cell = d_.mesh->sets[part.set].type;
  in.on_facets = part.on_facets;
  in.precision = settings_.precision;
  in.lanes = lanes_;
  in.geometry = part.on_facets ? GeometrySource::on_the_fly : settings_.geometry;
  for (const NodeMap *map : families_)
    in.families.push_back({map->sets[part.set].element});
  std::vector<int> components;
  for (std::size_t f = 0; f < d_.form.fields.size(); ++f) {
    components.push_back(d_.form.fields[f].components());
    in.tests.push_back({components.back(), family_of_map_[d_.field_map[f]]});
  }
  if (part.on_facets || d_.form.c_text.empty()) {
    in.function = function_of(kind, *integral(part.on_facets));
  } else {
    require(kind == IntegralKind::residual, "C text is differentiated by differences");
    in.c_text = d_.form.c_text;
    in.function = d_.form.c_text.values;
  }
  if (part.on_facets)
    in.facet_quadrature = part.facet_quadrature;
  else
    in.quadrature = make_quadrature(in.cell, d_.cell_degree);
  in.local_facets = part.local_facets;
  in.cell_table = uniform_entries(d_.cell_table);
  in.facet_table = uniform_entries(d_.facet_table);

  in.inputs.push_back({Kind::coordinates, 0, in.dim, 0});
  const auto uses = [&](SymbolKind value, SymbolKind gradient, int index) {
    return in.function.uses(value, index) || in.function.uses(gradient, index);
  };
  for (int f = 0; f < static_cast<int>(components.size()); ++f) {
    const int family = in.tests[f].family;
    if (uses(SymbolKind::field, SymbolKind::field_gradient, f))
      in.inputs.push_back({Kind::field, f, components[f], family});
    if (uses(SymbolKind::direction, SymbolKind::direction_gradient, f))
      in.inputs.push_back({Kind::direction, f, components[f], family});
  }
  for (int a = 0; a < static_cast<int>(d_.auxiliary.size()); ++a)
    if (uses(SymbolKind::auxiliary, SymbolKind::auxiliary_gradient, a))
      in.inputs.push_back(
          {Kind::auxiliary, a, d_.auxiliary[a].components, family_of_map_[d_.auxiliary[a].map]});
  if (in.function.uses(SymbolKind::cell_size))
    in.inputs.push_back({Kind::cell_size, -1, 1, -1});
  return in;
}

KernelVariant FormPlan::variant_for(const CellIntegral &in, Strategy strategy) const {
  const DeviceInfo &info = device_.info();
  KernelVariant variant;
  variant.strategy = strategy;
  variant.leaves_per_block = merge_;
  variant.groups_per_item = info.is_cpu ? 64 : 1;
  variant.group_size = info.is_cpu ? 1 : 128;
  if (strategy != Strategy::transposed)
    return variant;
  variant.num_blocks = 1;
  const TransposedSizes one = transposed_sizes(in, variant);
  const std::int64_t local_a_block = std::int64_t{one.batch_cells} * in.num_points() *
                                     in.num_components() * (1 + in.dim) * lanes_ * real_bytes();
  const int wanted_threads = info.is_cpu ? 32 : 128;
  const std::int64_t local_limit =
      std::min<std::int64_t>(static_cast<std::int64_t>(info.local_memory_bytes), 48 << 10);
  std::int64_t blocks = std::max(1, wanted_threads / one.threads);
  blocks = std::max<std::int64_t>(1, std::min(blocks, local_limit / local_a_block));
  variant.num_blocks = settings_.num_blocks.value_or(static_cast<int>(blocks));
  variant.num_batches = settings_.num_batches.value_or(info.is_cpu ? 16 : 4);
  const std::int64_t threads = std::int64_t{one.threads} * variant.num_blocks;
  const std::int64_t local = local_a_block * variant.num_blocks;
  // Some drivers place more than the kernel asks for in local memory.
  const std::int64_t local_allowed = static_cast<std::int64_t>(info.local_memory_bytes) * 3 / 4;
  if (threads > info.max_work_group || local > local_allowed)
    throw Error(
        ErrorKind::unsupported,
        {.what = "strategy \"transposed\" for this element and quadrature on " + info.name,
         .found =
             fmt::format("{} work-items and {} bytes of local memory a work-group", threads, local),
         .allowed = fmt::format("{} work-items, {} bytes", info.max_work_group, local_allowed),
         .remedy = "use strategy \"cell\" or \"block\""});
  return variant;
}

std::vector<IntegralLaunch> FormPlan::make_launches(IntegralKind kind) {
  std::vector<IntegralLaunch> launches;
  for (Part &part : parts_)
    launches.push_back(make_launch(kind, part));
  return launches;
}

IntegralLaunch FormPlan::make_launch(IntegralKind kind, Part &part) {
  const Strategy strategy = part.on_facets ? Strategy::cell : strategy_;
  const CellIntegral in = describe(kind, part);
  KernelVariant variant = variant_for(in, strategy);
  variant.block_group = part.block_group;
  IntegralLaunch launch;
  launch.source =
      make_integral_kernel(in, variant, device_.info().backend, part.counts.stage_nodes);
  launch.program = build_kernel(device_, launch.source, d_.form.c_text);
  launch.variant = to_string(variant, lanes_);
  launch.on_facets = part.on_facets;
  launch.cell = in.cell;
  launch.order = in.families[in.tests[0].family].element.order;
  launch.num_cells = part.counts.cells;
  launch.launch = integral_launch(in, variant, part.counts);
  launch.cost = integral_cost(in, variant, part.counts, launch.source.cost);
  launch.needed = integral_operations(in, variant, part.counts, launch.source.cost);
  bind(launch, in, part);
  return launch;
}

void FormPlan::bind(IntegralLaunch &launch, const CellIntegral &in, Part &part) {
  for (const ArgumentSpec &spec : launch.source.arguments) {
    const int place = static_cast<int>(launch.arguments.size());
    if (spec.role == ArgumentRole::input && in.inputs[spec.index].kind == Kind::field)
      launch.field_arguments.push_back(place);
    if (spec.role == ArgumentRole::input && in.inputs[spec.index].kind == Kind::direction)
      launch.direction_arguments.push_back(place);
    if (spec.role == ArgumentRole::output)
      launch.output_arguments.push_back(place);
    launch.arguments.push_back(argument(spec, in, part));
  }
}

KernelArgument FormPlan::real_argument(double value) const {
  if (settings_.precision == Precision::f64)
    return value;
  return static_cast<float>(value);
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
  case ArgumentRole::cell_class:
    if (!part.cell_class)
      part.cell_class = class_array(part.groups, d_.mesh->sets[part.set].region);
    return part.cell_class;
  case ArgumentRole::cell_table:
    return cell_table_;
  case ArgumentRole::facet_class:
    return part.facet_class;
  case ArgumentRole::facet_table:
    return facet_table_;
  case ArgumentRole::facet_slot:
    return part.facet_slot;
  case ArgumentRole::time:
    return real_argument(settings_.time);
  case ArgumentRole::blocks:
    return part.blocks;
  case ArgumentRole::shared_nodes:
    return shared_[spec.index];
  case ArgumentRole::block_passes:
    return part.block_passes;
  case ArgumentRole::block_lists:
    return part.block_lists[spec.index];
  case ArgumentRole::coordinate_image:
    return part.image;
  case ArgumentRole::output:
    return Buffer{};
  case ArgumentRole::output_offset:
    return d_.field_offset[spec.index];
  case ArgumentRole::border:
    return border_[spec.index];
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
  const bool positions = in.function.uses(SymbolKind::coordinate);
  Buffer &stored = part.stored_geometry[positions ? "with positions" : ""];
  if (!stored)
    stored = upload_reals(
        device_, stored_geometry(d_, part.set, part.groups, in.quadrature, in.affine(), positions),
        settings_.precision, "stored geometry");
  return stored;
}

Buffer FormPlan::cell_values_of(const NodalInput &input, Part &part) {
  Buffer &buffer = part.cell_values[input.index];
  if (buffer)
    return buffer;
  // Values of the set's cells: [cell, component].
  std::vector<double> values;
  if (input.kind == Kind::cell_size) {
    for (std::int64_t c = 0; c < d_.mesh->sets[part.set].num_cells(); ++c)
      values.push_back(cell_size(d_, part.set, c));
  } else {
    const AuxiliaryField &auxiliary = d_.auxiliary[input.index];
    for (const std::int32_t number : d_.maps[auxiliary.map].sets[part.set].nodes)
      for (int k = 0; k < input.components; ++k)
        values.push_back(auxiliary.values[std::int64_t{number} * input.components + k]);
  }
  const LaneGroups &groups = part.groups;
  std::vector<double> by_lane(groups.cells.size() * input.components);
  for (std::int64_t g = 0; g < groups.num_groups(); ++g)
    for (int l = 0; l < lanes_; ++l) {
      const std::int32_t own = groups.cells[g * lanes_ + l];
      const std::int64_t cell = own >= 0 ? own : groups.cells[g * lanes_];
      for (int k = 0; k < input.components; ++k)
        by_lane[(g * input.components + k) * lanes_ + l] = values[cell * input.components + k];
    }
  buffer = upload_reals(device_, by_lane, settings_.precision, "values of cells");
  return buffer;
}

} // namespace weft
