// The time of a sum over neighbours by the caches its reads are found in (after Langguth, Wu, Chai
// and Cai 2013): from what a cell reads, how long ago its lines were read last, and the machine's
// measured bandwidths and gather rates by working set. Nothing is fitted to the kernels themselves.
#pragma once

#include <string>
#include <vector>

#include "base/precision.h"
#include "cost/line_reuse.h"
#include "device/device.h"
#include "tune/machine_figures.h"
#include "tune/measure/micro_benchmark.h"

namespace weft {

struct NeighbourSum {
  Precision precision = Precision::f64;
  double cells = 0;
  // Bytes a cell that go from or to memory one after the other in any order: values, indices, x and
  // y once.
  double bytes_read = 0, bytes_written = 0;
  bool streams = false; // y is written past the caches
  LineReuse reuse;      // of lines of x that are read by index
  // Blocks that first copy what they need into a stage: reals a cell that are copied, those of them
  // by index, how lines of the stage are read, and its size. stage_bytes 0: none, x is read where
  // it lies.
  double copied = 0, copied_by_index = 0, stage_bytes = 0;
  LineReuse stage_reuse;
  double line_bytes = 64;
  double block_cells = 0; // of x read where it lies: among which cells' neighbours are scattered
};

// Seconds. `memory`: all bytes one after the other, at the bandwidth with pages asked for ahead.
// `reads`: reads by index at the rate at which the first cache gives them, or of the stage, at the
// rate of what goes by between two reads of a line. `copies`: into the stage, at the rate of
// entries and lines that caches have. `caches`, `first`: what reads and copies take longer for
// lines that were read before and are farther away, at the rate of the working set they come from,
// and for lines that nobody has read, beyond their bytes' own way. `beside`: of reads from the
// stage, or of all that streams by meanwhile, what a core does not hide behind the other.
struct CachePrediction {
  double seconds = 0;
  double memory = 0, reads = 0, copies = 0, caches = 0, first = 0, beside = 0;
  std::string bound() const; // the longest part, by its name
};

// On CPUs a core reads on while memory's streams run, but waits for what its first cache does not
// hold, since only the indices tell what comes next, and a block is copied, while the list of what
// it copies comes from memory, before it is computed: max(memory - list, reads) + beside +
// max(copies + caches + first, list), and at least the time of all lines. GPUs have other
// work-groups to go on with: the longest part.
CachePrediction predict_neighbour_sum(const NeighbourSum &sum, const DeviceInfo &device,
                                      const MachineFigures &figures);

// What the model reads of a machine but for its latency, of sums in `precision`.
std::vector<MicroBenchmark> cache_model_benchmarks(Device &device, Precision precision,
                                                   const MicroSizes &sizes);

// Line accesses a cell at which the last cache and memory limit alike: `data_bytes` a cell over the
// line, times the ratio of their bandwidths (the paper's alpha).
double break_even_lines(double data_bytes, double line_bytes, double cache_gbps,
                        double memory_gbps);
// GB/s of the last cache, each core reading its share of half of it; 0 where its size is not known.
double last_cache_gbps(const DeviceInfo &device, const MachineFigures &figures);

} // namespace weft
