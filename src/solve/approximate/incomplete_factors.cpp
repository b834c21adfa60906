#include "solve/approximate/incomplete_factors.h"

#include "base/log.h"
#include "solve/approximate/elimination_order.h"
#include "solve/approximate/incomplete_lu.h"

namespace weft {

std::unique_ptr<TriangularFactors>
make_incomplete_factors(Device &device, const HostMatrix &matrix,
                        const IncompleteFactorsSettings &settings) {
  const std::vector<std::int32_t> order = elimination_order(matrix);
  IncompleteLuSettings of_rows{.level = settings.level,
                               .positive = settings.symmetric && has_positive_diagonal(matrix)};
  if (settings.name_of_unknown)
    of_rows.name_of_row = [&](std::int64_t row) { return settings.name_of_unknown(order[row]); };
  const IncompleteLu made = incomplete_lu(reordered(matrix, order), of_rows);
  if (made.shift > 0)
    log::notice("ilu: the matrix has no stable incomplete factors of level {}; {:g} of the sum of "
                "each row's moduli was added to its diagonal, which slows convergence",
                settings.level, made.shift);
  auto factors =
      std::make_unique<TriangularFactors>(device, made.factors, order, settings.precision);
  log::debug("ilu({}): {:.4g} entries in the factors, {} levels in {} launches", settings.level,
             static_cast<double>(made.factors.num_entries()), factors->num_levels(),
             factors->num_launches());
  return factors;
}

} // namespace weft
