#include "run/sweep/samples_together.h"

#include <cmath>
#include <utility>

#include "op/evaluate/field_values.h"

namespace weft {

namespace {

// Solutions whose combinations samples begin at: two vectors each, and a column to be eliminated.
constexpr std::size_t most_corrections = 8;

bool serves_several(const SolverSettings &settings) {
  switch (settings.preconditioner) {
  case PrecondKind::none:
  case PrecondKind::jacobi:
  case PrecondKind::chebyshev:
    return true;
  case PrecondKind::multigrid:
    return !settings.make_multigrid && !smooths_by_inverse(settings.multigrid.smoother);
  default:
    return false;
  }
}

std::span<const double> view(const Eigen::VectorXd &values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

Eigen::VectorXd values_of(Device &device, const Vector &vector) {
  Eigen::VectorXd values(vector.size);
  get_vector(device, vector, {values.data(), static_cast<std::size_t>(vector.size)});
  return values;
}

} // namespace

bool SamplesTogether::possible(const Simulation &s) {
  if (s.c.time || s.ranks || !s.null_space.empty() || s.c.form.fields.size() != 1)
    return false;
  const NonlinearOperator *op = s.model->equations_made();
  return op && op->linear() && op->matrix() && !op->jacobian_takes_values() &&
         serves_several(solver_settings(s));
}

SamplesTogether::SamplesTogether(Simulation &s)
    : s_(s), op_(*s.model->system()), settings_(solver_settings(s)) {}

Vector SamplesTogether::initial_values() {
  Vector u = make_vector(*s_.device, op_.layout(), op_.precision(), "initial values of a sample");
  op_.set_dofs(initial_state(s_.c, s_.discretisation), u);
  op_.set_constrained(u);
  return u;
}

void SamplesTogether::keep(Eigen::VectorXd correction) {
  Vector c = make_vector(*s_.device, op_.layout(), op_.precision(), "correction of a sample");
  Vector product = make_vector(*s_.device, op_.layout(), op_.precision(), "product of it");
  set_vector(*s_.device, c, view(correction));
  op_.apply(c, product);
  corrections_.push_back({std::move(correction), values_of(*s_.device, product)});
  if (corrections_.size() > most_corrections)
    corrections_.pop_front();
  products_.reset();
}

void SamplesTogether::keep_solution() {
  Vector u = initial_values();
  const Eigen::VectorXd start = values_of(*s_.device, u);
  op_.set_dofs(s_.state, u);
  keep(values_of(*s_.device, u) - start);
}

bool SamplesTogether::add() {
  Sample sample{.initial = initial_values()};
  Vector r = make_vector(*s_.device, op_.layout(), op_.precision(), "residual of a sample");
  op_.residual(sample.initial, r);
  sample.residual = values_of(*s_.device, r);
  sample.correction = Eigen::VectorXd::Zero(r.size);
  sample.target = std::max(settings_.tolerance * sample.residual.norm(), settings_.newton.absolute);
  if (!corrections_.empty() && sample.residual.allFinite()) {
    const auto count = static_cast<Eigen::Index>(corrections_.size());
    if (!products_) {
      Eigen::MatrixXd columns(r.size, count);
      for (Eigen::Index k = 0; k < count; ++k)
        columns.col(k) = corrections_[k].product;
      products_.emplace(columns);
    }
    const Eigen::VectorXd weights = products_->solve(-sample.residual);
    for (Eigen::Index k = 0; k < count; ++k) {
      sample.correction += weights[k] * corrections_[k].values;
      sample.residual += weights[k] * corrections_[k].product;
    }
  }
  sample.norm = sample.residual.norm();
  samples_.push_back(std::move(sample));
  return samples_.size() < most;
}

SolveReport SamplesTogether::solve() {
  // Each system is divided by the norm of its residual, so that one tolerance is that of all.
  constexpr int systems = RepeatedMatrix::num_systems;
  Eigen::Matrix<double, systems, Eigen::Dynamic> columns =
      Eigen::MatrixXd::Zero(systems, static_cast<Eigen::Index>(op_.size()));
  double tolerance = 1;
  int num_open = 0;
  for (int k = 0; k < static_cast<int>(samples_.size()); ++k) {
    const Sample &sample = samples_[k];
    if (was_known(k))
      continue;
    if (!std::isfinite(sample.norm))
      return {.status = SolveStatus::not_finite};
    ++num_open;
    tolerance = std::min(tolerance, sample.target / sample.norm);
    columns.row(k) = -sample.residual.transpose() / sample.norm;
  }
  if (num_open == 0)
    return {.status = SolveStatus::converged, .converged = true};
  op_.linearise(samples_.front().initial);
  if (!solver_) {
    matrix_.emplace(*op_.matrix(), *s_.device);
    solver_.emplace(*matrix_, settings_);
  }
  Vector b = make_vector(*s_.device, matrix_->layout(), op_.precision(), "right-hand sides");
  Vector x = make_vector(*s_.device, matrix_->layout(), op_.precision(), "corrections");
  set_vector(*s_.device, b, {columns.data(), static_cast<std::size_t>(columns.size())});
  // The norm of all is one of each as well, and sqrt(num_open) at first.
  const SolveReport report = solver_->solve_from_zero(b, x, tolerance / std::sqrt(num_open));
  if (!report.converged)
    return report;
  get_vector(*s_.device, x, {columns.data(), static_cast<std::size_t>(columns.size())});
  for (int k = 0; k < static_cast<int>(samples_.size()); ++k)
    if (!was_known(k)) {
      samples_[k].correction += samples_[k].norm * columns.row(k).transpose();
      keep(samples_[k].correction);
    }
  return report;
}

std::vector<double> SamplesTogether::state(int sample) const {
  const Sample &of = samples_[sample];
  Vector u = make_vector(*s_.device, op_.layout(), op_.precision(), "solution of a sample");
  set_vector(*s_.device, u, view(values_of(*s_.device, of.initial) + of.correction));
  return op_.dofs(u);
}

} // namespace weft
