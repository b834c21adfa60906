// Messages between ranks that are under way while a law's kernels run over inner cells.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "linalg/halo/halo.h"
#include "linalg/vector.h"

namespace weft {

class LawMessages {
public:
  // Nothing without ranks. The halo must outlive this.
  void begin(std::optional<Halo> &halo, const Buffer &array) {
    if (!halo)
      return;
    halo->begin(array);
    under_way_.emplace_back(&*halo, array);
  }
  bool any() const { return !under_way_.empty(); }
  // All have come: what is launched after it finds the ghosts.
  void end() {
    for (const auto &[halo, array] : under_way_)
      halo->end(array);
    came_.insert(came_.end(), under_way_.begin(), under_way_.end());
    under_way_.clear();
  }
  // What came is needed no more.
  void forget() {
    if (ghosts_are_forgotten())
      for (const auto &[halo, array] : came_)
        halo->forget(array);
    came_.clear();
  }

private:
  std::vector<std::pair<Halo *, Buffer>> under_way_, came_; // in the order in which they began
};

} // namespace weft
