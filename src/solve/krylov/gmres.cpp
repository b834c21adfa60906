#include "solve/krylov/gmres.h"

#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Jacobi>

#include "ranks/interruption.h"

namespace weft {

// min |g - R y| kept triangular by Givens rotations, column by column, on the host.
struct GmresMethod::LeastSquares {
  Eigen::MatrixXd r; // upper triangle
  Eigen::VectorXd g;
  std::vector<Eigen::JacobiRotation<double>> rotations;

  LeastSquares(int columns, double norm)
      : r(Eigen::MatrixXd::Zero(columns + 1, columns)), g(Eigen::VectorXd::Zero(columns + 1)) {
    g[0] = norm;
  }
  // Adds column j (entries 0 ... j + 1).
  void add(const Eigen::VectorXd &column) {
    const int j = int(rotations.size());
    Eigen::VectorXd h = column;
    for (int i = 0; i < j; ++i)
      h.applyOnTheLeft(i, i + 1, rotations[i].adjoint());
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(h[j], h[j + 1]);
    h.applyOnTheLeft(j, j + 1, rotation.adjoint());
    g.applyOnTheLeft(j, j + 1, rotation.adjoint());
    r.col(j).head(j + 1) = h.head(j + 1);
    rotations.push_back(rotation);
  }
  double residual_norm() const { return std::abs(g[rotations.size()]); }
  Eigen::VectorXd solution(int columns) const {
    return r.topLeftCorner(columns, columns).triangularView<Eigen::Upper>().solve(g.head(columns));
  }
};

GmresMethod::GmresMethod(VectorKernels &kernels, int restart)
    : kernels_(kernels), restart_(restart),
      columns_(kernels.reals(std::int64_t(restart) * (restart + 1), "GMRES Hessenberg matrix")),
      coefficients_(kernels.reals(restart + 1, "GMRES coefficients")), h_(restart + 1, restart) {}

void GmresMethod::reserve_vectors(std::vector<Buffer> &blocks, int num_vectors,
                                  const char *purpose) {
  while (int(blocks.size()) * basis_block < num_vectors)
    blocks.push_back(kernels_.reals(basis_block * kernels_.size(), purpose));
}

void GmresMethod::keep_preconditioned(const Vector &z, int column) {
  reserve_vectors(preconditioned_, column + 1, "GMRES preconditioned basis");
  const std::uint64_t bytes = kernels_.size() * size_bytes(kernels_.precision());
  kernels_.device().copy(z.buffer, preconditioned_[column / basis_block], bytes, 0,
                         column % basis_block * bytes);
}

// Makes w orthogonal to the basis vectors 0 ... column. Per dof, with m = column + 1 vectors:
//                             reads         writes  flops
//   h = V^T w                 m + m/8             2 m
//   w = w - V h               m + m/8       m/8   2 m
// and the same again where this cancelled more than half of w.w: 36 m bytes in f64 for two passes.
void GmresMethod::orthogonalise(Vector &w, int column) {
  const std::int32_t num = column + 1;
  const std::int32_t start = column * stride();
  const auto over_blocks = [&](const auto &body) {
    for (std::int32_t first = 0; first < num; first += basis_block)
      body(basis_[first / basis_block], std::min<std::int32_t>(basis_block, num - first), first);
  };
  for (const std::int32_t again : {0, 1}) { // the second time there is seldom anything to be done
    over_blocks([&](const Buffer &block, std::int32_t in_block, std::int32_t first) {
      kernels_.over_vector(
          "gmres_dots",
          {block, in_block, w.buffer, first, num, again, kernels_.state(), kernels_.partials()},
          {.idle = again != 0, .vectors = in_block});
    });
    kernels_.over_sums("gmres_project", {again, kernels_.state(), columns_, start, coefficients_},
                       num + 1, {.idle = again != 0, .vectors = num});
    over_blocks([&](const Buffer &block, std::int32_t in_block, std::int32_t first) {
      kernels_.over_vector("gmres_subtract",
                           {block, in_block, w.buffer, coefficients_, first, again,
                            kernels_.state(), kernels_.partials()},
                           {.idle = again != 0, .vectors = in_block});
    });
    kernels_.over_sums("gmres_norm",
                       {again, coefficients_, num, columns_, start + num, kernels_.state()}, 1,
                       {.idle = again != 0});
  }
}

// w = w / |w|, and the same as basis vector `column`; |w|^2 is at columns_[entry].
void GmresMethod::normalise(Vector &w, int column, int entry) {
  reserve_vectors(basis_, column + 1, "GMRES basis");
  kernels_.over_vector("gmres_normalise",
                       {w.buffer, basis_[column / basis_block], std::int32_t(column % basis_block),
                        columns_, std::int32_t(entry)});
}

// False where the Krylov space is exhausted with this column.
bool GmresMethod::take_column(LeastSquares &problem, const std::vector<double> &values,
                              int column) {
  Eigen::VectorXd h = Eigen::VectorXd::Zero(restart_ + 1);
  for (int i = 0; i <= column + 1; ++i)
    h[i] = values[i];
  h[column + 1] = std::sqrt(h[column + 1]);
  h_.col(column) = h;
  used_ = column + 1;
  problem.add(h);
  const double epsilon = kernels_.precision() == Precision::f64
                             ? std::numeric_limits<double>::epsilon()
                             : std::numeric_limits<float>::epsilon();
  return h[column + 1] > 10 * epsilon * h.norm();
}

// x = x + M^-1 V y, where M varies by the vectors kept.
void GmresMethod::add_correction(Preconditioner &precond, Vector &x, Vector &scratch,
                                 const Eigen::VectorXd &y) {
  std::vector<double> minus_y(y.size());
  for (Eigen::Index i = 0; i < y.size(); ++i)
    minus_y[i] = -y[i];
  kernels_.write_reals(coefficients_, minus_y);
  kernels_.zero(t_);
  const std::vector<Buffer> &basis = precond.varies() ? preconditioned_ : basis_;
  const std::int32_t num = std::int32_t(y.size());
  for (std::int32_t first = 0; first < num; first += basis_block) {
    const std::int32_t in_block = std::min<std::int32_t>(basis_block, num - first);
    kernels_.over_vector("gmres_subtract",
                         {basis[first / basis_block], in_block, t_.buffer, coefficients_, first,
                          std::int32_t(0), kernels_.state(), kernels_.partials()},
                         {.vectors = in_block});
  }
  kernels_.combine(x, 1, x, 1, precond.varies() ? t_ : precond.apply(t_, z_, scratch));
}

CycleResult GmresMethod::run(LinearOperator &op, Preconditioner &precond, Vector &x, Vector &r,
                             const CycleGoal &goal) {
  if (!t_.buffer) {
    t_ = kernels_.vector("GMRES new vector");
    if (!precond.is_identity())
      z_ = kernels_.vector("GMRES preconditioned vector");
  }
  kernels_.write_reals(columns_, {goal.residual_norm * goal.residual_norm});
  normalise(r, 0, 0);
  Vector v = r, w = t_; // the newest basis vector, and where the next one is made

  LeastSquares problem(restart_, goal.residual_norm);
  CycleResult result;
  BatchSize batch(kernels_.among() != nullptr);
  used_ = 0;
  bool finite = true, more = true;
  const int most = std::min(restart_, goal.max_iterations);
  while (more && result.status == SolveStatus::running && result.iterations < most) {
    const Timer timer;
    const int begin = result.iterations;
    const int queued = batch.next(most - begin);
    for (int j = begin; j < begin + queued; ++j) {
      const Vector &z = precond.apply(v, z_, w);
      if (precond.varies())
        keep_preconditioned(z, j);
      op.apply(z, w);
      orthogonalise(w, j);
      if (j + 1 < restart_)
        normalise(w, j + 1, j * stride() + j + 1);
      std::swap(v, w);
    }
    const std::vector<double> columns =
        kernels_.read_reals(columns_, std::int64_t(queued) * stride(), begin * stride());
    batch.measured(timer.seconds(), queued);
    for (int j = begin; more && result.status == SolveStatus::running && j < begin + queued; ++j) {
      const auto first = columns.begin() + (j - begin) * stride();
      more = take_column(problem, {first, first + stride()}, j);
      const double norm = problem.residual_norm();
      finite = std::isfinite(norm);
      ++result.iterations;
      if (!finite)
        result.status = SolveStatus::not_finite;
      else if (norm <= goal.target_norm)
        result.status = SolveStatus::converged;
      goal.on_iteration(norm);
    }
    if (result.status == SolveStatus::running && interrupted(kernels_.among()))
      result.status = SolveStatus::interrupted;
  }
  const Eigen::VectorXd y = problem.solution(result.iterations);
  if (finite && !y.allFinite())
    result.status = SolveStatus::breakdown; // R is singular, hence A
  else if (finite)
    add_correction(precond, x, r, y);
  return result;
}

} // namespace weft
