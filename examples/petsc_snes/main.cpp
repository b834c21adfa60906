// Solves a stationary case by PETSc's SNES: Weft has the function and the Jacobian, PETSc the
// methods; its options choose between them (-snes_monitor, -ksp_type, -pc_type gamg, ...).
//
//   petsc_snes [CASE] [options]
//
//   -weft_assembled    preconditioners of PETSc's get the entries of the Jacobian
//   -weft_pc           the preconditioner is Weft's
//   -weft_set KEY=VALUE, -weft_threads N
#include <weft/petsc.h>
#include <weft/weft.h>

#include <cstdio>
#include <string>

namespace {

PetscErrorCode solve(weft::Problem &problem) {
  PetscBool assembled = PETSC_FALSE, own = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-weft_assembled", &assembled, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-weft_pc", &own, nullptr));
  weft::petsc::Adaptor adaptor(problem);
  SNES snes = nullptr;
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(adaptor.attach(snes, assembled));
  KSP ksp = nullptr;
  PC pc = nullptr;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (own)
    PetscCall(adaptor.attach(pc));
  else if (!assembled)
    PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(SNESSetFromOptions(snes));
  Vec u = nullptr;
  PetscCall(adaptor.create_vector(&u));
  PetscCall(adaptor.get_state(u));
  PetscLogDouble begin = 0, end = 0;
  PetscCall(PetscTime(&begin));
  PetscCall(SNESSolve(snes, nullptr, u));
  PetscCall(PetscTime(&end));
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt steps = 0, iterations = 0;
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(SNESGetIterationNumber(snes, &steps));
  PetscCall(SNESGetLinearSolveIterations(snes, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d Newton steps, %d iterations, %.4f s\n",
                        SNESConvergedReasons[reason], int(steps), int(iterations), end - begin));
  PetscCall(adaptor.set_state(u));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "SNES did not converge");
  PetscFunctionReturn(0);
}

PetscErrorCode run(const std::string &case_file) {
  PetscInt threads = 0;
  char set[1000] = "";
  PetscBool is_set = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-weft_threads", &threads, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-weft_set", set, sizeof set, &is_set));
  weft::ProblemOptions options;
  options.threads = int(threads);
  if (is_set)
    options.overrides = {set};
  try {
    weft::Problem problem(case_file, options);
    PetscCall(solve(problem));
    for (const weft::FunctionalResult &result : problem.functionals())
      std::printf("%s = %.12g\n", result.name.c_str(), result.values.front());
  } catch (const weft::Error &error) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", error.what());
  }
  PetscFunctionReturn(0);
}

} // namespace

int main(int argc, char **argv) {
  const bool named = argc > 1 && argv[1][0] != '-';
  const std::string case_file = named ? argv[1] : "p_laplace.toml";
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, "A case of Weft's by SNES"));
  PetscCall(run(case_file));
  PetscCall(PetscFinalize());
  return 0;
}
