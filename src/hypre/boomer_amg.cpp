#include "hypre/boomer_amg.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <_hypre_parcsr_ls.h> // levels and entries of vectors have no public functions

namespace weft {

static_assert(sizeof(HYPRE_BigInt) == 4 && sizeof(HYPRE_Int) == 4,
              "hypre is to be built with 32-bit numbers of rows, as Debian's is");

namespace {

constexpr int symmetric_forwards = 13; // l1 Gauss-Seidel, which is Gauss-Seidel on one process
constexpr int symmetric_backwards = 14;
constexpr int gauss_elimination = 9;
constexpr int most_interpolation_entries = 4; // a row

} // namespace

void check_hypre(const char *what) {
  const HYPRE_Int error = HYPRE_GetError();
  if (!error)
    return;
  char description[256] = "";
  HYPRE_DescribeError(error, description);
  HYPRE_ClearAllErrors();
  throw std::runtime_error(std::string(what) + ": " + description);
}

HypreOwner<HYPRE_IJMatrix> make_hypre_matrix(MPI_Comm communicator, std::int32_t first_row,
                                             const HypreMatrix &matrix) {
  const std::int32_t last_row = first_row + matrix.num_rows - 1;
  HYPRE_IJMatrix made = nullptr;
  HYPRE_IJMatrixCreate(communicator, first_row, last_row, first_row, last_row, &made);
  HypreOwner<HYPRE_IJMatrix> owner(made);
  HYPRE_IJMatrixSetObjectType(made, HYPRE_PARCSR);
  std::vector<HYPRE_Int> lengths(matrix.num_rows), inside(matrix.num_rows);
  for (std::int32_t i = 0; i < matrix.num_rows; ++i) {
    const std::int32_t *begin = matrix.columns + matrix.row_start[i];
    const std::int32_t *end = matrix.columns + matrix.row_start[i + 1];
    lengths[i] = static_cast<HYPRE_Int>(end - begin);
    inside[i] = static_cast<HYPRE_Int>(
        std::count_if(begin, end, [&](std::int32_t j) { return j >= first_row && j <= last_row; }));
  }
  std::vector<HYPRE_Int> outside(matrix.num_rows);
  std::transform(lengths.begin(), lengths.end(), inside.begin(), outside.begin(), std::minus<>());
  HYPRE_IJMatrixSetDiagOffdSizes(made, inside.data(), outside.data());
  HYPRE_IJMatrixInitialize(made);
  std::vector<HYPRE_BigInt> rows(matrix.num_rows);
  std::iota(rows.begin(), rows.end(), first_row);
  HYPRE_IJMatrixSetValues(made, matrix.num_rows, lengths.data(), rows.data(),
                          matrix.columns + matrix.row_start[0],
                          matrix.values + matrix.row_start[0]);
  HYPRE_IJMatrixAssemble(made);
  check_hypre("hypre does not take the matrix");
  return owner;
}

HypreOwner<HYPRE_IJVector> make_hypre_vector(MPI_Comm communicator, std::int32_t first_row,
                                             std::int32_t num_rows) {
  HYPRE_IJVector made = nullptr;
  HYPRE_IJVectorCreate(communicator, first_row, first_row + num_rows - 1, &made);
  HypreOwner<HYPRE_IJVector> owner(made);
  HYPRE_IJVectorSetObjectType(made, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(made); // to zero
  HYPRE_IJVectorAssemble(made);
  check_hypre("hypre has no room for a vector");
  return owner;
}

HYPRE_ParCSRMatrix parallel_matrix(const HypreOwner<HYPRE_IJMatrix> &matrix) {
  void *object = nullptr;
  HYPRE_IJMatrixGetObject(matrix.get(), &object);
  return static_cast<HYPRE_ParCSRMatrix>(object);
}

HYPRE_ParVector parallel_vector(const HypreOwner<HYPRE_IJVector> &vector) {
  void *object = nullptr;
  HYPRE_IJVectorGetObject(vector.get(), &object);
  return static_cast<HYPRE_ParVector>(object);
}

double *entries(const HypreOwner<HYPRE_IJVector> &vector) {
  return hypre_VectorData(hypre_ParVectorLocalVector(parallel_vector(vector)));
}

HypreOwner<HYPRE_Solver> make_boomer_amg(const HypreOptions &options, std::int32_t num_rows,
                                         const std::int32_t *functions) {
  HYPRE_Solver made = nullptr;
  HYPRE_BoomerAMGCreate(&made);
  HypreOwner<HYPRE_Solver> owner(made);
  HYPRE_BoomerAMGSetPrintLevel(made, 0);
  HYPRE_BoomerAMGSetMaxIter(made, 1);
  HYPRE_BoomerAMGSetTol(made, 0);
  HYPRE_BoomerAMGSetStrongThreshold(made, options.strong_threshold);
  HYPRE_BoomerAMGSetCoarsenType(made, options.coarsening);
  HYPRE_BoomerAMGSetInterpType(made, options.interpolation);
  HYPRE_BoomerAMGSetPMaxElmts(made, most_interpolation_entries);
  HYPRE_BoomerAMGSetAggNumLevels(made, options.aggressive_levels);
  HYPRE_BoomerAMGSetRelaxOrder(made, 0); // all points in their order
  HYPRE_BoomerAMGSetNumSweeps(made, 1);
  HYPRE_BoomerAMGSetCycleRelaxType(made, symmetric_forwards, 1);
  HYPRE_BoomerAMGSetCycleRelaxType(made, symmetric_backwards, 2);
  HYPRE_BoomerAMGSetCycleRelaxType(made, gauss_elimination, 3);
  HYPRE_BoomerAMGSetNumFunctions(made, options.num_functions);
  if (functions && options.num_functions > 1) {
    // hypre frees it with the solver.
    auto *copy = static_cast<HYPRE_Int *>(std::malloc(sizeof(HYPRE_Int) * num_rows));
    if (!copy)
      throw std::bad_alloc();
    std::copy_n(functions, num_rows, copy);
    HYPRE_BoomerAMGSetDofFunc(made, copy);
  }
  check_hypre("hypre refuses the parameters of BoomerAMG");
  return owner;
}

HypreSetup hypre_setup(const HypreOwner<HYPRE_Solver> &amg) {
  auto *data = reinterpret_cast<hypre_ParAMGData *>(amg.get());
  HypreSetup setup = {.levels = hypre_ParAMGDataNumLevels(data), .operator_complexity = 0};
  hypre_ParCSRMatrix **matrices = hypre_ParAMGDataAArray(data);
  for (int level = 0; level < setup.levels; ++level) {
    hypre_ParCSRMatrixSetDNumNonzeros(matrices[level]);
    setup.operator_complexity += hypre_ParCSRMatrixDNumNonzeros(matrices[level]) /
                                 hypre_ParCSRMatrixDNumNonzeros(matrices[0]);
  }
  return setup;
}

} // namespace weft
