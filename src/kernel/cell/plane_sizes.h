// Sizes of sums by planes that follow from the integral.
#pragma once

namespace weft {

struct PlaneSizes {
  int line_threads = 0;   // along a line of a plane: its square a cell
  int exchange_reals = 0; // local memory of a slot
  int table_reals = 0;    // local memory of a work-group: tables of functions on lines
  // Accesses of local memory: reals of a slot, and entries of tables, one for all lanes.
  double exchanged_reals = 0, table_reads = 0;
  int threads() const { return line_threads * line_threads; } // of a cell
};

} // namespace weft
