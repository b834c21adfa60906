#include "solve/multigrid/multigrid_cycles.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/embedded.h"
#include "base/error.h"
#include "device/dialect.h"
#include "linalg/levels/level_matrix.h"
#include "linalg/levels/matrix_transfer.h"
#include "solve/krylov/chebyshev.h"
#include "solve/krylov/largest_eigenvalue.h"
#include "solve/multigrid/inner_solver.h"

namespace weft {

namespace {

// Estimates of the largest eigenvalue come from below, those of parts of a matrix by up to 18%; a
// polynomial that is small on too short an interval is large beyond it.
constexpr double smoothing_safety = 1.2;
// Terms on a coarsest level that is not solved directly.
constexpr int many_terms = 32;
constexpr double smallest_of_many = 1. / 400; // what so many terms can reach
constexpr double jacobi_damping = 4. / 3;     // over the largest eigenvalue

} // namespace

// Vectors of a level, and what a K cycle needs on it.
struct MultigridCycles::Work {
  std::string stage; // what is done on this level, for who watches
  std::vector<SmootherStep> steps;
  Vector b, x, t, w; // b: of all levels but the finest
  std::uint64_t bytes = 0;
  std::int64_t unknowns = 0, entries = 0; // of all ranks

  std::unique_ptr<VectorKernels> sums;    // where an inverse smooths: to add what it gives
  std::unique_ptr<VectorKernels> kernels; // of a K cycle, and what follows
  Program program;
  Vector c, ac, ad;
  Buffer factors;

  void over_vector(const char *kernel, const std::vector<KernelArgument> &arguments) const {
    kernels->over_vector(program, kernel, arguments);
  }
  void over_sums(const char *kernel) const { kernels->over_sums(program, kernel, {factors}); }
  void make_krylov(Device &device, const VectorLayout &layout, Precision precision,
                   int steps_of_cycle);
};

void MultigridCycles::Work::make_krylov(Device &device, const VectorLayout &layout,
                                        Precision precision, int steps_of_cycle) {
  kernels = std::make_unique<VectorKernels>(device, precision, layout, 3, std::set<std::string>{});
  const VectorShape shape = kernels->shape();
  program = device.build({.name = "krylov_cycle_" + to_string(precision),
                          .text = program_head(device.info().backend, precision, shape.lanes) +
                                  "#define WEFT_GROUP " + std::to_string(shape.group_size) + "\n" +
                                  embedded_text("kernels/vector/common.kernel") +
                                  embedded_text("kernels/vector/krylov_cycle.kernel"),
                          .kernels = {"cycle_dots_first", "cycle_step_first", "cycle_residual",
                                      "cycle_dots_second", "cycle_step_second", "cycle_combine"}});
  factors = kernels->reals(3, "factors of a K cycle");
  for (Vector *v : {&c, &ac, &ad})
    if (steps_of_cycle > 1 || v != &ad) {
      *v = kernels->vector("vectors of a K cycle");
      bytes += v->buffer->bytes;
    }
}

MultigridCycles::MultigridCycles(Device &device, std::vector<MultigridLevel> levels,
                                 std::unique_ptr<DenseInverse> coarsest,
                                 const MultigridSettings &settings, bool symmetric)
    : device_(device), settings_(settings), levels_(std::move(levels)),
      coarsest_(std::move(coarsest)) {
  require(!levels_.empty(), "multigrid has a level");
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    MultigridLevel &level = levels_[l];
    const bool is_last = l + 1 == levels_.size(), is_solved = is_last && coarsest_ != nullptr;
    require(is_last == (level.transfer == nullptr), "a transfer between any two levels");
    const VectorLayout layout = level.op->layout();
    const Precision precision = level.op->precision();
    auto work = std::make_unique<Work>();
    work->stage = "level " + std::to_string(l);
    work->unknowns = sum(layout.among, level.op->size() / level.op->systems());
    work->entries = sum(layout.among, level.op->num_entries());
    const auto add = [&](Vector &v) {
      v = make_vector(device, layout, precision, "vectors of multigrid");
      work->bytes += v.buffer->bytes;
    };
    add(work->x);
    if (l > 0)
      add(work->b);
    if (!is_solved) {
      add(work->t);
      add(work->w);
      if (level.largest_eigenvalue <= 0) {
        VectorKernels kernels(device, precision, layout, inner_kernel_sums(),
                              inner_kernel_parts(InnerKind::chebyshev, symmetric));
        level.largest_eigenvalue = estimate_largest_eigenvalue(kernels, *level.op, symmetric);
      }
      work->steps = is_last ? long_smoothing(level.largest_eigenvalue)
                            : smoothing(level.largest_eigenvalue,
                                        level.smoothing.value_or(settings_.smoothing));
    }
    if (level.inverse)
      work->sums =
          std::make_unique<VectorKernels>(device, precision, layout, 1, std::set<std::string>{});
    if (settings_.cycle == MultigridCycle::k && l > 0 && !is_last)
      work->make_krylov(device, layout, precision, settings_.krylov_steps);
    work_.push_back(std::move(work));
  }
}

MultigridCycles::~MultigridCycles() = default;

std::vector<SmootherStep> MultigridCycles::smoothing(double largest, double fraction) const {
  if (settings_.smoother == SmootherKind::chebyshev)
    return chebyshev_steps(fraction * largest, smoothing_safety * largest, settings_.degree);
  const double omega = settings_.damping > 0 ? settings_.damping : jacobi_damping / largest;
  return std::vector<SmootherStep>(settings_.sweeps,
                                   {.c1 = 0, .c2 = omega, .reads_w = false, .keeps_w = false});
}

std::vector<SmootherStep> MultigridCycles::long_smoothing(double largest) const {
  return chebyshev_steps(smallest_of_many * largest, smoothing_safety * largest, many_terms);
}

void MultigridCycles::smooth_by_inverse(std::size_t level, const Vector &b, bool from_zero) {
  Work &work = *work_[level];
  const MultigridLevel &l = levels_[level];
  for (int sweep = 0; sweep < settings_.sweeps; ++sweep) {
    if (from_zero && sweep == 0) {
      l.inverse->apply(b, work.x);
      continue;
    }
    l.op->residual(b, work.x, work.t);
    l.inverse->apply(work.t, work.w);
    work.sums->combine(work.x, 1, work.x, 1, work.w);
  }
}

void MultigridCycles::smooth(std::size_t level, const Vector &b, bool from_zero) {
  if (levels_[level].inverse)
    return smooth_by_inverse(level, b, from_zero);
  Work &work = *work_[level];
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    SmootherStep step = work.steps[i];
    step.reads_x = i > 0 || !from_zero;
    levels_[level].op->smooth(b, work.x, work.w, work.t, step);
    std::swap(work.x, work.t);
  }
}

// Corrects on a coarse level, whose b is overwritten with what the first step leaves of it.
void MultigridCycles::correct_by_krylov(std::size_t level) {
  Work &work = *work_[level];
  LevelOperator &op = *levels_[level].op;
  const Buffer &partials = work.kernels->partials(), &factors = work.factors;
  const bool is_short = settings_.krylov_steps == 1;
  run(level, work.b, true);
  {
    const DeviceStage stage(device_, work.stage);
    op.apply(work.x, work.ac);
    work.over_vector("cycle_dots_first", {work.x.buffer, work.ac.buffer, work.b.buffer, partials});
    work.over_sums("cycle_step_first");
    if (!is_short) {
      std::swap(work.x, work.c);
      work.over_vector("cycle_residual", {work.b.buffer, work.ac.buffer, factors});
    }
  }
  if (!is_short)
    run(level, work.b, true);
  const DeviceStage stage(device_, work.stage);
  if (!is_short) {
    op.apply(work.x, work.ad);
    work.over_vector("cycle_dots_second",
                     {work.x.buffer, work.ac.buffer, work.ad.buffer, work.b.buffer, partials});
    work.over_sums("cycle_step_second");
  }
  const Vector &c = is_short ? work.x : work.c;
  work.over_vector("cycle_combine", {work.t.buffer, c.buffer, work.x.buffer, factors});
  std::swap(work.x, work.t);
}

void MultigridCycles::correct(std::size_t level) {
  const bool is_last = level + 1 == levels_.size();
  if (settings_.cycle == MultigridCycle::k && !is_last)
    return correct_by_krylov(level);
  run(level, work_[level]->b, true);
  if (settings_.cycle == MultigridCycle::w && !is_last)
    run(level, work_[level]->b, false);
}

void MultigridCycles::run(std::size_t level, const Vector &b, bool from_zero) {
  Work &work = *work_[level];
  MultigridLevel &l = levels_[level];
  {
    const DeviceStage stage(device_, work.stage);
    if (level + 1 == levels_.size()) {
      if (coarsest_)
        coarsest_->apply(b, work.x);
      else
        smooth(level, b, from_zero);
      return;
    }
    smooth(level, b, from_zero);
    l.op->residual(b, work.x, work.t);
    l.transfer->restrict_to(work.t, work_[level + 1]->b);
  }
  correct(level + 1);
  const DeviceStage stage(device_, work.stage);
  l.transfer->prolong_add(work_[level + 1]->x, work.x);
  smooth(level, b, false);
}

const Vector &MultigridCycles::cycle(const Vector &b) {
  for (int done = 0; done < settings_.cycles; ++done)
    run(0, b, done == 0);
  return work_[0]->x;
}

std::vector<LevelSummary> MultigridCycles::levels() const {
  std::vector<LevelSummary> summaries;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const MultigridLevel &level = levels_[l];
    std::uint64_t bytes = level.op->bytes() + work_[l]->bytes;
    if (level.inverse)
      bytes += level.inverse->bytes();
    if (level.transfer)
      bytes += level.transfer->bytes();
    else if (coarsest_)
      bytes += coarsest_->bytes();
    summaries.push_back({.unknowns = work_[l]->unknowns,
                         .entries = work_[l]->entries,
                         .storage = level.op->storage(),
                         .bytes = bytes});
    if (const std::shared_ptr<Halo> halo = level.op->halo())
      summaries.back().halo = halo->counts();
  }
  return summaries;
}

void add_matrix_level(Device &device, const HierarchyLevel &fine, const HierarchyLevel &coarse,
                      const MultigridSettings &settings, bool symmetric,
                      std::vector<MultigridLevel> &levels) {
  const std::size_t last = levels.size() - 1;
  levels.push_back({.op = std::make_unique<LevelMatrix>(
                        device, coarse.matrix, settings.precision(last + 1),
                        LevelMatrix::Constants{coarse.components, coarse.constants}, coarse.rows,
                        settings.systems)});
  // A last level of few unknowns is solved directly.
  if (coarse.rows || coarse.matrix.num_rows() > settings.coarsest_size)
    levels.back().inverse =
        make_level_inverse(device, settings.smoother, coarse.matrix, *levels.back().op, symmetric);
  levels[last].transfer = std::make_unique<MatrixTransfer>(
      device, fine.prolongation.entries, fine.prolongation.transposed,
      MatrixTransfer::side_of(*levels[last].op), MatrixTransfer::side_of(*levels[last + 1].op),
      settings.precision(last));
}

} // namespace weft
