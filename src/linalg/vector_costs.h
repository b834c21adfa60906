// What each kernel of kernels/vector costs, by closed formulas.
#pragma once

#include <string>

#include "linalg/vector_cost.h"

namespace weft {

// What a launch's arguments choose; each kernel looks at what it has.
struct VectorChoices {
  bool same = false;     // vector_dots, vector_dot: a is b. bicgstab_step: z is r
  bool weighted = false; // cg_residual, cg_direction: by a diagonal
  bool first = false;    // chebyshev_step: of the iteration
  bool flexible = false; // cg_beta
  bool largest = false;  // vector_reduce: not added up
  bool again = false;    // gmres_...: the second orthogonalisation, where it is needed
  bool idle = false;     // any: it finds nothing to be done
  int degree = 1;        // vector_horner
  int vectors = 0;       // gmres_dots, gmres_subtract: of the block; gmres_project: of the basis
};

// Whether it is a kernel of kernels/vector.
bool has_vector_kernel_cost(const std::string &kernel);

// Counts a launch of a method that has not stopped: it neither converges nor breaks down in this
// step. Vectors that are different arguments are different, but for `same`. Throws `invariant` for
// an unknown name.
KernelCost vector_kernel_cost(const std::string &kernel, const VectorShape &shape,
                              const VectorChoices &choices = {});

} // namespace weft
