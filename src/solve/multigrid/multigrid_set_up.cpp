#include "solve/multigrid/multigrid_set_up.h"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>

#include "base/log.h"
#include "base/system/interruption.h"
#include "linalg/levels/level_matrix.h"
#include "linalg/levels/matrix_transfer.h"
#include "solve/aggregation/smoothed_aggregation.h"
#include "solve/multigrid/gathered_level_size.h"

namespace weft {

namespace {

// Loads the kernels of the coarser levels, which are made of the host's matrices.
void load_level_kernels(Device &device, const LevelOperator &finest,
                        const NearNullSpace &null_space, const MultigridSettings &settings) {
  const bool constants = null_space.num_vectors > 0;
  const Precision coarse = settings.precision(1);
  LevelMatrix::load_kernels(device, coarse,
                            constants ? null_space.num_vectors : null_space.components, constants,
                            settings.systems);
  MatrixTransfer::load_kernels(device, finest.precision(), arithmetic_precision(coarse),
                               settings.precision(0), settings.systems);
}

// The finest level.
std::vector<MultigridLevel>
begin_levels(Device &device, const SparseMatrix &matrix, const NearNullSpace &null_space,
             const MultigridSettings &settings,
             const std::function<std::unique_ptr<LevelOperator>()> &make_finest,
             const SharedRows *rows) {
  std::vector<MultigridLevel> levels;
  levels.push_back({.op = make_finest()});
  load_level_kernels(device, *levels[0].op, null_space, settings);
  if ((rows || matrix.size() > settings.coarsest_size) && smooths_by_inverse(settings.smoother))
    levels[0].inverse = make_level_inverse(device, settings.smoother, matrix.host(), *levels[0].op,
                                           matrix.symmetric());
  return levels;
}

// Makes levels on the device in a thread of its own, in the order in which the host adds them.
class LevelsBeside {
public:
  LevelsBeside(Device &device, const SparseMatrix &matrix, const NearNullSpace &null_space,
               const MultigridSettings &settings,
               const std::function<std::unique_ptr<LevelOperator>()> &make_finest)
      : device_(device), matrix_(matrix), null_space_(null_space), settings_(settings),
        make_finest_(make_finest),
        made_(std::async(std::launch::async, [this] { return make(); })) {}
  ~LevelsBeside() { end(); }

  // Both have to live as long as this.
  void add(const HierarchyLevel &fine, const HierarchyLevel &coarse) {
    {
      const std::lock_guard lock(mutex_);
      added_.emplace(&fine, &coarse);
    }
    changed_.notify_one();
  }
  // All of them; throws what making them threw.
  std::vector<MultigridLevel> finish() {
    end();
    return made_.get();
  }

private:
  using Added = std::pair<const HierarchyLevel *, const HierarchyLevel *>;

  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
  }
  // Waits for the next one; none where there will be none.
  std::optional<Added> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !added_.empty(); });
    if (added_.empty())
      return std::nullopt;
    const Added first = added_.front();
    added_.pop();
    return first;
  }
  std::vector<MultigridLevel> make() {
    std::vector<MultigridLevel> levels =
        begin_levels(device_, matrix_, null_space_, settings_, make_finest_, nullptr);
    while (const std::optional<Added> added = next())
      add_matrix_level(device_, *added->first, *added->second, settings_, matrix_.symmetric(),
                       levels);
    return levels;
  }

  Device &device_;
  const SparseMatrix &matrix_;
  const NearNullSpace &null_space_;
  const MultigridSettings &settings_;
  const std::function<std::unique_ptr<LevelOperator>()> &make_finest_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Added> added_;
  bool ended_ = false;
  std::future<std::vector<MultigridLevel>> made_; // the last member: waits in its destructor
};

} // namespace

AggregationLevels
make_aggregation_levels(Device &device, const SparseMatrix &matrix,
                        const MultigridSettings &settings, const NearNullSpace &null_space,
                        const std::function<std::unique_ptr<LevelOperator>()> &make_finest,
                        const std::shared_ptr<const SharedRows> &rows) {
  const std::shared_ptr<const double[]> values = matrix.host_values();
  Hierarchy hierarchy;
  AggregationSettings of_hierarchy = {.strength = settings.strength,
                                      .coarsest_size = settings.coarsest_size,
                                      .max_levels = settings.max_levels};
  if (rows)
    of_hierarchy.gathered_size = settings.gathered_size
                                     ? *settings.gathered_size
                                     : gathered_level_size(device.info(), *rows->ranks);
  const auto make_hierarchy = [&](const OnLevel &on_level) {
    make_aggregation_hierarchy(matrix.pattern(),
                               {values.get(), std::size_t(matrix.pattern().num_entries())},
                               null_space, of_hierarchy, hierarchy, on_level, rows);
  };
  AggregationLevels made;
  if (rows) {
    made.levels = begin_levels(device, matrix, null_space, settings, make_finest, rows.get());
    make_hierarchy([&](const auto &fine, const auto &coarse) {
      add_matrix_level(device, fine, coarse, settings, matrix.symmetric(), made.levels);
    });
  } else {
    LevelsBeside beside(device, matrix, null_space, settings, make_finest);
    make_hierarchy([&](const auto &fine, const auto &coarse) {
      throw_if_interrupted();
      beside.add(fine, coarse);
    });
    made.levels = beside.finish();
  }
  for (std::size_t l = 0; l < made.levels.size(); ++l)
    made.levels[l].largest_eigenvalue = hierarchy.levels[l].largest_eigenvalue;
  made.coarsest =
      made.levels.size() == 1 ? matrix.host() : std::move(hierarchy.levels.back().matrix);
  return made;
}

std::unique_ptr<DenseInverse> make_coarsest(Device &device, const LevelOperator &last,
                                            const HostMatrix &matrix,
                                            const MultigridSettings &settings) {
  const std::int64_t most = std::max(DenseInverse::most_unknowns, settings.coarsest_size);
  if (!last.halo() && matrix.num_rows() <= most)
    return std::make_unique<DenseInverse>(device, matrix, last.scaling(), last.precision(),
                                          last.systems());
  log::notice("multigrid: the coarsest level has {} unknowns, too many to be solved directly, "
              "and is smoothed instead: convergence may be slow",
              sum(last.layout().among, last.size()) / last.systems());
  return nullptr;
}

} // namespace weft
