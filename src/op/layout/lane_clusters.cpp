#include "op/layout/lane_clusters.h"

#include <algorithm>
#include <vector>

namespace weft {

namespace {

class Clusters {
public:
  Clusters(std::span<const std::int32_t> neighbours, int facets, int lanes)
      : neighbours_(neighbours), facets_(facets),
        taken_(neighbours.size() / static_cast<std::size_t>(facets), false) {
    groups_.lanes = lanes;
    groups_.cells.reserve(taken_.size() + lanes);
  }

  LaneGroups grow() {
    const auto count = static_cast<std::int32_t>(taken_.size());
    for (std::int32_t first = 0; first < count;) {
      if (taken_[first]) {
        ++first;
        continue;
      }
      candidates_.clear();
      take(first);
      for (int lane = 1; lane < groups_.lanes; ++lane) {
        while (first < count && taken_[first])
          ++first;
        const std::int32_t next = best_candidate();
        if (next >= 0)
          take(next);
        else if (first < count)
          take(first);
        else
          groups_.cells.push_back(-1);
      }
    }
    return std::move(groups_);
  }

private:
  struct Candidate {
    std::int32_t cell;
    int shared; // facets with the group
  };

  std::span<const std::int32_t> neighbours_of(std::int32_t cell) const {
    return neighbours_.subspan(std::size_t(cell) * facets_, facets_);
  }

  // Neighbours beside the group too: the next ones would share two facets.
  int neighbours_beside_it(std::int32_t cell) const {
    return static_cast<int>(std::ranges::count_if(neighbours_of(cell), [&](std::int32_t other) {
      return std::ranges::any_of(candidates_, [&](const Candidate &c) { return c.cell == other; });
    }));
  }

  int neighbours_left(std::int32_t cell) const {
    return static_cast<int>(std::ranges::count_if(
        neighbours_of(cell), [&](std::int32_t other) { return other >= 0 && !taken_[other]; }));
  }

  void take(std::int32_t cell) {
    taken_[cell] = true;
    groups_.cells.push_back(cell);
    std::erase_if(candidates_, [&](const Candidate &c) { return c.cell == cell; });
    for (const std::int32_t other : neighbours_of(cell)) {
      if (other < 0 || taken_[other])
        continue;
      const auto known = std::find_if(candidates_.begin(), candidates_.end(),
                                      [&](const Candidate &c) { return c.cell == other; });
      if (known == candidates_.end())
        candidates_.push_back({other, 1});
      else
        ++known->shared;
    }
  }

  std::int32_t best_candidate() const {
    const auto worse = [&](const Candidate &a, const Candidate &b) {
      if (a.shared != b.shared)
        return a.shared < b.shared;
      const int beside_a = neighbours_beside_it(a.cell), beside_b = neighbours_beside_it(b.cell);
      if (beside_a != beside_b)
        return beside_a < beside_b;
      const int left_a = neighbours_left(a.cell), left_b = neighbours_left(b.cell);
      return left_a != left_b ? left_a > left_b : a.cell > b.cell;
    };
    const auto best = std::max_element(candidates_.begin(), candidates_.end(), worse);
    return best == candidates_.end() ? -1 : best->cell;
  }

  std::span<const std::int32_t> neighbours_;
  int facets_;
  std::vector<bool> taken_;
  std::vector<Candidate> candidates_;
  LaneGroups groups_;
};

} // namespace

LaneGroups clustered_groups(std::span<const std::int32_t> neighbours, int facets, int lanes) {
  return Clusters(neighbours, facets, lanes).grow();
}

} // namespace weft
