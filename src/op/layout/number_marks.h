// Which numbers occur, each counted once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "space/node_map.h"

namespace weft {

// Numbers from 0 to one below `end`.
class NumberMarks {
public:
  explicit NumberMarks(std::int64_t end) : marked_(end, false) {}
  void add(std::int32_t number) { marked_[number] = true; }
  // The nodes of a cell.
  void add_nodes(const NodeMapSet &map, std::int64_t cell) {
    const int num_nodes = map.element.num_nodes();
    for (int i = 0; i < num_nodes; ++i)
      add(map.nodes[cell * num_nodes + i]);
  }
  std::int64_t count() const { return std::count(marked_.begin(), marked_.end(), true); }

private:
  std::vector<bool> marked_;
};

} // namespace weft
