#include "kernel/law/dg_kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/embedded.h"
#include "base/error.h"
#include "base/number.h"
#include "device/dialect.h"
#include "kernel/cell/integral_kernel.h"
#include "kernel/law/dg_cell_text.h"
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
  // size share a kernel. A launch may be over some groups of a set.
  a.add_all({begin_group, end_group, groups_per_item, first_unit, time});
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
    if (has_facet_positions(law, *spec.operators))
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
      a.add_all({lift_start, lift_column});
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
  // No table is empty.
  const auto table = [&](const char *name, std::vector<int> components) {
    if (components.empty())
      components.push_back(0);
    text += integer_table(name, components);
  };
  table("weft_gradient_component", values.with_gradient);
  const FvPlusValues plus = fv_plus_values(stage, law);
  text += fmt::format("#define WEFT_PLUS_COMPONENTS {}\n#define WEFT_PLUS_KNOWN {}\n",
                      plus.components.size(), plus.known.size());
  table("weft_plus_component", plus.components);
  table("weft_plus_known", plus.known);
  // Factor of the area ratio over the volume ratio: area over volume.
  const NodalOperators &in = *spec.operators;
  text += fmt::format("WEFT_CONSTANT real weft_facet_fraction[{}] = {{", in.facets.size());
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
  const bool by_cell = dg_state_lies_by_cell(law, spec.lanes);
  const int cell_values = in.element.num_nodes() * law.num_components;
  define("WEFT_STATE_BY_CELL", by_cell ? 1 : 0);
  define("WEFT_CELL_VALUES", cell_values);
  define("WEFT_OWN_VALUES", by_cell ? cell_values : 1); // that kernels hold of each lane's state
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
  const DgFacetLayout facet = dg_facet_layout(law, in.element.order);
  define("WEFT_FACET_ENTRIES", facet.entries);
  define("WEFT_PENALTY_AT", facet.penalty);
  define("WEFT_MIDDLE_AT", facet.middle);
  define("WEFT_OFFSETS_AT", facet.offsets);
  define("WEFT_USES_PENALTY", any_uses(law, SymbolKind::penalty) ? 1 : 0);
  define("WEFT_CELL_PARAMETERS", law.cell_table.size());
  define("WEFT_FACET_PARAMETERS", law.facet_table.size());
  define("WEFT_FAST_NODES", blocks.fast_nodes);
  define("WEFT_FAST_DIRECTIONS", blocks.fast_directions);
  define("WEFT_SLOW_NODES", blocks.slow_nodes);
  define("WEFT_LINE_BLOCKS", blocks.line_blocks);
  define("WEFT_BLOCKS", blocks.blocks);
  define("WEFT_BLOCK_ROWS", spec.rows);
  define("WEFT_DENSE_LIFT", blocks.dense_lift ? 1 : 0);
  define("WEFT_AHEAD", spec.ahead);
  define("WEFT_PREFETCHES_PLUS",
         spec.ahead > 0 && spec.plus_entries == 1 && !law.finite_volume ? 1 : 0);
  define("WEFT_STORE_STATE(v, p)", spec.stream ? "lane_store_stream(v, p)" : "lane_store(v, p)");
  define("WEFT_USES_START", spec.update.uses_start ? 1 : 0);
  define("WEFT_USES_SUM", spec.update.uses_sum ? 1 : 0);
  define("WEFT_KEEPS_SUM", spec.update.keeps_sum ? 1 : 0);
  define("WEFT_ORDER", in.element.order);
  define("WEFT_POSITIVE", law.positive.outputs.size());
  define("WEFT_LIMITS_SHOCKS", law.limiter == "shock" ? 1 : 0);
  define("WEFT_SMOOTH_FRACTION",
         format_literal(dg_smooth_fraction(in.element.order), spec.precision));
  define("WEFT_LEAST_FRACTION", format_literal(dg_least_fraction, spec.precision));
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

// The files of a kernel after what C++ prints: each says in its head what it is pasted after.
class KernelFiles {
public:
  KernelFiles(DgStage stage, const DgKernelSpec &spec, bool dense_lift)
      : stage_(stage), spec_(spec), dense_lift_(dense_lift),
        by_symmetry_(dg_uses_symmetry(stage, spec)),
        by_nodes_(stage == DgStage::fused && spec.node_group.has_value()),
        is_fv_(spec.law->finite_volume) {}

  // Before the printed functions.
  std::vector<std::string> first() const {
    std::vector<std::string> files = {
        "dg/class_table",
        dg_state_lies_by_cell(*spec_.law, spec_.lanes) ? "dg/state_by_cell" : "dg/state_by_lanes",
        "dg/cell", "dg/facet"};
    if (turns_metric())
      files.push_back("dg/symmetry_axes");
    return files;
  }

  std::vector<std::string> last() const {
    std::vector<std::string> files;
    if (meets_facets(stage_, *spec_.law))
      add_facets(files);
    if (is_fv_ && stage_ == DgStage::step)
      files.push_back("fv/fv_crossing");
    add_products(files);
    if (stage_ == DgStage::fused || stage_ == DgStage::update)
      files.push_back("dg/update");
    if (is_fv_ && stage_ == DgStage::gradient)
      files.push_back(dg_values(*spec_.law).limiters > 0 ? "fv/fv_limiter" : "fv/fv_unlimited");
    files.push_back(kernel());
    return files;
  }

  bool turns_metric() const { return by_symmetry_ && reads_metric(stage_, spec_); }

private:
  void add_facets(std::vector<std::string> &files) const {
    files.push_back(spec_.operators->entries() == 1 ? "dg/trace_nodes" : "dg/trace_sums");
    if (is_fv_)
      files.push_back("fv/fv_gather");
    else
      files.insert(files.end(),
                   {"dg/neighbours", spec_.plus_entries == 1 ? "dg/gather_nodes" : "dg/gather_sums",
                    "dg/gather"});
    files.push_back("dg/facets");
  }

  // Products with reference matrices.
  void add_products(std::vector<std::string> &files) const {
    const bool gradient = stage_ == DgStage::gradient && !is_fv_;
    const bool fused = stage_ == DgStage::fused && !by_nodes_;
    const bool lift = fused || stage_ == DgStage::lift || gradient;
    if (!lift && stage_ != DgStage::differentiate)
      return;
    files.push_back("dg/columns");
    if (by_symmetry_) {
      files.push_back("dg/symmetry");
      return;
    }
    if ((fused && !is_fv_) || stage_ == DgStage::differentiate)
      files.push_back("dg/fluxes");
    if (!(fused && is_fv_))
      files.push_back("dg/rows");
    if (lift)
      files.push_back(dense_lift_ ? "dg/lift_dense" : "dg/lift_sparse");
  }

  std::string kernel() const {
    if (is_fv_ && (stage_ == DgStage::gradient || stage_ == DgStage::fused))
      return "fv/fv_" + to_string(stage_);
    return by_nodes_ ? "dg/dg_nodes"
                     : "dg/dg_" + to_string(stage_) + (by_symmetry_ ? "_symmetry" : "");
  }

  DgStage stage_;
  const DgKernelSpec &spec_;
  bool dense_lift_, by_symmetry_, by_nodes_, is_fv_;
};

} // namespace

bool has_facet_positions(const ConservationLaw &law, const NodalOperators &operators) {
  return operators.entries() > 1 && any_uses(law, SymbolKind::coordinate);
}

bool dg_reads_neighbours(DgStage stage, const ConservationLaw &law) {
  return meets_facets(stage, law) || stage == DgStage::limit;
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
  const bool by_nodes = stage == DgStage::fused && spec.node_group.has_value();
  require(!by_nodes || !is_fv, "finite volumes have one node a cell");
  require(!by_nodes || (spec.lanes == 1 && spec.rows == blocks.fast_nodes),
          "threads that are nodes have one lane and whole lines as rows");
  require(!spec.by_symmetry || dg_knows_symmetry(spec), "kernels that know of symmetry");
  const KernelFiles files(stage, spec, blocks.dense_lift);
  const auto paste = [&](const std::vector<std::string> &names) {
    for (const std::string &name : names)
      text += "\n" + embedded_text("kernels/" + name + ".kernel");
  };
  paste(files.first());
  text += print_load_cell(spec, arguments, files.turns_metric());
  text += functions.text;
  if (stage == DgStage::step)
    text += functions.crossing;
  paste(files.last());
  kernel.text = std::move(text);
  return kernel;
}

} // namespace weft
