#include "run/sweep/first_guess.h"

#include <Eigen/Dense>
#include <utility>

#include "linalg/operator.h"

namespace weft {

namespace {

// F at states whose prescribed values are set.
class Residuals {
public:
  explicit Residuals(Simulation &s)
      : op_(*s.model->system()), device_(*s.device),
        u_(make_vector(device_, op_.layout(), op_.precision(), "state of an earlier sample")),
        r_(make_vector(device_, op_.layout(), op_.precision(), "its residual")) {}

  // Sets them in `state`, too.
  Eigen::VectorXd at(std::vector<double> &state) {
    op_.set_dofs(state, u_);
    op_.set_constrained(u_);
    state = op_.dofs(u_);
    op_.residual(u_, r_);
    Eigen::VectorXd residual(r_.size);
    get_vector(device_, r_, {residual.data(), static_cast<std::size_t>(residual.size())});
    return residual;
  }

private:
  NonlinearOperator &op_;
  Device &device_;
  Vector u_, r_;
};

constexpr std::size_t most_solutions = 4;

} // namespace

void keep_solution(std::vector<std::vector<double>> &solutions, std::vector<double> solution) {
  solutions.push_back(std::move(solution));
  if (solutions.size() > most_solutions)
    solutions.erase(solutions.begin());
}

std::vector<double> first_guess(Simulation &s, std::span<const std::vector<double>> solutions) {
  Residuals residuals(s);
  std::vector<double> last = solutions.back();
  const Eigen::VectorXd of_last = residuals.at(last);
  const auto num_others = static_cast<Eigen::Index>(solutions.size()) - 1;
  if (num_others == 0 || !of_last.allFinite())
    return last;
  // Differences to the last.
  std::vector<std::vector<double>> others(solutions.begin(), solutions.end() - 1);
  Eigen::MatrixXd changes(of_last.size(), num_others);
  for (Eigen::Index k = 0; k < num_others; ++k)
    changes.col(k) = residuals.at(others[k]) - of_last;
  if (!changes.allFinite())
    return last;
  const Eigen::VectorXd weights = changes.colPivHouseholderQr().solve(-of_last);
  std::vector<double> guess = last;
  for (Eigen::Index k = 0; k < num_others; ++k)
    for (std::size_t i = 0; i < guess.size(); ++i)
      guess[i] += weights[k] * (others[k][i] - last[i]);
  const Eigen::VectorXd of_guess = residuals.at(guess);
  return of_guess.allFinite() && of_guess.norm() < of_last.norm() ? guess : last;
}

} // namespace weft
