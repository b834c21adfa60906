#include "solve/nonlinear/field_norms.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "ranks/norm_of_ranks.h"

namespace weft {

std::vector<double> field_norms(const std::vector<double> &values,
                                const std::vector<FieldDofs> &fields, Communicator *ranks) {
  const std::size_t count = std::max<std::size_t>(fields.size(), 1);
  std::vector<double> norms;
  for (std::size_t f = 0; f < count; ++f) {
    const auto begin = fields.empty() ? 0 : fields[f].first_dof;
    const auto end =
        f + 1 < count ? fields[f + 1].first_dof : static_cast<std::int64_t>(values.size());
    norms.push_back(norm_of_ranks(
        ranks, Eigen::Map<const Eigen::VectorXd>(values.data() + begin, end - begin).stableNorm()));
  }
  return norms;
}

double scaled_norm(const std::vector<double> &values, const std::vector<FieldDofs> &fields,
                   const std::vector<double> &scales, Communicator *ranks) {
  double square = 0;
  const std::vector<double> norms = field_norms(values, fields, ranks);
  for (std::size_t f = 0; f < norms.size(); ++f) {
    const double ratio = scales[f] > 0 ? norms[f] / scales[f] : norms[f];
    square += ratio * ratio;
  }
  return std::sqrt(square);
}

} // namespace weft
