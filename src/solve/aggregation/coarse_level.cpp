#include "solve/aggregation/coarse_level.h"

#include <utility>

#include "solve/aggregation/eigenvalue_sample.h"
#include "solve/aggregation/galerkin_product.h"
#include "solve/aggregation/smoothed_prolongation.h"

namespace weft {

CoarseLevel make_coarse_level(const BlockView &matrix, const NearNullSpace &null_space,
                              const AggregationSettings &settings) {
  const double strength = settings.strength.value_or(default_strength(matrix.height));
  const Couplings couplings = measure_couplings(matrix);
  const Aggregates aggregates = make_aggregates(matrix, couplings, strength, null_space.functions);
  if (aggregates.count == 0 ||
      aggregates.count > slowest_coarsening * static_cast<double>(matrix.num_rows))
    return {};
  const EigenvalueSample eigenvalues = sample_largest_eigenvalue(matrix);
  TentativeProlongation tentative =
      make_tentative_prolongation(aggregates, couplings.decoupled, null_space);
  CoarseLevel level = {.num_nodes = aggregates.count, .largest_eigenvalue = eigenvalues.largest};
  level.prolongation = settings.smoothing
                           ? smooth_prolongation(matrix, couplings, aggregates, tentative,
                                                 {.strength = strength,
                                                  .function = null_space.functions,
                                                  .of_row_sums = eigenvalues.of_row_sums})
                           : plain_prolongation(aggregates, tentative);
  level.restriction = transposed(level.prolongation.view(), aggregates.count);
  level.matrix = galerkin_product(matrix, level.prolongation.view(), level.restriction.view(),
                                  tentative.dropped);
  level.null_space = std::move(tentative.coarse);
  return level;
}

} // namespace weft
