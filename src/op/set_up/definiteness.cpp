#include "op/set_up/definiteness.h"

#include <algorithm>

#include "op/set_up/sampled_integrand.h"

namespace weft {

bool integrand_is_semidefinite(const Discretisation &d, const std::vector<double> &state) {
  const std::vector<Eigen::MatrixXd> matrices = sampled_integrand(d, state);
  return !matrices.empty() && std::all_of(matrices.begin(), matrices.end(), is_semidefinite);
}

} // namespace weft
