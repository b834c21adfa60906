#include "kernel/cell/integral_kernel.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "device/dialect.h"
#include "kernel/cell/cell_functions.h"
#include "kernel/text/block_layout.h"
#include "kernel/text/constant_table.h"
#include "kernel/text/sections.h"

namespace weft {

namespace {

std::string kernel_name(const CellIntegral &in, Strategy strategy) {
  std::string orders;
  for (const TestField &test : in.tests)
    orders += fmt::format("p{}", in.families[test.family].element.order);
  return fmt::format("{}{}_{}_{}_{}q{}_{}_{}", to_string(in.kind), domain_name(in), in.form_name,
                     cell_names(in), orders, in.num_points(), to_string(strategy),
                     to_string(in.precision));
}

CellCost cell_cost(const CellIntegral &in, const CellFunctions &functions, bool transposed) {
  const double points = in.num_points();
  const auto of_a_cell = [points](const CellFunctions &f) {
    Operations operations = f.prepare;
    operations += f.finish;
    operations += points * f.point;
    operations += points * f.test;
    operations += f.lines;
    return operations;
  };
  CellCost cost;
  cost.num_values = functions.num_values;
  if (!transposed) {
    cost.operations = of_a_cell(functions);
    cost.performed = cost.operations;
    cost.local_reals = functions.planes.exchanged_reals;
    cost.slot_reals = functions.planes.exchange_reals;
    cost.table_reals = functions.planes.table_reals;
    cost.table_reads = functions.planes.table_reads;
    return cost;
  }
  cost.operations = of_a_cell(count_cell_functions(in, false));
  // A thread is one component at one point, then one row.
  cost.performed = points * in.num_components() * functions.prepare;
  cost.performed += points * in.num_components() * functions.point;
  cost.performed += points * functions.rows;
  cost.performed.additions += points * in.num_rows();
  cost.local_reals = points * (functions.num_values + functions.row_reads);
  return cost;
}

} // namespace

CellCost cell_cost(const CellIntegral &in, Strategy strategy) {
  const bool transposed = strategy == Strategy::transposed;
  return cell_cost(in, count_cell_functions(in, transposed), transposed);
}

std::string to_string(Ablation ablation) {
  switch (ablation) {
  case Ablation::none:
    return "none";
  case Ablation::memory:
    return "memory";
  case Ablation::gather:
    return "gather";
  case Ablation::scatter:
    return "scatter";
  case Ablation::arithmetic:
    return "arithmetic";
  }
  return {};
}

namespace {

// Replaces functions of the text by those of an ablation.
std::string ablation_text(const CellIntegral &in, const CellFunctions &functions,
                          const KernelVariant &variant, Constants &constants) {
  if (variant.ablation == Ablation::none)
    return "";
  constants.define("WEFT_ABLATE_MEMORY", variant.cached_groups);
  if (variant.ablation != Ablation::arithmetic)
    return kernel_file("fem/ablate_" + to_string(variant.ablation));
  LaneText disturb(in.precision);
  disturb.open(
      "WEFT_FUNCTION void weft_disturb_cell(WEFT_PRIVATE weft_cell *cell, const lane by) {");
  disturb.line(fmt::format("weft_disturb(cell->in, {}, by);", std::max(1, in.num_cell_inputs())));
  if (functions.num_gradients > 0)
    disturb.line(fmt::format("weft_disturb(cell->gradient, {}, by);", functions.num_gradients));
  disturb.close();
  std::string text = kernel_file("fem/ablate_disturb") +
                     function_section("functions of the form: ablation", disturb.text());
  if (!functions.prepared.empty())
    text += kernel_file("fem/ablate_prepare");
  if (in.sums == Summation::points)
    text += kernel_file("fem/ablate_points");
  if (functions.num_fluxes > 0)
    text += kernel_file("fem/ablate_finish");
  constants.define("WEFT_PREPARED(cell)", functions.prepared);
  constants.define("WEFT_NUM_FLUXES", functions.num_fluxes);
  return text;
}

// What weft_integrate_cell() takes.
std::string sums_text(const CellIntegral &in, const CellFunctions &functions,
                      const KernelVariant &variant) {
  if (in.sums == Summation::points)
    return kernel_file("fem/cell_by_points");
  const std::string sums = to_string(in.sums);
  std::string text = in.by_planes() ? "" : kernel_file("fem/lines");
  text += function_section("functions of the form: " + sums, functions.line_sums) +
          kernel_file("fem/cell_by_" + sums);
  if (variant.ablation == Ablation::arithmetic)
    text += kernel_file("fem/ablate_lines");
  return text;
}

// The file that ends the program.
std::string strategy_file(const CellIntegral &in, const KernelVariant &variant) {
  if (in.by_planes())
    return kernel_file("fem/fem_integrate_planes");
  const bool group = variant.strategy == Strategy::block && variant.block_group;
  return kernel_file("fem/fem_integrate_" + to_string(variant.strategy) + (group ? "_group" : ""));
}

} // namespace

std::string to_string(const KernelVariant &v, int lanes) {
  switch (v.strategy) {
  case Strategy::transposed:
    return fmt::format("lanes={} N_bl={} N_cb={}", lanes, v.num_blocks, v.num_batches);
  case Strategy::cell:
    return fmt::format("lanes={} groups_per_item={}", lanes, v.groups_per_item);
  case Strategy::block:
    if (v.block_group)
      return fmt::format("lanes={} leaves={} threads={} pass_groups={} staged={}", lanes,
                         v.leaves_per_block, v.block_group->threads, v.block_group->pass_groups,
                         v.block_group->staged ? 1 : 0);
    return fmt::format("lanes={} leaves={}", lanes, v.leaves_per_block);
  }
  return {};
}

PlaneSizes plane_sizes(const CellIntegral &in) {
  return count_cell_functions(in, false).planes;
}

TransposedSizes transposed_sizes(const CellIntegral &in, const KernelVariant &variant) {
  const int components = in.num_components();
  const int threads = std::lcm(in.num_rows(), in.num_points() * components);
  // With one field threads / components = LCM(N_b, N_q), N_bs of Knepley, Rupp, Terrel 2016.
  return {.batch_cells = variant.num_blocks * threads / components,
          .threads = variant.num_blocks * threads};
}

int values_apart(const CellIntegral &in, int num_values) {
  return in.lanes == 1 ? num_values | 1 : num_values;
}

// Several points at once share the reads of nodal values; many would only make the text long. On
// CPUs, where nothing else hides that a point's sums wait for one another, more are worth their
// compiling: residuals of elasticity took 6% to 15% less time at second order and 25% to 30% less
// on hexahedra of first order at 8 points (EPYC, Zen 5, PoCL), and half a second more to compile.
bool unrolls_points(const CellIntegral &in, const CellCost &cost) {
  const int products = in.num_points() * in.num_rows();
  if (in.num_points() <= 8 && products <= 64)
    return true;
  constexpr double most_flops = 5000; // of a cell
  return in.lanes > 1 && !in.loops_over_rows() && in.num_points() <= 9 && products <= 192 &&
         cost.operations.flops() <= most_flops;
}

namespace {

// Sizes that a strategy's kernel file reads.
void define_sizes(Constants &constants, const CellIntegral &in, const KernelVariant &variant,
                  const std::vector<int> &stage_nodes, int num_values) {
  switch (variant.strategy) {
  case Strategy::transposed: {
    const TransposedSizes sizes = transposed_sizes(in, variant);
    constants.define("WEFT_NUM_COMPONENTS", in.num_components());
    constants.define("WEFT_BATCH_CELLS", sizes.batch_cells);
    constants.define("WEFT_NUM_THREADS", sizes.threads);
    constants.define("WEFT_NUM_BATCHES", variant.num_batches);
    constants.define("WEFT_VALUES_APART", values_apart(in, num_values));
    break;
  }
  case Strategy::cell:
    constants.define("WEFT_GROUPS_PER_ITEM", variant.groups_per_item);
    constants.define("WEFT_CELLS_AT_ONCE", variant.cells_at_once);
    break;
  case Strategy::block:
    constants.define("WEFT_BLOCK_ROW", block_row_entries(static_cast<int>(in.families.size())));
    if (variant.block_group) {
      const BlockGroupSizes &sizes = *variant.block_group;
      constants.define("WEFT_PASS_GROUPS", sizes.pass_groups);
      constants.define("WEFT_NUM_PASSES", sizes.num_passes);
      constants.define("WEFT_STAGE_REALS",
                       sizes.staged ? std::max<std::int64_t>(1, num_stage_reals(in, stage_nodes))
                                    : 1);
    }
    break;
  }
}

} // namespace

KernelSource make_integral_kernel(const CellIntegral &in, const KernelVariant &variant,
                                  const std::string &backend, const std::vector<int> &stage_nodes) {
  const bool transposed = variant.strategy == Strategy::transposed;
  const CellFunctions functions = print_cell_functions(in, transposed);
  const bool block = variant.strategy == Strategy::block;
  const bool block_group = block && variant.block_group;
  const CellArguments arguments =
      block_group ? print_block_group_arguments(in, *variant.block_group, stage_nodes)
      : block     ? print_block_arguments(in, stage_nodes)
                  : print_global_arguments(in);
  KernelSource source;
  source.name = kernel_name(in, variant.strategy);
  source.arguments = arguments.arguments;
  source.cost = cell_cost(in, functions, transposed);

  Constants constants = arguments.constants;
  constants.add(functions.constants);
  const std::string program = section("tables", functions.tables) +
                              function_section("functions of the form", functions.functions) +
                              arguments.text + ablation_text(in, functions, variant, constants) +
                              (transposed ? "" : sums_text(in, functions, variant)) +
                              strategy_file(in, variant) +
                              section("C text of the case", functions.last);
  constants.define("WEFT_KERNEL_NAME", source.name);
  constants.define("WEFT_NUM_POINTS", in.num_points());
  constants.define("WEFT_NUM_ROWS", in.rows_held());
  constants.define("WEFT_VECTOR_ROWS", in.num_rows());
  constants.define("WEFT_UNROLL_POINTS",
                   unrolls_points(in, source.cost) ? "WEFT_UNROLL" : "WEFT_NO_UNROLL");
  constants.define("WEFT_UNROLL_ROWS", in.loops_over_rows() ? "WEFT_NO_UNROLL" : "WEFT_UNROLL");
  const int num_values = std::max(1, functions.num_values);
  constants.define("WEFT_NUM_VALUES", num_values);
  define_sizes(constants, in, variant, stage_nodes, num_values);
  source.text =
      fmt::format("// {}: generated by Weft, {}\n", source.name, to_string(variant, in.lanes)) +
      section("dialect", tables_head(backend, functions.tables, in.precision, in.by_planes()) +
                             program_head(backend, in.precision, in.lanes)) +
      constants.text_for(program) + program;
  return source;
}

} // namespace weft
