// weft bench fv: the study of Langguth, Wu, Chai and Cai, "On the GPU performance of cell-centered
// finite volume method over unstructured tetrahedral meshes" (2013): speed of a sum over neighbours
// against the size of the blocks that hold all its irregularity, real meshes in several orders at
// their effective block size, and what a model of the caches says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "device/device.h"
#include "output/kernel_rows.h"
#include "tune/machine_figures.h"

namespace weft {

// The kernels:
//   plain         each row reads x by 32-bit indices (FvDiffusion)
//   plain_ahead   the same, asking for x ahead by default
//   plain16       plain_ahead with 16-bit indices where a slice's neighbours lie close
//   staged        a block of rows at a time copies its part of x into a stage; 16-bit indices
//   matrix        the same operator as a matrix with a diagonal, in sliced ELLPACK (StoredMatrix)
std::vector<std::string> fv_kernel_names();

struct FvBenchOptions {
  std::string device;
  int threads = 0;
  int repeats = 11;
  std::int64_t cells = 6'000'000;      // of ideal matrices and of the box, about
  std::vector<std::string> meshes;     // files; empty: a distorted box of tetrahedra
  bool trust = false;                  // in these files
  std::vector<std::int64_t> blocks;    // of ideal matrices; empty: 64, 128, ..., all rows
  std::int64_t block_cells = 4096;     // of a mesh in the order `blocks`
  std::vector<std::string> orders;     // of meshes, see CellOrder; empty: all
  std::vector<std::string> kernels;    // empty: all
  std::vector<std::string> precisions; // f64, f32; empty: both
  std::vector<std::string> parts = {"ideal", "meshes"};
  bool quick = false; // what the model is made from is measured at small sizes, for tests
};

struct FvRow {
  std::string matrix; // "ideal", "box", or a mesh file's name
  std::string order;  // of a mesh
  std::int64_t rows = 0;
  double block = 0;   // of an ideal matrix; of a mesh the effective block size
  double outside = 0; // share of entries outside blocks of block_cells rows, of a mesh
  double lines = 0;   // 32-byte lines a row, by the paper's count
  std::string kernel, precision;
  double seconds = 0;
  double bytes = 0; // the paper's count: fv_required_bytes()
  double moved_bytes =
      0;            // what this kernel moves at least, with its own indices: the measure of all
  double flops = 0; // 11 a row
  double stream_gbps = 0;                                                  // of reading, in turn
  double fraction = 0;                                                     // of it, by `bytes`
  double moved_fraction() const { return fraction * moved_bytes / bytes; } // by `moved_bytes`
  double ns_a_cell() const { return 1e9 * seconds / static_cast<double>(rows); }
  double predicted_s = 0; // 0: no prediction, of `matrix`
  double predicted_over_measured = 0;
  std::string bound;       // the longest part of the prediction
  std::string disturbance; // what disturbed the timings, in words; empty: nothing that shows
  bool in_cache = false;   // `bytes` fit into the last cache
};

struct FvBenchResult {
  MachineRecord machine;
  std::vector<FvRow> rows;
  // Line accesses a row from which on the last cache limits and not memory: in the paper's lines of
  // 32 bytes, and in those of this machine. 0 where the last cache is not known.
  double break_even = 0, break_even_own = 0;
};

// Prints a table as it goes. Errors: input (meshes that cannot be read, blocks larger than the
// matrix), and those of make_cell_graph().
FvBenchResult bench_fv(const FvBenchOptions &options);
// On an open device whose figures are known.
FvBenchResult bench_fv(Device &device, const MachineFigures &figures,
                       const FvBenchOptions &options);

void write_fv_json(const std::string &path, const FvBenchResult &result);
void write_fv_csv(const std::string &path, const FvBenchResult &result);
// Lines of both files.
std::vector<nlohmann::ordered_json> fv_rows(const FvBenchResult &result);
// fv_time_PRECISION.svg, nanoseconds a cell over block size, and fv_bandwidth_PRECISION.svg, bytes
// that kernels move as a share of the bandwidth; of rows that come several times the medians. With
// the model where it says something.
void plot_fv(const std::vector<nlohmann::ordered_json> &rows, const std::filesystem::path &folder);

} // namespace weft
