// Multigrid for a matrix of the caller's: by itself, or as the preconditioner of a method of the
// caller's. Standard types only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/solve_result.h"

namespace weft {

// A square matrix in compressed rows, of the caller's: the columns and the values of row i are
// those from row_start[i] up to row_start[i + 1] - 1. Every row has its entry on the diagonal,
// which is positive.
struct CsrMatrix {
  std::size_t num_rows = 0;
  std::span<const std::int32_t> row_start; // [num_rows + 1]
  std::span<const std::int32_t> columns;   // [entry], from 0
  std::span<const double> values;          // [entry]
};

// Empty or absent members are chosen. Names and defaults are those of [solver] preconditioner in a
// case.
struct MultigridOptions {
  std::string device; // as ProblemOptions::device; empty = the default
  int threads = 0;    // as ProblemOptions::threads; the first device of a process decides

  // In which the levels' matrices are stored, from the finest: "f16", "bf16", "f32", "f64"; the
  // last one is that of all further levels. Empty: f16. Vectors of a level are in f32, or in f64
  // where its matrix is.
  std::vector<std::string> precision;
  std::string cycle = "V";            // "V", "W", "K"
  std::string smoother = "chebyshev"; // "chebyshev", "jacobi", "ilu", "spai"
  // chebyshev: terms of the polynomial before the coarser levels, and as many after them, 1 to 64.
  int degree = 2;
  // The others: steps before, and as many after, 1 to 64. Absent: 2 of jacobi, 1 of ilu and spai.
  std::optional<int> sweeps;
  // Couplings weaker than that, relative to the strongest ones of both nodes, are left out of
  // aggregates, 0 to 1. Absent: 0.28, of several unknowns a node 0.08.
  std::optional<double> strength;
  int max_levels = 20;     // 1 to 50
  int coarsest_size = 400; // a level of at most so many unknowns is solved directly, 1 to 5000

  // Unknowns of a node, which stand beside one another: row = node * block_size + component.
  int block_size = 1;
  // [row][vector]: what the matrix nearly maps to zero, and coarse levels have to represent. Empty:
  // constants of each component.
  std::vector<double> near_null_space;
  // [node][dimension], with a block size of 2 or 3, which is the dimension: the near null space is
  // that of an elastic body, its translations and rotations.
  std::vector<double> coordinates;
  // The matrix is. Absent: found from its entries, which differ by rounding at most.
  std::optional<bool> symmetric;
};

struct SolveOptions {
  // "cg", "gmres", "bicgstab", "defect_correction": x + M (b - A x) again and again. Empty: cg of a
  // symmetric matrix, else gmres.
  std::string method;
  double tolerance = 1e-10;   // of |b - A x| relative to its first value
  int max_iterations = 10000; // of the method
  int restart = 0;            // gmres: vectors kept; 0: 50, more where these bring little
  // Called every few iterations with those since the last call, one by one: their number and the
  // relative residual.
  std::function<void(int iteration, double residual)> progress;
};

struct MultigridLevelInfo {
  std::size_t unknowns = 0;
  std::size_t entries = 0; // of its matrix
  std::string precision;   // of these
  std::size_t bytes = 0;   // on the device, of its matrix, its transfers and its vectors
};

// Multigrid by smoothed aggregation (Vanek, Mandel, Brezina 1996, DOI 10.1007/BF02238511), set up
// for a matrix on a device. Errors are exceptions derived from std::runtime_error whose text says
// what, where, and what to do.
//
// Arrays: on CPU devices the columns and values are used where they lie, so that the arrays of a
// CsrMatrix must stay, and stay as they are, as long as this does, or until update() gives others.
// They are copied where the rows are not as the set-up needs them, see copies_arrays(): ascending
// columns, each once, and with a block size whole blocks. Other devices have a copy of their own.
//
// Threads: one at a time uses an object; several objects may be used by several threads at once.
// Objects end before main() returns.
class WEFT_EXPORT Multigrid {
public:
  // Checks the matrix and sets up. Throws where an array has the wrong size, a row start falls, a
  // column is none, a row has no entry on the diagonal or one that is not positive, a value is not
  // finite, or an option is none of those that are allowed.
  explicit Multigrid(const CsrMatrix &matrix, const MultigridOptions &options = {});
  ~Multigrid();
  Multigrid(Multigrid &&) noexcept;
  Multigrid &operator=(Multigrid &&) noexcept;

  // Sets up anew for other values, [entry] in the order of the matrix's columns.
  void update(std::span<const double> values);

  // z = M r, one cycle from zero; both [row], and may be the same. M is linear up to the rounding
  // of its levels (but for a K cycle), symmetric where the matrix is, and positive definite where
  // that is. Around levels below f64 flexible methods lose fewer iterations (Notay 2000,
  // DOI 10.1137/S1064827599362314).
  void apply(std::span<const double> r, std::span<double> z);

  // Solves A x = b from the x given, in f64 around the levels. What goes wrong is in the result,
  // and x the last finite iterate. The work vectors are kept for the next solve.
  SolveResult solve(std::span<const double> b, std::span<double> x,
                    const SolveOptions &options = {});

  std::size_t num_rows() const;
  bool symmetric() const; // as said, or as found
  // Rows were sorted, entries of one column added, or blocks filled up, in arrays of this object's.
  bool copies_arrays() const;
  std::vector<MultigridLevelInfo> levels() const; // from the finest
  double operator_complexity() const;             // entries of all levels over those of the finest
  // On the device and in copies of arrays; without arrays of the caller's.
  std::size_t bytes() const;
  double setup_seconds() const;      // of the constructor, the device's start included, or update()
  const std::string &device() const; // "opencl:0", "cuda:0"

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace weft
