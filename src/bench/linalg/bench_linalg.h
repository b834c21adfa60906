// weft bench linalg: the experiments of Goeddeke, "The GPU as a co-processor in FEM-based
// simulations" (2004): rates of building blocks against the length of vectors in each precision and
// layout, the roofline, and what Jacobi in 16 bits is worth, alone and in defect correction.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/linalg/linalg_blocks.h"
#include "output/kernel_rows.h"

namespace weft {

struct LinalgOptions {
  std::string device;
  int threads = 0;
  int repeats = 11;
  std::vector<std::string> blocks;     // of linalg_block_names(); empty: all
  std::vector<std::string> precisions; // of vectors; empty: all
  std::vector<int> systems = {1, 4};   // vectors at once
  std::vector<std::int64_t> lengths;   // unknowns; empty: from 4096 to 33554432
  std::int64_t width = 257;            // of the patch that Jacobi solves on
  std::vector<std::string> parts = {"blocks", "roofline", "jacobi"};
};

// A block at one length. Every figure is the median of rounds in which all precisions and the
// bandwidth are timed in turn.
struct LinalgRow {
  LinalgCase of;
  std::string library; // empty: Weft's own; else the BLAS that did it, with its threads
  std::int64_t unknowns = 0;
  double seconds = 0, flops = 0, bytes = 0;
  std::string stream; // "read" for blocks that write little, else the best of all kinds
  double stream_gbps = 0;
  double fraction = 0;     // of that bandwidth
  double speedup = 0;      // over the same block all in f64; 0 where that was not timed
  std::string disturbance; // what disturbed the timings, in words; empty: nothing that shows
  bool in_cache = false;   // `bytes` fit into the last cache
};

// x + x^2 + ... + x^m of each number by Horner's rule, written back over it: 2m - 1 operations.
struct RooflineRow {
  Precision storage = Precision::f64;
  int degree = 1;       // m
  double intensity = 0; // operations a byte, of those read and written
  double gflops = 0;
  double limit_gflops = 0; // the smaller of bandwidth times intensity and the multiply-add rate
  std::string disturbance; // as above
};

// The problem of the paper's experiment with Jacobi, and, beside it and by their names, others. Of
// a wave hardly any smooth error has to be removed, which Jacobi takes longest for: f64 is done
// soon, while what rounding the entries to 16 bits adds is as smooth as ever. A raised diagonal
// makes all errors easy.
struct JacobiStencil {
  std::string name;   // "stencil as it stands"
  std::string file;   // what its plot's name ends with
  double shift = 0;   // the diagonal is 1 + shift times what the elements give
  bool random = true; // whether the solution is random numbers, or one wave
};
const std::vector<JacobiStencil> &jacobi_stencils();
// The whole problem in words, on two lines.
std::string jacobi_title(const JacobiStencil &stencil, std::int64_t width);

// A x = b with x known, from x = 0.
struct JacobiHistory {
  std::string problem; // the stencil's name
  std::string method;
  std::vector<double> errors; // max |error| / max |x| after each step of inner iterations
};
struct JacobiResult {
  std::string problem; // the stencil's name
  std::string method;
  int iterations = 0;      // inner ones
  double of_f64 = 0;       // iterations over those of Jacobi all in f64
  int corrections = 0;     // of defect correction
  double seconds = 0;      // median
  double gflops = 0;       // 18 operations an unknown for the product, 4 for the update
  double residual = 0;     // |b - A x| / |b|, in f64
  bool reached = false;    // the residual wanted
  std::string disturbance; // of the seconds, as above
};
struct JacobiTables {
  double target = 0;
  std::int64_t width = 0;    // of the patch
  int iterations_a_step = 1; // between two numbers of a history
  std::vector<JacobiHistory> histories;
  std::vector<JacobiResult> results;
};

struct LinalgResult {
  MachineRecord machine;
  std::vector<LinalgRow> rows;
  std::vector<RooflineRow> roofline;
  JacobiTables jacobi;
};

// Prints tables as it goes.
LinalgResult bench_linalg(const LinalgOptions &options);
std::vector<RooflineRow> bench_roofline(Device &device, int repeats);
JacobiTables bench_jacobi(Device &device, const LinalgOptions &options);

void write_linalg_json(const std::string &path, const LinalgResult &result);
// FILE: blocks; beside it NAME_roofline.csv, NAME_jacobi.csv and NAME_histories.csv.
void write_linalg_csv(const std::string &path, const LinalgResult &result);
// blocks_SYSTEMSxPRECISION.svg, roofline.svg, jacobi.svg, jacobi_wave.svg, jacobi_shifted.svg.
void plot_linalg(const LinalgResult &result, const std::filesystem::path &folder);

} // namespace weft
