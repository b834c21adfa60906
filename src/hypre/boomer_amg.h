// hypre's objects, owned; BoomerAMG with Weft's parameters. Errors are std::runtime_error.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>

#include "solve/precondition/hypre_module.h"

namespace weft {

struct HypreDeleter {
  void operator()(HYPRE_IJMatrix matrix) const { HYPRE_IJMatrixDestroy(matrix); }
  void operator()(HYPRE_IJVector vector) const { HYPRE_IJVectorDestroy(vector); }
  void operator()(HYPRE_Solver solver) const { HYPRE_BoomerAMGDestroy(solver); }
};
template <typename Handle>
using HypreOwner = std::unique_ptr<std::remove_pointer_t<Handle>, HypreDeleter>;

// The rows of this process: first_row ... first_row + matrix.num_rows - 1 of the whole matrix, with
// columns of the whole. Each process of `communicator` calls it with its own.
HypreOwner<HYPRE_IJMatrix> make_hypre_matrix(MPI_Comm communicator, std::int32_t first_row,
                                             const HypreMatrix &matrix);
// Zero.
HypreOwner<HYPRE_IJVector> make_hypre_vector(MPI_Comm communicator, std::int32_t first_row,
                                             std::int32_t num_rows);
HYPRE_ParCSRMatrix parallel_matrix(const HypreOwner<HYPRE_IJMatrix> &matrix);
HYPRE_ParVector parallel_vector(const HypreOwner<HYPRE_IJVector> &vector);
// The entries of this process.
double *entries(const HypreOwner<HYPRE_IJVector> &vector);

// One V-cycle a solve, with Gauss-Seidel forwards on the way down and backwards on the way up, so
// that CG may use it. Not set up yet. functions: [row] or null.
HypreOwner<HYPRE_Solver> make_boomer_amg(const HypreOptions &options, std::int32_t num_rows,
                                         const std::int32_t *functions);
// Figures of a solver that is set up.
HypreSetup hypre_setup(const HypreOwner<HYPRE_Solver> &amg);

// Throws with hypre's description where an error is pending, and clears it.
void check_hypre(const char *what);

} // namespace weft
