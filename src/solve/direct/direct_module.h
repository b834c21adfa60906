// The interface between the program and a loadable module of a sparse direct solver
// (libweft_mumps.so), which alone is linked with it: a table of functions, plain structs, no
// exceptions.
#pragma once

#include <cstdint>

namespace weft {

// Changes with everything below: a module of another version is refused.
inline constexpr int direct_interface_version = 1;

// The pattern of a square matrix in compressed rows, in host memory of the caller.
struct DirectPattern {
  std::int32_t num_rows;
  const std::int32_t *row_start; // [row + 1]
  const std::int32_t *columns;
  bool symmetric; // the values too: only those below and on the diagonal are looked at
};

struct DirectFigures {
  double factor_entries;           // in the factors
  std::int32_t num_null_pivots;    // of the last factorisation
  const std::int32_t *null_pivots; // [num_null_pivots]: their rows, in the module's memory
};

struct DirectFactors; // of one pattern, an analysis and, once they are made, factors

struct DirectModule {
  int interface_version; // direct_interface_version when the module was built
  const char *library;   // "MUMPS 5.5.1"
  // Orders the unknowns; the pattern is copied. Null where it fails: last_error() says why.
  DirectFactors *(*analyse)(const DirectPattern *pattern);
  // Makes the factors of a matrix with these values, parallel to the pattern's columns. 0, or -1
  // where it fails.
  int (*factorise)(DirectFactors *factors, const double *values);
  DirectFigures (*figures)(const DirectFactors *factors);
  // x = A^-1 x, [row]; where pivots were zero one of the solutions, if there are any. 0, or -1.
  int (*solve)(DirectFactors *factors, double *x);
  void (*destroy)(DirectFactors *factors);
  // Message of the last function that failed.
  const char *(*last_error)();
};

inline constexpr const char *direct_module_file = "libweft_mumps.so";
inline constexpr const char *direct_module_symbol = "weft_direct_module";
// What the module exports under that name: hands out its table.
using DirectModuleEntry = const DirectModule *();

} // namespace weft
