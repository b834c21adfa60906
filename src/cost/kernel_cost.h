// What a kernel does, counted by closed formulas: arithmetic by kind, bytes, indirect accesses.
#pragma once

#include <map>
#include <string>

namespace weft {

// Floating-point operations in scalars: an operation on a lane counts as many as the lane has
// cells.
struct Operations {
  double additions = 0; // and subtractions
  double multiplications = 0;
  double multiply_adds = 0; // lane_fma: two flops each
  // Of the multiply-adds, those with a coefficient from a table of basis functions: each needs
  // loads beside it. Written out, or in loops over nodes.
  double table_multiply_adds = 0;
  double loop_multiply_adds = 0;
  double divisions = 0;
  double roots = 0;
  double simple = 0; // min, max, abs, sign, floor
  // exp, log, sin, pow, ... by the dialect's name; one flop each
  std::map<std::string, double> functions;

  // Negations, comparisons and selections are free.
  double flops() const;
  Operations &operator+=(const Operations &other);
};
Operations operator*(double factor, Operations operations);

// Of one launch of a kernel. Unique bytes: each byte of global memory that the launch touches
// counts once as read if it is read before it is written, and once as written if it is written.
struct KernelCost {
  // All that are done: by lanes without a cell too, and work that a strategy repeats. Flop rates
  // count what an integral needs instead, see integral_operations() in op/weak_form/form_cost.h.
  Operations operations;
  double bytes_read = 0;
  double bytes_written = 0;  // by ordinary stores, which first read the line they write into
  double bytes_streamed = 0; // written past the caches
  // Read from or written to local memory, or a block's own copies in private memory (its stage),
  // all accesses counted.
  double local_bytes = 0;
  // Indirect accesses, the places given by an index that is read from memory; each of one record:
  double stage_reads4 = 0; // four reals of a stage
  double stage_reads1 = 0; // one real of a stage
  double stage_adds4 = 0;  // four reals of a stage, read, added to and written
  double stage_adds2 = 0;  // two beside each other
  double stage_adds1 = 0;
  double memory_reads1 = 0; // one real of global memory, or of stores that first bring their line
  // Reals that memory_reads1 reads, each counted once: what is read again is in a cache by then.
  double memory_places1 = 0;
  // Of memory_reads1, those that a loop makes one after the other, each of a place of its own: no
  // compiler joins them to gathers of the processor.
  double memory_alone1 = 0;
  // Bytes of local memory or stage that one work-group needs, on average: which cache holds it.
  double stage_bytes = 0;
  // Nodal values and rows that a work-item holds at once: more than there are registers are in
  // memory between their uses.
  double private_values = 0;
  bool unrolled_points = false; // quadrature points are written out, not a loop
  double slots = 0; // places of cells in the lanes of all work-items, with a cell or without
  double lanes = 0; // cells that a work-item computes at once
  double work_groups = 0;
  double work_items = 0; // in all
  double launches = 0;

  // Of bytes(), those of arrays that the device had touched before, by the power of two of the
  // bytes that it has touched since: they may lie in a cache. Empty: all come from memory.
  std::map<int, double> near_bytes;

  double bytes() const { return bytes_read + bytes_written + bytes_streamed; }
  // Sums; of stage_bytes, private_values and lanes the larger; unrolled_points of any.
  KernelCost &operator+=(const KernelCost &other);
};
// The cost of a part of the launches that are counted; sizes of one stay.
KernelCost operator*(double factor, KernelCost cost);

struct NamedCost {
  std::string name; // of the kernel
  KernelCost cost;
};

} // namespace weft
