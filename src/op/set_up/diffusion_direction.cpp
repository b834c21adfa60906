#include "op/set_up/diffusion_direction.h"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "op/set_up/sampled_integrand.h"

namespace weft {

namespace {

// Entries of the integrand's matrix between the values of all components, or between their
// derivatives in one direction (direction >= 0).
Eigen::MatrixXd between_components(const Eigen::MatrixXd &matrix, const Form &form, int direction) {
  std::vector<Eigen::Index> rows;
  const std::vector<IntegrandBlock> blocks = integrand_blocks(form);
  for (std::size_t f = 0; f < blocks.size(); ++f)
    for (int k = 0; k < form.fields[f].components(); ++k)
      rows.push_back(direction < 0 ? blocks[f].value + k
                                   : blocks[f].gradient + k * form.dim + direction);
  return matrix(rows, rows);
}

} // namespace

bool diffusion_runs_backwards(const Discretisation &d, const std::vector<double> &state) {
  // Of eigenvalues that are 0 twice, such as those of waves, half of the digits are lost.
  constexpr double rounding = 1e-6;
  const std::vector<Eigen::MatrixXd> still = sampled_integrand(d, state, 0);
  const std::vector<Eigen::MatrixXd> moving = sampled_integrand(d, state, 1);
  const auto runs_backwards = [&](std::size_t point) {
    if (!still[point].allFinite() || !moving[point].allFinite())
      return false;
    const Eigen::FullPivLU<Eigen::MatrixXd> rates(
        between_components(moving[point] - still[point], d.form, -1));
    if (!rates.isInvertible())
      return false;
    for (int direction = 0; direction < d.form.dim; ++direction) {
      const Eigen::MatrixXd matrix =
          rates.solve(between_components(still[point], d.form, direction));
      const Eigen::VectorXd values =
          Eigen::EigenSolver<Eigen::MatrixXd>(matrix, false).eigenvalues().real();
      if (values.minCoeff() < -rounding * matrix.norm())
        return true;
    }
    return false;
  };
  bool all = !still.empty();
  for (std::size_t point = 0; point < still.size() && all; ++point)
    all = runs_backwards(point);
  return all;
}

} // namespace weft
