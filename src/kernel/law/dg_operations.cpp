// Operations of the kernels of discontinuous Galerkin methods, by the sizes of their loops.
#include "kernel/law/dg_functions.h"
#include "kernel/law/dg_symmetry.h"

namespace weft {

namespace {

// Differences to the neighbours and their weighted sums; the range of values and the limiter; what
// is positive of the mean and of the reconstruction at each facet.
Operations fv_gradient_operations(const DgKernelSpec &spec, const DgFunctions &functions) {
  const ConservationLaw &law = *spec.law;
  const double dim = law.dim, count = double(dg_values(law).with_gradient.size());
  const double facets = double(spec.operators->facets.size()), samples = count * facets;
  Operations operations{.additions = samples, .multiply_adds = samples * dim};
  if (!law.limits_gradients)
    return operations;
  operations.additions += 2 * count;
  operations.multiply_adds += samples * dim;
  operations.simple += 3 * samples;
  if (law.limiter == "barth_jespersen")
    operations.simple += 2 * samples;
  else
    operations += {.multiplications = samples, .multiply_adds = 4 * samples + count};
  operations.divisions += samples;
  if (const double positive = double(law.positive.outputs.size()); positive > 0) {
    operations += (facets + 1) * functions.positive;
    operations += {.multiplications = positive + count, .multiply_adds = samples * (dim + 1)};
  }
  return operations;
}

// The shortest step: see kernels/fv/fv_crossing.kernel.
Operations fv_step_operations(const DgKernelSpec &spec, const DgFunctions &functions) {
  const ConservationLaw &law = *spec.law;
  const double facets = double(spec.operators->facets.size()), c = law.num_components;
  Operations operations = functions.crossing_rate;
  operations.divisions += 1;
  operations.multiplications += facets;
  operations.additions += facets;
  if (!has_diffusion(law))
    return operations;
  operations += facets * functions.conormal;
  operations += {.additions = facets * c * 3,
                 .multiplications = facets,
                 .multiply_adds = facets * (2.0 * law.dim),
                 .divisions = facets * c * 3,
                 .simple = facets * 2};
  operations.additions += facets * c;
  return operations;
}

} // namespace

Operations dg_operations(DgStage stage, const DgKernelSpec &spec, const DgFunctions &functions,
                         bool padded) {
  const NodalOperators &in = *spec.operators;
  const DgBlocks blocks = dg_blocks(in, spec.rows);
  const double n = in.element.num_nodes(), rows_done = padded ? blocks.blocks * spec.rows : n,
               c = spec.law->num_components, dim = spec.law->dim;
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
  const bool fused = stage == DgStage::fused, by_symmetry = dg_uses_symmetry(stage, spec);
  if (spec.law->finite_volume && (stage == DgStage::gradient || stage == DgStage::step))
    return stage == DgStage::gradient ? fv_gradient_operations(spec, functions)
                                      : fv_step_operations(spec, functions);
  if ((fused && !spec.law->finite_volume) || stage == DgStage::differentiate) {
    operations += n * functions.flux;
    if (!by_symmetry)
      add_products(derivative * c);
  }
  if (by_symmetry) {
    const DgClasses classes = dg_classes(stage, in, spec.rows);
    add_products((padded ? classes.entries : classes.needed_products()) * c);
    operations.additions += classes.combining_additions() * c;
    if (classes.has_derivative)
      operations.multiply_adds += dim * dim * dim; // the metric along the axes
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
  if ((fused || stage == DgStage::lift) && !by_symmetry)
    add_products(lift_entries * c);
  if (stage == DgStage::lift && !spec.law->finite_volume)
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
