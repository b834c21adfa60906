// What the machine can do, measured on the device itself by micro-benchmarks (kernels/machine/).
//
// The figures, with PREC f64 or f32 (f64 only where the device has it), BYTES the working set of
// one core (working_sets(): powers of two, and three quarters of a core's share of the last cache):
//
//   memory.KIND.PREC.gbps       GB/s of arrays several times the last cache; KIND: read, copy,
//                               copy_stream, triad, triad_stream, update, write, write_stream
//                               (_stream: stores past the caches), read_ahead (each line asked for
//                               a page before). Bytes read and written by the
//                               kernel; what a store reads first is not counted.
//   cache.read.BYTES.gbps       GB/s of all cores together, each reading its own BYTES repeatedly
//   cache.copy.BYTES.gbps       the same for copying one half of BYTES to the other; both count
//   local.read.PREC.gbps        GB/s of all cores reading local memory. Only on GPUs: a CPU's is in
//                               its caches.
//   rate.OPERATION.PREC.gops    1e9 operations a second of all cores, on scalars: a lane counts as
//                               many as it has; OPERATION: multiply_add (one, though two flops),
//                               add, multiply_add_and_add (both in turn: twice the rate of one
//                               where they have units of their own), multiply, divide, sqrt, min,
//                               abs (with the subtraction that goes with it), exp, log, sin, cos,
//                               tanh, pow
//   rate.multiply_add.f16.gops  where the device computes in 16 bits
//   rate.contract_KIND.PREC.gops  1e9 products a second (multiply-adds and multiplications) of
//                               quadrature points: sums with coefficients from a table and values
//                               from private memory, as basis functions are evaluated, what is
//                               computed from them, and rows it is added to; KIND: unrolled (few
//                               values, written out), spilled (more than there are registers, in a
//                               loop over points), spilled_points (the same with points written
//                               out), loop (in loops over points and nodes)
//   roofline.M.PREC.gflops      GFlop/s (two a multiply-add) of M multiply-adds for each real read
//                               from memory, M = 1, 2, 4, ..., 256
//   gather.1.BYTES.PREC.gops    1e9 records a second, all cores, of one real at random places of
//   gather.4.BYTES.PREC.gops    the core's own BYTES, or of four reals in a row; 32-bit indices
//   gather_16.1.BYTES.PREC.gops the same with 16-bit indices, of sets that these can number
//   gather_16.4.BYTES.PREC.gops (65536 records)
//   gather.memory.W.PREC.gops   1e9 reals a second gathered from the largest set, of all cores
//                               together, which is gone through in windows of W reals with random
//                               places inside: W = 64, 1024, 16384, 262144, all
//   gather_alone.1.BYTES.PREC.gops   the same as gather.1 and gather.memory with each real read
//   gather_alone.memory.W.PREC.gops  alone, where compilers for CPUs would join reads to gathers
//                               of the processor, which may wait for one another
//   copy_indexed.BYTES.PREC.gops  1e9 reals a second, all cores, copied one after the other from
//                               places of the core's own BYTES to a stage of 8192 reals, ascending
//                               for each stage, each asked for 128 reals before. Only on CPUs.
//   gather_streams.BYTES.PREC.gops  1e9 reals a second, all cores, at random places of the same
//                               BYTES = 4096, 16384, 65536, 262144, each multiplied with another:
//                               those and 16-bit indices come from memory, each line asked for a
//                               page before. Only on CPUs.
//   scatter_add.N.BYTES.PREC.gops  1e9 records a second, all cores, of N = 1, 2 or 4 reals added at
//                               random places to a stage in private memory, lane after lane;
//                               BYTES = 32768, 262144, 524288. Only on CPUs.
//   mixed.PREC.gops             1e9 cells a second of all cores, each with 4 gathered records of
//                               four reals, 64 multiply-adds and 4 additions to sums in one loop,
//                               with as many nodes as a leaf's cells have: what a core hides of
//                               one behind the others. Only on CPUs.
//   mixed_points.PREC.gops      the same of longer work: 4 gathered records of four reals, 10
//                               gathered reals, the products of four quadrature points, written
//                               out, and 10 additions at places that neighbouring cells share.
//                               Only on CPUs.
//   latency.finish.us           microseconds from the launch of an empty kernel to the end of
//                               finish()
//   latency.launch.us           of each of many launches that are queued before one finish()
//   latency.group.us            of each work-group of an empty kernel that has very many
//   state.others.share          part of all processors' time that other processes took meanwhile, 0
//                               to 1; only where the system says
//   state.undisturbed.share     part of the measurements beside which their reference was as fast
//                               as it is undisturbed
//   state.rounds.share          rounds over all figures, of those asked for
#pragma once

#include <functional>
#include <string>

#include "base/system/processor_use.h"
#include "device/device.h"
#include "tune/database/tuning_database.h"
#include "tune/machine_figures.h"

namespace weft {

// Cells that follow one another lie side by side: the nodes of the cells of a leaf, whose values
// are some 30 kB, are read and added to again and again before those of the next.
inline constexpr std::uint64_t leaf_bytes = 32768;

// What mixed and mixed_points do for a cell.
struct MixedWork {
  int records4 = 0, reads1 = 0, points = 0, products = 0, additions = 0;
};
inline constexpr MixedWork mixed_work = {.records4 = 4, .products = 64, .additions = 4};
inline constexpr MixedWork mixed_points_work = {
    .records4 = 4, .reads1 = 10, .points = 4, .products = 4 * (6 * 10 + 21), .additions = 10};

struct MeasureOptions {
  // Small arrays and few repeats, for tests: takes about as long as compiling the kernels.
  bool quick = false;
  int rounds = 15;                               // over all figures, unless quick
  std::function<void(double fraction)> progress; // called now and then, if set
  bool again = false;                            // machine_figures(): though there are kept ones
  // It ends after so long with the rounds it has, of which one over all figures is the least: that,
  // and compiling the kernels before, is not cut short.
  double most_s = 60;
  std::function<double()> clock;                 // seconds since any moment; open: the machine's
  OthersUse::Clock processors = processor_times; // who uses the cores
  // machine_figures(): the share of the cores that others use now.
  std::function<std::optional<double>()> look = [] { return others_share_now(); };
};

// Measures all figures, in rounds over all of them: what drifts drifts in all alike.
MachineFigures measure_machine(Device &device, const MeasureOptions &options = {});

// Those that `database` keeps of this device, driver and generator, or else measured now, which a
// message says beforehand, and kept. `database` may be null: nothing is kept then. Figures that
// were measured while others used the machine are kept with that mark; each use says so, and the
// first one that finds the machine quiet measures them anew. They never take the place of figures
// that were measured undisturbed.
MachineFigures machine_figures(Device &device, TuningDatabase *database,
                               const MeasureOptions &options = {});

// Hash of what is measured: texts of the micro-benchmarks and of the dialects. Figures of another
// generator are not comparable.
std::string machine_generator();

} // namespace weft
