#include "solve/precondition/precond_multigrid.h"

#include "base/error.h"
#include "linalg/halo/shared_rows_of.h"
#include "linalg/levels/level_matrix.h"
#include "solve/multigrid/multigrid_set_up.h"

namespace weft {

MultigridMaker aggregation_multigrid(const MultigridSettings &asked,
                                     const NearNullSpace &null_space) {
  return [=](LinearOperator &op, const OnFinestLevel &on_finest) {
    MultigridSettings settings = asked;
    settings.systems = op.systems();
    const SparseMatrix *matrix = op.matrix();
    if (!matrix)
      throw Error(ErrorKind::input,
                  {.what = "multigrid by aggregation works with the entries of the matrix",
                   .where = "[solver] preconditioner",
                   .found = "an operator without a matrix",
                   .remedy = "set operator = \"assembled\" in [solver], or preconditioner = "
                             "{ kind = \"multigrid\", coarsening = \"nested\" }"});
    Device &device = op.device();
    const std::shared_ptr<const SharedRows> rows = shared_rows_of(op);
    const auto make_finest = [&]() -> std::unique_ptr<LevelOperator> {
      auto finest = std::make_unique<LevelMatrix>(device, *matrix, settings.precision(0),
                                                  LevelMatrix::Constants{null_space.components, {}},
                                                  rows, settings.systems);
      on_finest(*finest);
      return finest;
    };
    AggregationLevels made =
        make_aggregation_levels(device, *matrix, settings, null_space, make_finest, rows);
    auto coarsest = make_coarsest(device, *made.levels.back().op, made.coarsest, settings);
    return std::make_unique<MultigridCycles>(device, std::move(made.levels), std::move(coarsest),
                                             settings, op.symmetric());
  };
}

void PrecondMultigrid::set_up(LinearOperator &op) {
  cycle_.reset();
  x_ = {};
  transfer_.reset();
  multigrid_.reset(); // its memory serves the next one
  multigrid_ = make_(op, [&](const LevelOperator &finest) {
    transfer_ = std::make_unique<ScaledTransfer>(kernels_, finest);
    b_ = make_vector(op.device(), finest.layout(), finest.precision(), "residual of multigrid");
    if (meanwhile_)
      meanwhile_();
  });
  keep_set_up();
}

// A level without a matrix launches what the operator launches, with its time and its state.
void PrecondMultigrid::keep_set_up() {
  if (kernels_.among() == nullptr)
    cycle_ =
        std::make_unique<RepeatedWork>(kernels_.device(), [this] { x_ = multigrid_->cycle(b_); });
}

const Vector &PrecondMultigrid::apply(const Vector &r, Vector &z, Vector &) {
  transfer_->enter(r, b_);
  if (cycle_)
    cycle_->run();
  else
    x_ = multigrid_->cycle(b_);
  transfer_->leave(x_, z);
  return z;
}

// A cycle all in the precision of r is a linear map, but for a K cycle.
bool PrecondMultigrid::varies() const {
  return !multigrid_ || !multigrid_->linear() || low_precision().has_value();
}

std::optional<Precision> PrecondMultigrid::low_precision() const {
  std::optional<Precision> lowest;
  for (const LevelSummary &level : levels())
    if (level.storage != kernels_.precision() &&
        (!lowest || size_bytes(level.storage) < size_bytes(*lowest)))
      lowest = level.storage;
  return lowest;
}

std::vector<LevelSummary> PrecondMultigrid::levels() const {
  return multigrid_ ? multigrid_->levels() : std::vector<LevelSummary>{};
}

} // namespace weft
