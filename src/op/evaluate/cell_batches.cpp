#include "op/evaluate/cell_batches.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace weft {

namespace {

constexpr std::size_t cells_at_once = 512;

} // namespace

void for_each_cell_batch(
    const Discretisation &d, int field, int degree,
    const std::function<void(PointBatch &batch, const NodeMapSet &nodes)> &body) {
  for (std::size_t s = 0; s < d.mesh->sets.size(); ++s) {
    const PointTable table = make_cell_table(d, static_cast<int>(s), degree);
    std::vector<std::int32_t> cells(d.mesh->sets[s].num_cells());
    std::iota(cells.begin(), cells.end(), 0);
    for (std::size_t first = 0; first < cells.size(); first += cells_at_once) {
      const std::size_t count = std::min(cells_at_once, cells.size() - first);
      PointBatch batch(d, table, std::span(cells).subspan(first, count));
      body(batch, d.map_of_field(field).sets[s]);
    }
  }
}

} // namespace weft
