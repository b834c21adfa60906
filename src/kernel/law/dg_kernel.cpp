#include "kernel/law/dg_kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/embedded.h"
#include "base/error.h"
#include "base/number.h"
#include "device/dialect.h"
#include "kernel/cell/integral_kernel.h"
#include "kernel/law/dg_functions.h"
#include "kernel/law/dg_limiter.h"
#include "kernel/law/dg_symmetry.h"
#include "kernel/law/law_arguments.h"
#include "kernel/text/constant_table.h"

namespace weft {

namespace {

// The metric is that of derivatives; curved cells divide by volumes with it.
bool reads_metric(DgStage stage, const DgKernelSpec &spec) {
  if (stage == DgStage::flux || stage == DgStage::step || spec.law->finite_volume)
    return false;
  return !spec.affine || stage == DgStage::fused || stage == DgStage::differentiate ||
         stage == DgStage::gradient;
}

bool meets_facets(DgStage stage, const ConservationLaw &law) {
  return stage == DgStage::fused || stage == DgStage::flux || stage == DgStage::gradient ||
         (law.finite_volume && stage == DgStage::step);
}

bool samples_boundary(const ConservationLaw &law) {
  for (std::size_t b = 0; b < law.boundaries.size(); ++b)
    if (law.finite_volume && is_sampled(law, static_cast<int>(b)))
      return true;
  return false;
}

LawArguments arguments_of(DgStage stage, const DgKernelSpec &spec, const DgValues &of_point,
                          bool dense_lift) {
  using enum ArgumentRole;
  const ConservationLaw &law = *spec.law;
  const bool is_fused = stage == DgStage::fused, is_gradient = stage == DgStage::gradient;
  LawArguments a;
  // How many groups a work-item does follows the number of cells: as an argument, meshes of any
  // size share a kernel.
  a.add_all({num_groups, groups_per_item, first_unit, time});
  if (stage == DgStage::limit)
    a.add_shared(q); // which is `out` too
  else
    a.add(q);
  const bool fv_gradient = law.finite_volume && is_gradient;
  const auto add_gradient = [&](ArgumentRole role) {
    if (is_gradient)
      a.add_written(role);
    else
      a.add(role);
  };
  if (fv_gradient || dg_reads_gradients(stage, law))
    add_gradient(gradient);
  if (!law.finite_volume && law.viscous)
    add_gradient(whole_gradient);
  if (of_point.limiters > 0 && (fv_gradient || dg_reads_limiter(stage, law)))
    add_gradient(limiter);
  if (fv_gradient) {
    a.add(gradient_weights);
    if (of_point.limiters > 0)
      a.add_all({limiter_slack, limiter_scale});
  }
  if (of_point.known > 0)
    a.add(known);
  if (any_uses(law, SymbolKind::coordinate))
    a.add(coordinates);
  if (reads_metric(stage, spec))
    a.add(metric);
  if (any_uses(law, SymbolKind::cell_size))
    a.add(cell_size);
  if (!law.cell_table.empty())
    a.add_all({cell_class, cell_table});
  if (meets_facets(stage, law)) {
    a.add(facet_metric);
    if (law.finite_volume)
      a.add(plus_slot);
    else
      a.add_all({rows, plus_unit, plus_row});
    a.add_all({condition, conditions});
    if (spec.plus_entries > 1)
      a.add(row_factors);
    if (has_facet_places(law, *spec.operators))
      a.add(facet_coordinates);
    if (!law.cell_table.empty())
      a.add(plus_class);
    if (!law.facet_table.empty())
      a.add_all({facet_class, facet_table});
  }
  if ((meets_facets(stage, law) || stage == DgStage::limit) && spec.operators->entries() > 1)
    a.add_all({trace, trace_node});
  if (is_gradient && !law.finite_volume)
    a.add_all({strong_fast, strong_slow});
  const bool by_symmetry = dg_uses_symmetry(stage, spec);
  if (!by_symmetry && ((is_fused && !law.finite_volume) || stage == DgStage::differentiate))
    a.add_all({fast, slow});
  if (by_symmetry) {
    a.add(products, static_cast<int>(stage));
  } else if (is_fused || stage == DgStage::lift || (is_gradient && !law.finite_volume)) {
    a.add(lift);
    if (!dense_lift)
      a.add_all({lift_place, lift_column});
  }
  if (stage == DgStage::flux)
    a.add_written(facet_flux);
  if (stage == DgStage::lift)
    a.add(facet_flux);
  if (stage == DgStage::differentiate || stage == DgStage::lift)
    a.add_written(rate);
  if (stage == DgStage::update)
    a.add(rate);
  if (is_fused || stage == DgStage::update) {
    // What the update does not use is an argument all the same, and not read.
    a.add_all({h, keep, start_factor, state_factor, sum_factor, rate_factor, start});
    a.add_written(sum);
    a.add_written(out);
  }
  if (stage == DgStage::step) {
    if (!law.finite_volume)
      a.add(length);
    a.add_written(shortest);
  }
  if (stage == DgStage::means || stage == DgStage::limit)
    a.add_all({first_group, weights});
  if (stage == DgStage::means)
    a.add_written(means);
  if (stage == DgStage::limit) {
    a.add_all({means, plus_group, plus_row, mass, high_modes, linear, lobatto});
    a.add_shared_written(out);
  }
  return a;
}

std::string facet_tables(const NodalOperators &operators) {
  std::vector<int> first = {0}, nodes;
  for (const NodalFacet &facet : operators.facets) {
    nodes.insert(nodes.end(), facet.nodes.begin(), facet.nodes.end());
    first.push_back(first.back() + facet.num_points());
  }
  return integer_table("weft_facet_first", first) +
         (operators.entries() == 1 ? integer_table("weft_facet_node", nodes) : "");
}

// Components of all fields in a row that a function asks for on a side, ascending.
std::vector<int> used_components(const PointwiseFunction &function, SymbolKind kind, Side side,
                                 const std::vector<FieldSpec> &fields) {
  std::set<int> used;
  for (const Symbol &s : function.symbols)
    if (s.kind == kind && s.side == side) {
      int component = s.component;
      for (int f = 0; f < s.index; ++f)
        component += fields[f].components();
      used.insert(component);
    }
  return {used.begin(), used.end()};
}

// What only finite volumes have.
std::string finite_volume_text(DgStage stage, const DgKernelSpec &spec, const DgValues &values) {
  const ConservationLaw &law = *spec.law;
  int outer_conditions = 0;
  for (std::size_t b = 0; b < law.boundaries.size(); ++b)
    outer_conditions |= gives_some_outer(law, static_cast<int>(b)) ? 1 << b : 0;
  std::string text =
      fmt::format("#define WEFT_SAMPLES_BOUNDARY {}\n#define WEFT_LIMITS_SHARPLY {}\n#define "
                  "WEFT_DIFFUSION {}\n#define WEFT_OUTER_CONDITIONS {}\n#define WEFT_TINY {}\n",
                  samples_boundary(law) ? 1 : 0, law.limiter == "barth_jespersen" ? 1 : 0,
                  has_diffusion(law) ? 1 : 0, outer_conditions,
                  spec.precision == Precision::f64 ? "1e-300" : "1e-30f");
  if (values.gradients > 0)
    text += integer_table("weft_gradient_component", values.with_gradient);
  const FvPlusValues plus = fv_plus_values(stage, law);
  text += fmt::format("#define WEFT_PLUS_COMPONENTS {}\n#define WEFT_PLUS_KNOWN {}\n",
                      plus.components.size(), plus.known.size());
  if (!plus.components.empty())
    text += integer_table("weft_plus_component", plus.components);
  if (!plus.known.empty())
    text += integer_table("weft_plus_known", plus.known);
  // Of the area ratio over the volume ratio: area over volume.
  const NodalOperators &in = *spec.operators;
  text += fmt::format("WEFT_CONSTANT real weft_facet_share[{}] = {{", in.facets.size());
  for (std::size_t f = 0; f < in.facets.size(); ++f)
    text += (f == 0 ? "" : ", ") + format_literal(in.facets[f].lift[0], spec.precision);
  return text + "};\n";
}

// Sizes and choices, as macros.
std::string constants_text(DgStage stage, const DgKernelSpec &spec, const std::string &name) {
  const ConservationLaw &law = *spec.law;
  const NodalOperators &in = *spec.operators;
  const DgValues values = dg_values(law);
  const DgBlocks blocks = dg_blocks(in, spec.rows);
  std::string text;
  const auto define = [&](const char *name, const auto &value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  int most_facet_nodes = 0;
  for (const NodalFacet &facet : in.facets)
    most_facet_nodes = std::max(most_facet_nodes, facet.num_points());
  define("WEFT_KERNEL_NAME", name);
  define("WEFT_DIM", law.dim);
  define("WEFT_COMPONENTS", law.num_components);
  define("WEFT_FINITE_VOLUME", law.finite_volume ? 1 : 0);
  define("WEFT_STATE_BY_CELL", dg_state_lies_by_cell(law, spec.lanes) ? 1 : 0);
  define("WEFT_GRADIENTS", dg_reads_gradients(stage, law) ? 1 : 0);
  define("WEFT_GRADIENT_VALUES", values.gradients);
  define("WEFT_LIMITERS", values.limiters);
  define("WEFT_READS_LIMITER", dg_reads_limiter(stage, law) ? 1 : 0);
  define("WEFT_KNOWN", values.known);
  define("WEFT_VALUES", values.total());
  define("WEFT_NODES", in.element.num_nodes());
  define("WEFT_FACETS", in.facets.size());
  define("WEFT_FACET_NODES", in.num_facet_points());
  define("WEFT_MAX_FACET_NODES", most_facet_nodes);
  define("WEFT_AFFINE", spec.affine ? 1 : 0);
  define("WEFT_ONE_CELL_TYPE", spec.one_cell_type ? 1 : 0);
  define("WEFT_ROW_ENTRIES", spec.row_entries);
  define("WEFT_PLUS_ENTRIES", spec.plus_entries);
  define("WEFT_TRACE_ENTRIES", in.entries());
  define("WEFT_FACET_PLACES", has_facet_places(law, in) ? 1 : 0);
  define("WEFT_MEETS_FACETS", meets_facets(stage, law) ? 1 : 0);
  const DgFacetLayout facet = dg_facet_layout(law, in.element.order);
  define("WEFT_FACET_ENTRIES", facet.entries);
  define("WEFT_PENALTY_AT", facet.penalty);
  define("WEFT_MIDDLE_AT", facet.middle);
  define("WEFT_OFFSETS_AT", facet.offsets);
  define("WEFT_READS_METRIC", reads_metric(stage, spec) ? 1 : 0);
  define("WEFT_USES_PENALTY", any_uses(law, SymbolKind::penalty) ? 1 : 0);
  define("WEFT_CELL_PARAMETERS", law.cell_table.size());
  define("WEFT_FACET_PARAMETERS", law.facet_table.size());
  define("WEFT_USES_COORDINATES", any_uses(law, SymbolKind::coordinate) ? 1 : 0);
  define("WEFT_USES_CELL_SIZE", any_uses(law, SymbolKind::cell_size) ? 1 : 0);
  define("WEFT_FAST_NODES", blocks.fast_nodes);
  define("WEFT_FAST_DIRECTIONS", blocks.fast_directions);
  define("WEFT_SLOW_NODES", blocks.slow_nodes);
  define("WEFT_LINE_BLOCKS", blocks.line_blocks);
  define("WEFT_BLOCKS", blocks.blocks);
  define("WEFT_BLOCK_ROWS", spec.rows);
  define("WEFT_DENSE_LIFT", blocks.dense_lift ? 1 : 0);
  define("WEFT_BY_SYMMETRY", dg_uses_symmetry(stage, spec) ? 1 : 0);
  define("WEFT_AHEAD", spec.ahead);
  define("WEFT_STORE_STATE(v, p)", spec.stream ? "lane_store_stream(v, p)" : "lane_store(v, p)");
  define("WEFT_USES_START", spec.update.uses_start ? 1 : 0);
  define("WEFT_USES_SUM", spec.update.uses_sum ? 1 : 0);
  define("WEFT_KEEPS_SUM", spec.update.keeps_sum ? 1 : 0);
  define("WEFT_ORDER", in.element.order);
  define("WEFT_POSITIVE", law.positive.outputs.size());
  define("WEFT_LIMITS_SHOCKS", law.limiter == "shock" ? 1 : 0);
  define("WEFT_SMOOTH_SHARE", format_literal(dg_smooth_share(in.element.order), spec.precision));
  define("WEFT_LEAST_SHARE", format_literal(dg_least_share, spec.precision));
  define("WEFT_LONGEST_STEP", spec.precision == Precision::f64 ? "1e300" : "1e30f");
  if (spec.node_group) {
    define("WEFT_PARALLEL", spec.node_group->parallel);
    define("WEFT_INLINE", spec.node_group->in_line);
    define("WEFT_SEQUENCE", spec.node_group->sequence);
    define("WEFT_GROUP_CELLS", spec.node_group->cells());
    define("WEFT_MATRIX_LOCAL", spec.node_group->matrix_local ? 1 : 0);
  }
  if (law.finite_volume)
    text += finite_volume_text(stage, spec, values);
  return text;
}

} // namespace

bool has_facet_places(const ConservationLaw &law, const NodalOperators &operators) {
  return operators.entries() > 1 && any_uses(law, SymbolKind::coordinate);
}

bool dg_reads_gradients(DgStage stage, const ConservationLaw &law) {
  if (!law.finite_volume)
    return law.viscous;
  return dg_values(law).gradients > 0 &&
         (stage == DgStage::fused || stage == DgStage::flux ||
          (stage == DgStage::update && law.source.uses(SymbolKind::field_gradient)));
}

FvPlusValues fv_plus_values(DgStage stage, const ConservationLaw &law) {
  if (stage == DgStage::gradient)
    return {.components = dg_values(law).with_gradient, .known = {}};
  // Conductivities are of the minus side's symbols, see print_dg_functions().
  const bool is_step = stage == DgStage::step;
  const PointwiseFunction &function = is_step ? law.conormal : law.numerical_flux;
  const Side side = is_step ? Side::minus : Side::plus;
  return {.components = used_components(function, SymbolKind::field, side, law.fields),
          .known = used_components(function, SymbolKind::auxiliary, side, law.auxiliary)};
}

bool dg_reads_limiter(DgStage stage, const ConservationLaw &law) {
  return dg_values(law).limiters > 0 && (stage == DgStage::fused || stage == DgStage::flux);
}

std::string to_string(DgStage stage) {
  switch (stage) {
  case DgStage::fused:
    return "fused";
  case DgStage::differentiate:
    return "differentiate";
  case DgStage::flux:
    return "flux";
  case DgStage::lift:
    return "lift";
  case DgStage::update:
    return "update";
  case DgStage::gradient:
    return "gradient";
  case DgStage::step:
    return "step";
  case DgStage::means:
    return "means";
  case DgStage::limit:
    return "limit";
  }
  return {};
}

std::int64_t dg_node_group_bytes(const DgKernelSpec &spec, const DgNodeGroup &group) {
  const NodalOperators &in = *spec.operators;
  const std::int64_t facet_nodes = in.num_facet_points();
  const std::int64_t line = dg_blocks(in, 1).fast_nodes;
  const std::int64_t reals =
      group.cells() * spec.law->num_components *
          (std::int64_t{spec.law->dim} * in.element.num_nodes() + facet_nodes) +
      (group.matrix_local ? line * line : 0);
  return reals * static_cast<std::int64_t>(size_bytes(spec.precision));
}

KernelSource make_dg_kernel(DgStage stage, const DgKernelSpec &spec, const std::string &backend) {
  const NodalOperators &in = *spec.operators;
  const DgValues values = dg_values(*spec.law);
  const DgBlocks blocks = dg_blocks(in, spec.rows);
  const DgFunctions functions = print_dg_functions(spec);
  const LawArguments arguments = arguments_of(stage, spec, values, blocks.dense_lift);

  KernelSource kernel;
  const bool is_fv = spec.law->finite_volume;
  kernel.name =
      fmt::format("{}_{}_{}_{}_p{}_{}", is_fv ? "fv" : "dg", to_string(stage), spec.form_name,
                  to_string(in.element.cell), in.element.order, to_string(spec.precision));
  kernel.arguments = arguments.specs();
  kernel.cost.operations = dg_operations(stage, spec, functions, false);
  kernel.cost.performed = dg_operations(stage, spec, functions, true);
  kernel.cost.on_boundary =
      stage == DgStage::gradient ? functions.boundary_outer : functions.boundary_flux;

  const bool by_symmetry = dg_uses_symmetry(stage, spec);
  std::string text =
      fmt::format("// {}: generated by Weft, lanes={} rows={} ahead={}{}\n", kernel.name,
                  spec.lanes, spec.rows, spec.ahead, by_symmetry ? " by symmetry" : "");
  text += program_head(backend, spec.precision, spec.lanes);
  text += constants_text(stage, spec, kernel.name);
  text += arguments.macros() + facet_tables(in);
  if (by_symmetry)
    text += dg_symmetry_text(dg_classes(stage, in, spec.rows), spec.rows, spec.precision);
  text += embedded_text("kernels/dg/state.kernel");
  text += embedded_text("kernels/dg/cell.kernel");
  const bool by_nodes = stage == DgStage::fused && spec.node_group.has_value();
  require(!by_nodes || !is_fv, "finite volumes have one node a cell");
  require(!by_nodes || (spec.lanes == 1 && spec.rows == blocks.fast_nodes),
          "threads that are nodes have one lane and whole lines as rows");
  require(!spec.by_symmetry || dg_knows_symmetry(spec), "kernels that know of symmetry");
  const bool has_rows = (stage == DgStage::fused && !by_nodes) || stage == DgStage::differentiate ||
                        stage == DgStage::lift || (stage == DgStage::gradient && !is_fv);
  text += embedded_text("kernels/dg/facet.kernel");
  text += functions.text;
  if (is_fv && meets_facets(stage, *spec.law))
    text += embedded_text("kernels/fv/fv_gather.kernel");
  if (meets_facets(stage, *spec.law))
    text += embedded_text("kernels/dg/facets.kernel");
  if (is_fv && stage == DgStage::step)
    text += embedded_text("kernels/fv/fv_crossing.kernel");
  if (has_rows)
    text += embedded_text("kernels/dg/columns.kernel");
  if (by_symmetry) {
    text += embedded_text("kernels/dg/symmetry.kernel");
  } else {
    if ((stage == DgStage::fused && !by_nodes && !is_fv) || stage == DgStage::differentiate)
      text += embedded_text("kernels/dg/fluxes.kernel");
    if (has_rows)
      text += embedded_text("kernels/dg/rows.kernel");
  }
  if (stage == DgStage::fused || stage == DgStage::update)
    text += embedded_text("kernels/dg/update.kernel");
  if (is_fv && stage == DgStage::gradient)
    text += embedded_text("kernels/fv/fv_gradient.kernel");
  else
    text += embedded_text(by_nodes ? "kernels/dg/dg_nodes.kernel"
                                   : fmt::format("kernels/dg/dg_{}.kernel", to_string(stage)));
  kernel.text = std::move(text);
  return kernel;
}

} // namespace weft
