// A plain multigrid cycle on the host, to see what a hierarchy is worth.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>

#include <vector>

#include "solve/aggregation/hierarchy.h"

namespace weft::test {

using HostRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

inline HostRows host_rows(const HostMatrix &m, int num_columns) {
  return Eigen::Map<const HostRows>(m.num_rows(), num_columns, Eigen::Index(m.values.size()),
                                    m.row_start.data(), m.columns.data(), m.values.data());
}

// V(2,2) cycles: Chebyshev polynomials of two terms over the upper three quarters of the spectrum
// of D^-1 A; the coarsest level by factors.
class HostMultigrid {
public:
  HostMultigrid(const HostMatrix &matrix, const Hierarchy &h) {
    for (std::size_t l = 0; l < h.levels.size(); ++l) {
      const HostMatrix &m = l == 0 ? matrix : h.levels[l].matrix;
      Level level = {.a = host_rows(m, m.num_rows()),
                     .largest = 1.1 * h.levels[l].largest_eigenvalue};
      if (l + 1 < h.levels.size())
        level.p = host_rows(h.levels[l].prolongation.entries, h.levels[l].prolongation.num_coarse);
      level.inverse_diagonal = level.a.diagonal().cwiseInverse();
      levels_.push_back(level);
    }
    coarsest_.compute(Eigen::MatrixXd(levels_.back().a));
  }

  Eigen::VectorXd cycle(const Eigen::VectorXd &b, std::size_t l = 0) const {
    const Level &level = levels_[l];
    if (l + 1 == levels_.size())
      return coarsest_.solve(b);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size());
    smooth(level, b, x);
    const Eigen::VectorXd coarse = level.p.transpose() * (b - level.a * x);
    x += level.p * cycle(coarse, l + 1);
    smooth(level, b, x);
    return x;
  }

  // Iterations of conjugate gradients until the residual is 1e-8 of that of x = 0; 200: never.
  int cg_iterations(const Eigen::VectorXd &b) const {
    const HostRows &a = levels_[0].a;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size()), r = b, p = cycle(r);
    double rz = r.dot(p);
    int n = 1;
    for (; n < 200; ++n) {
      const Eigen::VectorXd q = a * p;
      const double alpha = rz / p.dot(q);
      x += alpha * p;
      r -= alpha * q;
      if (r.norm() <= 1e-8 * b.norm())
        break;
      const Eigen::VectorXd z = cycle(r);
      const double next = r.dot(z);
      p = z + next / rz * p;
      rz = next;
    }
    return (b - a * x).norm() <= 2e-8 * b.norm() ? n : 200;
  }
  // Cycles alone until then.
  int cycles(const Eigen::VectorXd &b) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size()), r = b;
    int n = 0;
    for (; n < 200 && r.norm() > 1e-8 * b.norm(); ++n) {
      x += cycle(r);
      r = b - levels_[0].a * x;
    }
    return n;
  }

private:
  struct Level {
    HostRows a, p;
    Eigen::VectorXd inverse_diagonal;
    double largest = 1;
  };

  static void smooth(const Level &level, const Eigen::VectorXd &b, Eigen::VectorXd &x) {
    const double centre = 0.625 * level.largest, radius = 0.375 * level.largest;
    const auto correction = [&] {
      return Eigen::VectorXd(level.inverse_diagonal.cwiseProduct(b - level.a * x));
    };
    const Eigen::VectorXd first = correction() / centre;
    x += first;
    const double rho = 1 / (2 * centre / radius - radius / centre);
    const Eigen::VectorXd second = correction();
    x += rho * radius / centre * first + 2 * rho / radius * second;
  }

  std::vector<Level> levels_;
  Eigen::PartialPivLU<Eigen::MatrixXd> coarsest_;
};

} // namespace weft::test
