// The interface between the program and its loadable module libweft_hypre.so, which alone is linked
// with hypre and MPI: a table of functions, plain structs, no exceptions.
#pragma once

#include <cstdint>

namespace weft {

// Changes with everything below: a module of another version is refused.
inline constexpr int hypre_interface_version = 2;

// Rows of a square matrix, compressed, in host memory of the caller: all of them, or those of this
// process.
struct HypreMatrix {
  std::int32_t is_shared; // among all processes of MPI, which make every call together
  std::int32_t first_row; // of this process
  std::int32_t num_rows;
  const std::int32_t *row_start; // [row + 1]
  const std::int32_t *columns;   // of the whole matrix
  const double *values;
  // [row]: which unknown function the row belongs to (a component of a displacement), 0 ...
  // num_functions - 1; null: all to one.
  const std::int32_t *functions;
};

// BoomerAMG's parameters, with the numbers of its manual.
struct HypreOptions {
  double strong_threshold;
  int coarsening;
  int interpolation;
  int aggressive_levels; // of coarsening, from the finest
  int num_functions;
};

struct HypreSetup {
  int levels;
  double operator_complexity; // entries of the matrices of all levels over those of the first
};

struct HypreSolver; // a hierarchy that is set up

struct HypreModule {
  int interface_version; // hypre_interface_version when the module was built
  const char *library;   // "hypre 2.26.0"
  // Starts MPI for this process alone where nobody has. 0, or -1 where it fails.
  int (*start)();
  // Sets BoomerAMG up, its figures those of the whole; the matrix is copied. Null where it fails:
  // last_error() says why.
  HypreSolver *(*create)(const HypreMatrix *matrix, const HypreOptions *options);
  HypreSetup (*setup)(const HypreSolver *solver);
  // [row], in the module's memory.
  double *(*right_hand_side)(HypreSolver *solver);
  double *(*solution)(HypreSolver *solver);
  // One V-cycle from zero: solution = M^-1 right_hand_side. Symmetric positive definite if the
  // matrix is. 0, or -1 where it fails.
  int (*apply)(HypreSolver *solver);
  void (*destroy)(HypreSolver *solver);
  // Message of the last function that failed.
  const char *(*last_error)();
};

inline constexpr const char *hypre_module_file = "libweft_hypre.so";
inline constexpr const char *hypre_module_symbol = "weft_hypre_module";
// What the module exports under that name: hands out its table.
using HypreModuleEntry = const HypreModule *();

} // namespace weft
