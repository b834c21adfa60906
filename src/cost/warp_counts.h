// What the warps of a GPU do in a launch of a kernel, counted by executing it.
#pragma once

namespace weft {

// Threads of a block in groups of 32 that go in step: those that stand at the same place act at
// once, the others wait until they come together again (reconvergence at the smallest place, as in
// Collange, "Stack-less SIMT reconvergence at low cost", 2011). Caches are left out: what a warp
// reads again counts again.
struct WarpCounts {
  double requests = 0;        // loads and stores of global memory, of a warp each
  double load_phases = 0;     // stretches between barriers with loads of these, of a warp each
  double sectors_read = 0;    // pieces of 32 bytes that loads touch, those of a request once each
  double sectors_written = 0; // the same of stores
  double local_requests = 0;  // loads and stores of local memory, of a warp each
  // Passes that its 32 banks of 4 bytes need beyond those for so many words. Words that several
  // threads read are one.
  double bank_conflicts = 0;
  double steps = 0;           // pieces of straight code that warps go through
  double divergent_steps = 0; // of these, with some threads of the warp waiting
  double barriers = 0;        // of a warp each

  double sector_bytes() const { return 32 * (sectors_read + sectors_written); }
  WarpCounts &operator+=(const WarpCounts &other);
};
WarpCounts operator*(double factor, WarpCounts counts);

} // namespace weft
