#include "solve/multigrid_set_up.h"

#include <algorithm>
#include <future>

#include "base/log.h"
#include "solve/smoothed_aggregation.h"

namespace weft {

Hierarchy aggregation_hierarchy(const SparseMatrix &matrix, const MultigridSettings &settings,
                                const NearNullSpace &null_space,
                                const std::function<void()> &beside) {
  const std::shared_ptr<const double[]> values = matrix.host_values();
  std::future<void> done; // waits in its destructor
  if (beside)
    done = std::async(std::launch::async, beside);
  Hierarchy hierarchy = make_aggregation_hierarchy(
      matrix.pattern(), {values.get(), std::size_t(matrix.pattern().num_entries())}, null_space,
      {.strength = settings.strength,
       .coarsest_size = settings.coarsest_size,
       .max_levels = settings.max_levels});
  if (done.valid())
    done.get();
  return hierarchy;
}

std::unique_ptr<DenseInverse> make_coarsest(Device &device, const LevelOperator &last,
                                            const HostMatrix &matrix,
                                            const MultigridSettings &settings) {
  if (last.size() <= std::max(DenseInverse::most_unknowns, settings.coarsest_size))
    return std::make_unique<DenseInverse>(device, matrix, last.scaling(), last.precision());
  log::notice("multigrid: the coarsest level has {} unknowns, too many to be solved directly, "
              "and is smoothed instead: convergence may be slow",
              last.size());
  return nullptr;
}

} // namespace weft
