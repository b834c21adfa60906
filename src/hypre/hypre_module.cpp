// The module's table of functions; no exception leaves it.
#include "solve/precondition/hypre_module.h"

#include <string>

#include <HYPRE_parcsr_mv.h>
#include <HYPRE_utilities.h>

#include "base/modules/module_guard.h"
#include "hypre/boomer_amg.h"
#include "mpi/mpi_session.h"

namespace weft {

struct HypreSolver {
  HypreOwner<HYPRE_IJMatrix> matrix;
  HypreOwner<HYPRE_IJVector> right_hand_side, solution;
  HypreOwner<HYPRE_Solver> amg; // last, so that it goes first
};

namespace {

std::string last_error;

int start() {
  return guarded(
      last_error,
      [] {
        start_mpi();
        HYPRE_Init();
        check_hypre("hypre does not start");
        return 0;
      },
      -1);
}

HypreSolver *create(const HypreMatrix *matrix, const HypreOptions *options) {
  return guarded(
      last_error,
      [&] {
        auto solver = std::make_unique<HypreSolver>();
        const MPI_Comm ranks = matrix->is_shared ? MPI_COMM_WORLD : MPI_COMM_SELF;
        solver->matrix = make_hypre_matrix(ranks, matrix->first_row, *matrix);
        solver->right_hand_side = make_hypre_vector(ranks, matrix->first_row, matrix->num_rows);
        solver->solution = make_hypre_vector(ranks, matrix->first_row, matrix->num_rows);
        solver->amg = make_boomer_amg(*options, matrix->num_rows, matrix->functions);
        HYPRE_BoomerAMGSetup(solver->amg.get(), parallel_matrix(solver->matrix),
                             parallel_vector(solver->right_hand_side),
                             parallel_vector(solver->solution));
        check_hypre("the set-up of BoomerAMG failed");
        return solver.release();
      },
      static_cast<HypreSolver *>(nullptr));
}

HypreSetup setup(const HypreSolver *solver) {
  return hypre_setup(solver->amg);
}

double *right_hand_side(HypreSolver *solver) {
  return entries(solver->right_hand_side);
}

double *solution(HypreSolver *solver) {
  return entries(solver->solution);
}

int apply(HypreSolver *solver) {
  return guarded(
      last_error,
      [&] {
        HYPRE_ParVectorSetConstantValues(parallel_vector(solver->solution), 0);
        HYPRE_BoomerAMGSolve(solver->amg.get(), parallel_matrix(solver->matrix),
                             parallel_vector(solver->right_hand_side),
                             parallel_vector(solver->solution));
        check_hypre("a cycle of BoomerAMG failed");
        return 0;
      },
      -1);
}

void destroy(HypreSolver *solver) {
  delete solver;
}

const char *error_text() {
  return last_error.c_str();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const HypreModule *weft_hypre_module() {
  static const HypreModule module = {.interface_version = hypre_interface_version,
                                     .library = "hypre " HYPRE_RELEASE_VERSION,
                                     .start = start,
                                     .create = create,
                                     .setup = setup,
                                     .right_hand_side = right_hand_side,
                                     .solution = solution,
                                     .apply = apply,
                                     .destroy = destroy,
                                     .last_error = error_text};
  return &module;
}

} // namespace weft
