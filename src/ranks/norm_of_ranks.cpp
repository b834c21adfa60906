#include "ranks/norm_of_ranks.h"

#include <vector>

#include <Eigen/Core>

namespace weft {

double norm_of_ranks(Communicator *ranks, double own) {
  if (!ranks)
    return own;
  std::vector<double> norms(ranks->size());
  ranks->gather(&own, sizeof own, norms.data());
  return Eigen::Map<const Eigen::VectorXd>(norms.data(), Eigen::Index(norms.size())).stableNorm();
}

} // namespace weft
