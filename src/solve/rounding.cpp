#include "solve/rounding.h"

#include <limits>
#include <vector>

#include <Eigen/Core>

#include "ranks/norm_of_ranks.h"

namespace weft {

namespace {

constexpr double units_allowed = 10; // of rounding, of a residual's terms

double unit_of_rounding(Precision precision) {
  return precision == Precision::f64 ? std::numeric_limits<double>::epsilon()
                                     : std::numeric_limits<float>::epsilon();
}

} // namespace

double rounding_of_residual(LinearOperator &op, const Vector &x) {
  Vector diagonal = make_vector(op.device(), op.size(), op.precision(), "diagonal");
  op.diagonal(diagonal);
  const std::vector<double> d = get_vector(op.device(), diagonal);
  const std::vector<double> values = get_vector(op.device(), x);
  Eigen::VectorXd terms(static_cast<Eigen::Index>(d.size()));
  for (std::size_t i = 0; i < d.size(); ++i)
    terms[static_cast<Eigen::Index>(i)] = d[i] * values[i];
  return units_allowed * unit_of_rounding(op.precision()) *
         norm_of_ranks(op.layout().among, terms.stableNorm());
}

} // namespace weft
