// What work-items of the host device do, one after the other, put together to what warps of them
// would do in step.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cost/warp_counts.h"

namespace weft {

// Records a work-group at a time.
class WarpTrace {
public:
  // `text_begin`, `text_end`: the program's machine code, which compiled with frame pointers.
  // `in_part`: of work-items that do very much only the beginning is recorded, for the rest too.
  WarpTrace(const void *text_begin, const void *text_end, int group_size, bool in_part);

  // What follows is of this work-item.
  void enter(int item) { running_ = &items_[item]; }
  // The running work-item is where `frame` is the innermost frame on its stack. `how`: b(lock of
  // code begun), |(barrier), r(ead) or v(alue read), w(ritten), s(treamed), of global memory,
  // l(ocal memory touched).
  void step(const void *frame, const void *address, unsigned bytes, char how);
  // At the group's end: adds what its warps did, and forgets it. Returns whether all of it was
  // recorded.
  bool add_to(WarpCounts &counts);

private:
  struct Event {
    std::int32_t place = 0;
    std::uint8_t bytes = 0;
    char how = 'b';
    std::uint64_t address = 0;
  };
  using Events = std::vector<Event>;

  std::int32_t place_of(const void *frame);
  void rank_places();
  void replay(const Events *begin, const Events *end, WarpCounts &counts) const;

  std::uint64_t text_begin_, text_end_;
  std::size_t most_of_item_; // events
  std::vector<Events> items_;
  double left_out_ = 0; // events of this group
  Events *running_ = nullptr;
  // Where code stands: addresses in the kernel and in what it calls, the outermost first.
  std::vector<std::vector<std::uint64_t>> places_;
  std::unordered_map<std::uint64_t, std::int32_t> place_by_hash_;
  std::vector<std::int32_t> ranks_; // of places, in the order that warps take them
};

} // namespace weft
