#include "solve/precondition/precond_blocks.h"

#include <set>
#include <utility>

#include "solve/krylov/largest_eigenvalue.h"
#include "solve/precondition/entries_of.h"
#include "solve/precondition/precond_chebyshev.h"
#include "solve/precondition/precond_commutator.h"
#include "solve/precondition/precond_direct.h"
#include "solve/precondition/precond_multigrid.h"

namespace weft {

namespace {

// Of the polynomial that stands for the inverse of a mass matrix, and the smallest eigenvalue of
// one that is scaled by its diagonal, over the largest: 1/5 for tetrahedra of order 1 (Wathen 1987,
// DOI 10.1093/imanum/7.4.449), some less for others.
constexpr int mass_degree = 5;
constexpr double smallest_of_mass = 1. / 8;

std::set<std::string> parts_of(const BlockSettings &settings) {
  if (settings.solver == BlockSolver::chebyshev)
    return {"jacobi", "chebyshev", settings.symmetric ? "cg" : "gmres"};
  return {"jacobi"};
}

std::unique_ptr<Preconditioner> make_block_solver(VectorKernels &kernels,
                                                  const BlockSettings &settings) {
  switch (settings.solver) {
  case BlockSolver::multigrid:
    return std::make_unique<PrecondMultigrid>(
        kernels, aggregation_multigrid(settings.multigrid, settings.near_null_space), false);
  case BlockSolver::chebyshev:
    return std::make_unique<PrecondChebyshev>(kernels, mass_degree, smallest_of_mass);
  case BlockSolver::jacobi:
    return std::make_unique<PrecondJacobi>(kernels);
  case BlockSolver::direct:
    return std::make_unique<PrecondDirect>(kernels, false);
  case BlockSolver::commutator:
    return std::make_unique<PrecondCommutator>(kernels, settings);
  }
  return nullptr;
}

} // namespace

struct PrecondBlocks::Block {
  BlockSettings settings;
  VectorKernels kernels;
  std::unique_ptr<Preconditioner> solver;
  std::unique_ptr<SparseMatrix> matrix; // that the solver was set up for
  std::vector<std::pair<const Block *, std::unique_ptr<Coupling>>> before; // blocks, A_ij
  Vector r, z, scratch;

  Block(Device &device, Precision precision, const BlockSettings &of)
      : settings(of), kernels(device, precision, of.dofs.size, num_lanczos_steps + 2, parts_of(of)),
        solver(make_block_solver(kernels, of)), r(kernels.vector("residual of a block")),
        z(kernels.vector("correction of a block")), scratch(kernels.vector("scratch of a block")) {}
};

PrecondBlocks::PrecondBlocks(VectorKernels &kernels, const SolverSettings &settings)
    : PrecondWithSetup(settings.reuse_multigrid), kernels_(kernels) {
  for (const BlockSettings &block : settings.blocks)
    blocks_.push_back(std::make_unique<Block>(kernels.device(), kernels.precision(), block));
}

PrecondBlocks::~PrecondBlocks() = default;

void PrecondBlocks::set_up(LinearOperator &op) {
  const std::shared_ptr<const double[]> values = finite_values_of(op, "the preconditioner blocks");
  const auto part_of = [&](const DofRange &rows, const DofRange &columns) {
    return sub_matrix(op.matrix()->pattern(), values.get(), rows, columns);
  };
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Block &block = *blocks_[i];
    const DofRange &dofs = block.settings.dofs;
    block.before.clear();
    for (std::size_t j = 0; j < i; ++j) {
      const DofRange &others = blocks_[j]->settings.dofs;
      auto coupling = std::make_unique<Coupling>(op.device(), part_of(dofs, others), others.size,
                                                 op.precision());
      if (!coupling->empty())
        block.before.emplace_back(blocks_[j].get(), std::move(coupling));
    }
    if (block.settings.solver == BlockSolver::commutator) {
      block.solver->update(op);
      continue;
    }
    HostMatrix own = part_of(dofs, dofs);
    if (block.settings.replacement)
      own = block.settings.replacement(op, own);
    block.matrix.reset();
    block.matrix = upload_matrix(op.device(), own, op.precision(), block.settings.symmetric);
    block.solver->update(*block.matrix);
  }
}

const Vector &PrecondBlocks::apply(const Vector &r, Vector &z, Vector &) {
  Device &device = kernels_.device();
  const std::uint64_t real = size_bytes(kernels_.precision());
  for (const auto &block : blocks_) {
    const DeviceStage stage(device, "block " + block->settings.name);
    const DofRange &dofs = block->settings.dofs;
    device.copy(r.buffer, block->r.buffer, dofs.size * real, dofs.first * real, 0);
    for (const auto &[other, coupling] : block->before) {
      coupling->apply(other->z, block->scratch);
      block->kernels.combine(block->r, 1, block->r, -1, block->scratch);
    }
    const Vector &solved = block->solver->apply(block->r, block->z, block->scratch);
    block->kernels.combine(block->z, block->settings.sign, solved, 0, solved);
    device.copy(block->z.buffer, z.buffer, dofs.size * real, 0, dofs.first * real);
  }
  return z;
}

bool PrecondBlocks::varies() const {
  for (const auto &block : blocks_)
    if (block->solver->varies())
      return true;
  return false;
}

std::optional<Precision> PrecondBlocks::low_precision() const {
  std::optional<Precision> lowest;
  for (const auto &block : blocks_)
    if (const std::optional<Precision> precision = block->solver->low_precision();
        precision && (!lowest || size_bytes(*precision) < size_bytes(*lowest)))
      lowest = precision;
  return lowest;
}

std::vector<LevelSummary> PrecondBlocks::levels() const {
  std::vector<LevelSummary> largest;
  for (const auto &block : blocks_)
    if (std::vector<LevelSummary> levels = block->solver->levels();
        !levels.empty() && (largest.empty() || levels.front().unknowns > largest.front().unknowns))
      largest = std::move(levels);
  return largest;
}

} // namespace weft
