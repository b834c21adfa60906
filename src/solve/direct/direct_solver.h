// Sparse direct solvers on the host: factors of a matrix, and solutions by them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linalg/sparse_matrix.h"

namespace weft {

class DirectSolver {
public:
  virtual ~DirectSolver() = default;
  // "MUMPS 5.5.1"
  virtual std::string library() const = 0;
  // Makes the factors of a matrix of the pattern that the solver was made for.
  // Errors: numerical (singular to rounding, where the library does not go on), system (memory).
  virtual void factorise(const HostMatrix &matrix) = 0;
  // x = A^-1 x, [row].
  virtual void solve(double *x) = 0;
  // Rows whose pivots were zero to rounding: the matrix is singular, and x one of the solutions
  // where there are any.
  virtual std::vector<std::int32_t> null_pivots() const { return {}; }
  virtual double factor_entries() const = 0;
};

// By the module of MUMPS where it is there, else by Eigen's SparseLU, which the name says.
// Errors (system): a module that does not fit.
std::unique_ptr<DirectSolver> make_direct_solver(const HostMatrix &matrix, bool symmetric);

// Whether the module of MUMPS is there.
bool has_direct_module();

} // namespace weft
