#include "linalg/levels/level_cost.h"

#include "linalg/vector_cost.h"

namespace weft {

KernelCost level_product_cost(const DeviceSell &layout, double value_bytes,
                              const LevelVectors &vectors, const Operations &row_work, int lanes,
                              const Launch &launch) {
  const auto values = static_cast<double>(layout.num_values);
  const double systems = vectors.systems;
  KernelCost cost = level_rows_cost(vectors, row_work, launch);
  cost.bytes_read += value_bytes * values + static_cast<double>(layout.bytes()) +
                     vectors.column_bytes * vectors.columns * systems;
  cost.operations.multiply_adds += values * systems;
  cost.memory_reads1 = values * systems;
  cost.memory_places1 = vectors.columns * systems;
  cost.lanes = lanes;
  cost.slots = vectors.rows;
  return cost;
}

KernelCost level_rows_cost(const LevelVectors &vectors, const Operations &row_work,
                           const Launch &launch) {
  const double entries = vectors.rows * vectors.systems;
  KernelCost cost;
  cost.bytes_read = vectors.reads * vectors.row_bytes * entries;
  cost.bytes_written = vectors.writes * vectors.row_bytes * entries;
  cost.operations = entries * row_work;
  count_launch(cost, launch);
  return cost;
}

} // namespace weft
