#include "run/nested_multigrid.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "linalg/halo/shared_rows_of.h"
#include "linalg/levels/level_matrix.h"
#include "linalg/levels/matrix_transfer.h"
#include "op/levels/line_transfer.h"
#include "op/levels/nested_levels.h"
#include "op/problem/quadrature_degree.h"
#include "op/set_up/make_near_null_space.h"
#include "solve/multigrid/matrix_free_level.h"
#include "solve/multigrid/multigrid_set_up.h"

namespace weft {

namespace {

// The large eigenvalues of a high order are few, and half the order has a quarter or an eighth of
// the functions: polynomials between orders are to damp more than those between meshes, where
// MultigridSettings::smoothing is for. Of 0.35 to 0.03 this takes the fewest iterations, or two
// more, on all types of cells at orders 2 to 8, up to a fifth fewer than 0.25 does.
constexpr double smoothing_between_orders = 0.1;

// Components of a node's unknowns where they follow one another.
int node_components(const Form &form) {
  return form.fields.size() == 1 ? form.fields[0].components() : 1;
}

// The settings of the levels from `first` on.
MultigridSettings settings_from(MultigridSettings settings, int first) {
  std::vector<Precision> precisions;
  for (std::size_t l = first; l < std::max<std::size_t>(settings.precisions.size(), first + 1); ++l)
    precisions.push_back(settings.precision(l));
  settings.precisions = precisions;
  settings.max_levels = std::max(1, settings.max_levels - first);
  return settings;
}

std::unique_ptr<LevelOperator> make_level(NestedLevels &nested, int level, Precision storage) {
  LinearOperator &op = nested.op(level);
  if (const SparseMatrix *matrix = op.matrix())
    return std::make_unique<LevelMatrix>(
        op.device(), *matrix, storage,
        LevelMatrix::Constants{node_components(nested.discretisation(level).form), {}},
        shared_rows_of(op));
  return std::make_unique<MatrixFreeLevel>(op);
}

class NestedMultigrid {
public:
  NestedMultigrid(FormOperator &op, const MultigridSettings &settings, const NestedProblem &problem,
                  bool rigid_body_modes)
      : settings_(settings), rigid_body_modes_(rigid_body_modes), device_(op.device()),
        symmetric_(op.symmetric()), op_(op),
        nested_(op, *problem.c, *problem.d, *problem.coarser,
                {.low_order = settings.kind == MultigridKind::low_order,
                 .precision = arithmetic_precision(settings.precision(0)),
                 .coarsest_size = settings.coarsest_size,
                 .max_levels = settings.max_levels}) {}

  bool is_of(const LinearOperator &op) const { return &op == &op_; }

  std::unique_ptr<MultigridCycles> make(const OnFinestLevel &on_finest) {
    nested_.update();
    std::vector<MultigridLevel> levels;
    const int last = nested_.num_levels() - 1;
    for (int l = 0; l < last; ++l) {
      levels.push_back({.op = make_level(nested_, l, settings_.precision(l))});
      if (settings_.kind == MultigridKind::nested &&
          highest_field_order(nested_.discretisation(l)) > 1)
        levels.back().smoothing = smoothing_between_orders;
      if (l > 0)
        connect(levels, l - 1);
    }
    const SparseMatrix *matrix = nested_.op(last).matrix();
    require(matrix, "the coarsest discretisation is assembled");
    const MultigridSettings below = settings_from(settings_, last);
    AggregationLevels algebraic = make_aggregation_levels(
        device_, *matrix, below,
        make_near_null_space(nested_.discretisation(last), rigid_body_modes_),
        [&] {
          auto op = make_level(nested_, last, below.precision(0));
          on_finest(last == 0 ? *op : *levels[0].op);
          return op;
        },
        shared_rows_of(nested_.op(last)));
    std::move(algebraic.levels.begin(), algebraic.levels.end(), std::back_inserter(levels));
    if (last > 0)
      connect(levels, last - 1);
    auto coarsest = make_coarsest(device_, *levels.back().op, algebraic.coarsest, settings_);
    return std::make_unique<MultigridCycles>(device_, std::move(levels), std::move(coarsest),
                                             settings_, symmetric_);
  }

private:
  // The transfer between nested levels l and l + 1.
  void connect(std::vector<MultigridLevel> &levels, int l) {
    const Discretisation &fine = nested_.discretisation(l), &coarse = nested_.discretisation(l + 1);
    const auto fine_side = MatrixTransfer::side_of(*levels[l].op);
    const auto coarse_side = MatrixTransfer::side_of(*levels[l + 1].op);
    if (LineTransfer::suits(fine, coarse))
      levels[l].transfer =
          std::make_unique<LineTransfer>(device_, fine, coarse, fine_side, coarse_side);
    else
      levels[l].transfer =
          std::make_unique<MatrixTransfer>(device_, nested_.prolongation(l), nested_.restriction(l),
                                           fine_side, coarse_side, settings_.precision(l));
  }

  MultigridSettings settings_;
  bool rigid_body_modes_;
  Device &device_;
  bool symmetric_;
  const LinearOperator &op_;
  NestedLevels nested_;
};

} // namespace

MultigridMaker nested_multigrid(const MultigridSettings &settings, const NestedProblem &problem,
                                bool rigid_body_modes) {
  // Shared by the copies of the function, which are one and the same.
  auto kept = std::make_shared<std::unique_ptr<NestedMultigrid>>();
  return [=](LinearOperator &op, const OnFinestLevel &on_finest) {
    auto *form = dynamic_cast<FormOperator *>(&op);
    if (!form)
      throw Error(ErrorKind::unsupported,
                  {.what = "multigrid from coarser discretisations of an operator without a form",
                   .where = "[solver] preconditioner",
                   .remedy = "let the matrix be coarsened by aggregation"});
    if (!*kept || !(*kept)->is_of(op))
      *kept = std::make_unique<NestedMultigrid>(*form, settings, problem, rigid_body_modes);
    return (*kept)->make(on_finest);
  };
}

} // namespace weft
