// Operations of the kernels of discontinuous Galerkin methods, by the sizes of their loops.
#include "kernel/dg_functions.h"

namespace weft {

Operations dg_operations(DgStage stage, const DgKernelSpec &spec, const DgFunctions &functions,
                         int rows_done) {
  const NodalOperators &in = *spec.operators;
  const DgBlocks blocks = dg_blocks(in, spec.rows);
  const double n = in.element.num_nodes(), c = spec.law->num_components, dim = spec.law->dim;
  const double facet_nodes = in.num_facet_points();
  const double lift_entries = blocks.dense_lift
                                  ? rows_done * facet_nodes
                                  : static_cast<double>(dg_matrices(in, spec.rows).lift.size());
  const double derivative = rows_done * (blocks.fast_directions * blocks.fast_nodes +
                                         (dim - blocks.fast_directions) * blocks.slow_nodes);
  Operations operations;
  const auto add_products = [&](double multiply_adds) {
    operations.multiply_adds += multiply_adds;
    operations.table_multiply_adds += multiply_adds;
  };
  const bool fused = stage == DgStage::fused;
  if (fused || stage == DgStage::differentiate) {
    operations += n * functions.flux;
    add_products(derivative * c);
  }
  // Values at facets' points, of the cell by lanes, of the neighbours one by one.
  const auto add_traces = [&](double values) {
    if (in.entries() > 1)
      operations.multiply_adds += facet_nodes * in.entries() * values;
    if (spec.plus_entries > 1) {
      operations.multiplications += facet_nodes * spec.plus_entries * values;
      operations.additions += facet_nodes * (spec.plus_entries - 1) * values;
    }
  };
  if (fused || stage == DgStage::flux) {
    add_traces(dg_values(*spec.law).total());
    operations += facet_nodes * functions.numerical_flux;
    operations.multiplications += facet_nodes * c;
  }
  if (fused || stage == DgStage::lift)
    add_products(lift_entries * c);
  if (stage == DgStage::lift)
    operations.additions += n * c;
  if (fused || stage == DgStage::update) {
    operations += n * functions.finish;
    const double sum = spec.update.uses_sum, start = spec.update.uses_start,
                 keep = spec.update.uses_sum && spec.update.keeps_sum;
    operations.multiplications += 2 * n * c;
    operations.multiply_adds += n * c * (1 + sum + start + keep);
  }
  if (stage == DgStage::gradient) {
    add_products((derivative + dim * lift_entries) * c);
    add_traces(c);
    operations.multiply_adds += n * c * dim * (dim + 1);
    operations.multiplications += n * c * dim + facet_nodes * (1 + c + dim * c);
    operations.additions += facet_nodes * c;
  }
  if (stage == DgStage::step) {
    operations += n * functions.crossing_rate;
    operations.divisions += n;
  }
  return operations;
}

} // namespace weft
