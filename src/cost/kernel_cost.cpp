#include "cost/kernel_cost.h"

#include <algorithm>
#include <utility>

namespace weft {

double Operations::flops() const {
  double flops = additions + multiplications + 2 * multiply_adds + divisions + roots + simple;
  for (const auto &[name, count] : functions)
    flops += count;
  return flops;
}

Operations &Operations::operator+=(const Operations &other) {
  additions += other.additions;
  multiplications += other.multiplications;
  multiply_adds += other.multiply_adds;
  table_multiply_adds += other.table_multiply_adds;
  loop_multiply_adds += other.loop_multiply_adds;
  divisions += other.divisions;
  roots += other.roots;
  simple += other.simple;
  for (const auto &[name, count] : other.functions)
    functions[name] += count;
  return *this;
}

Operations operator*(double factor, Operations operations) {
  operations.additions *= factor;
  operations.multiplications *= factor;
  operations.multiply_adds *= factor;
  operations.table_multiply_adds *= factor;
  operations.loop_multiply_adds *= factor;
  operations.divisions *= factor;
  operations.roots *= factor;
  operations.simple *= factor;
  for (auto &[name, count] : operations.functions)
    count *= factor;
  return operations;
}

KernelCost operator*(double factor, KernelCost cost) {
  cost.operations = factor * std::move(cost.operations);
  for (double *count :
       {&cost.bytes_read, &cost.bytes_written, &cost.bytes_streamed, &cost.local_bytes,
        &cost.stage_reads4, &cost.stage_reads1, &cost.stage_adds4, &cost.stage_adds2,
        &cost.stage_adds1, &cost.memory_reads1, &cost.memory_places1, &cost.memory_alone1,
        &cost.slots, &cost.work_groups, &cost.work_items, &cost.launches})
    *count *= factor;
  for (auto &[octave, bytes] : cost.near_bytes)
    bytes *= factor;
  return cost;
}

KernelCost &KernelCost::operator+=(const KernelCost &other) {
  operations += other.operations;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  bytes_streamed += other.bytes_streamed;
  local_bytes += other.local_bytes;
  stage_reads4 += other.stage_reads4;
  stage_reads1 += other.stage_reads1;
  stage_adds4 += other.stage_adds4;
  stage_adds2 += other.stage_adds2;
  stage_adds1 += other.stage_adds1;
  memory_reads1 += other.memory_reads1;
  memory_places1 += other.memory_places1;
  memory_alone1 += other.memory_alone1;
  unrolled_points = unrolled_points || other.unrolled_points;
  slots += other.slots;
  stage_bytes = std::max(stage_bytes, other.stage_bytes);
  private_values = std::max(private_values, other.private_values);
  lanes = std::max(lanes, other.lanes);
  work_groups += other.work_groups;
  work_items += other.work_items;
  launches += other.launches;
  for (const auto &[octave, bytes] : other.near_bytes)
    near_bytes[octave] += bytes;
  return *this;
}

} // namespace weft
