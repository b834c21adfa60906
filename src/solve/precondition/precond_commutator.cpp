#include "solve/precondition/precond_commutator.h"

#include <algorithm>
#include <set>

#include <Eigen/SparseCore>

#include "base/error.h"
#include "solve/precondition/entries_of.h"
#include "solve/precondition/precond_multigrid.h"

namespace weft {

namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

Eigen::Map<const RowMatrix> map_of(const HostMatrix &matrix, std::int64_t num_columns) {
  return {matrix.num_rows(),
          num_columns,
          static_cast<std::int64_t>(matrix.columns.size()),
          matrix.row_start.data(),
          matrix.columns.data(),
          matrix.values.data()};
}

// B W G, or its negative where that has the positive diagonal.
HostMatrix laplacian_of(const HostMatrix &divergence, const std::vector<double> &inverse_mass,
                        const HostMatrix &gradient) {
  const auto num_constrained = static_cast<std::int64_t>(inverse_mass.size());
  const Eigen::Map<const Eigen::VectorXd> weights(inverse_mass.data(), num_constrained);
  const RowMatrix weighted = map_of(divergence, num_constrained) * weights.asDiagonal();
  RowMatrix product = weighted * map_of(gradient, divergence.num_rows());
  const double sign = product.diagonal().sum() < 0 ? -1 : 1;
  for (Eigen::Index row = 0; row < product.rows(); ++row) // without couplings
    if (product.coeff(row, row) == 0)
      product.coeffRef(row, row) = sign;
  product.makeCompressed();
  HostMatrix result;
  result.row_start.assign(product.outerIndexPtr(), product.outerIndexPtr() + product.rows() + 1);
  result.columns.assign(product.innerIndexPtr(), product.innerIndexPtr() + product.nonZeros());
  result.values.resize(product.nonZeros());
  for (std::int64_t e = 0; e < product.nonZeros(); ++e)
    result.values[e] = sign * product.valuePtr()[e];
  return result;
}

// One over the diagonal of rows that have no couplings, 0 elsewhere.
std::vector<double> inverse_of_uncoupled(const HostMatrix &own, const HostMatrix &divergence) {
  std::vector<double> inverse(own.num_rows(), 0.);
  for (std::int32_t row = 0; row < own.num_rows(); ++row) {
    const auto *begin = divergence.values.data() + divergence.row_start[row];
    const auto *end = divergence.values.data() + divergence.row_start[row + 1];
    if (std::any_of(begin, end, [](double value) { return value != 0; }))
      continue;
    for (std::int32_t e = own.row_start[row]; e < own.row_start[row + 1]; ++e)
      if (own.columns[e] == row && own.values[e] != 0)
        inverse[row] = 1 / own.values[e];
  }
  return inverse;
}

} // namespace

PrecondCommutator::PrecondCommutator(VectorKernels &kernels, const BlockSettings &settings)
    : PrecondWithSetup(false), kernels_(kernels), dofs_(settings.dofs),
      constrained_(settings.constrained),
      solver_(std::make_unique<PrecondMultigrid>(
          kernels, aggregation_multigrid(settings.multigrid, {}), false)) {
  require(static_cast<std::int64_t>(settings.inverse_mass.size()) == constrained_.size,
          "a weight for each dof of the constrained field");
  of_constrained_ = std::make_unique<VectorKernels>(
      kernels.device(), kernels.precision(), constrained_.size, 1, std::set<std::string>{"jacobi"});
  inverse_mass_ = of_constrained_->vector("inverse mass");
  set_vector(kernels.device(), inverse_mass_, settings.inverse_mass);
  u_ = of_constrained_->vector("commutator");
  product_ = of_constrained_->vector("commutator");
  p_ = kernels.vector("commutator");
  uncoupled_ = kernels.vector("commutator");
  inverse_uncoupled_ = kernels.vector("commutator");
}

void PrecondCommutator::set_up(LinearOperator &op) {
  const std::shared_ptr<const double[]> values = finite_values_of(op, "the preconditioner blocks");
  const auto part_of = [&](const DofRange &rows, const DofRange &columns) {
    return sub_matrix(op.matrix()->pattern(), values.get(), rows, columns);
  };
  const HostMatrix gradient = part_of(constrained_, dofs_),
                   divergence = part_of(dofs_, constrained_);
  Device &device = op.device();
  const Precision precision = op.precision();
  gradient_ = std::make_unique<Coupling>(device, gradient, dofs_.size, precision);
  divergence_ = std::make_unique<Coupling>(device, divergence, constrained_.size, precision);
  own_ = std::make_unique<Coupling>(device, part_of(constrained_, constrained_), constrained_.size,
                                    precision);
  set_vector(device, inverse_uncoupled_, inverse_of_uncoupled(part_of(dofs_, dofs_), divergence));
  const std::vector<double> weights = get_vector(device, inverse_mass_);
  laplacian_.reset();
  laplacian_ = upload_matrix(device, laplacian_of(divergence, weights, gradient), precision, true);
  solver_->update(*laplacian_);
}

const Vector &PrecondCommutator::apply(const Vector &r, Vector &z, Vector &scratch) {
  kernels_.scale(uncoupled_, inverse_uncoupled_, r);
  gradient_->apply(solver_->apply(r, z, scratch), u_);
  of_constrained_->scale(product_, inverse_mass_, u_);
  own_->apply(product_, u_);
  of_constrained_->scale(product_, inverse_mass_, u_);
  divergence_->apply(product_, p_);
  const Vector &solved = solver_->apply(p_, z, scratch);
  kernels_.combine(z, -1, solved, 1, uncoupled_);
  return z;
}

} // namespace weft
