// A problem inside PETSc: the function and Jacobian of a SNES, and Weft's preconditioner as a PC.
//
// Only a header over weft.h and PETSc's C interface: libweft knows nothing of PETSc. Include it
// where PETSc's headers are found and link both. For PETSc 3.17 and later, with real scalars in
// double.
#pragma once

#include <petscsnes.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "weft/problem.h"

static_assert(sizeof(PetscScalar) == sizeof(double), "Weft needs a PETSc with real scalars");

namespace weft::petsc {

// A problem, which must outlive it, as must it the objects that it is attached to. All of one
// process. Entries of vectors are the problem's dofs in their order.
//
// Prescribed dofs are eliminated: the equations of others are evaluated with the prescribed values
// in their place, so that the Jacobian, whose rows and columns of them are those of the identity,
// is the derivative of the function.
//
// Functions return PETSc's error codes; what Weft throws becomes an error of PETSc's with its text.
class Adaptor {
public:
  explicit Adaptor(Problem &problem)
      : problem_(problem), constrained_(problem.constrained_dofs()), values_(constrained_.size()),
        inserted_(problem.num_dofs()) {}
  Adaptor(const Adaptor &) = delete;
  Adaptor &operator=(const Adaptor &) = delete;

  PetscErrorCode create_vector(Vec *vector) const {
    return VecCreateSeq(PETSC_COMM_SELF, size(), vector);
  }
  // The problem's state into a vector, and back.
  PetscErrorCode get_state(Vec vector) const {
    PetscScalar *entries = nullptr;
    PetscFunctionBegin;
    PetscCall(VecGetArrayWrite(vector, &entries));
    const std::span<const double> state = problem_.state();
    std::copy_n(state.begin(), problem_.num_dofs(), entries);
    PetscCall(VecRestoreArrayWrite(vector, &entries));
    PetscFunctionReturn(0);
  }
  PetscErrorCode set_state(Vec vector) {
    const PetscScalar *entries = nullptr;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(vector, &entries));
    PetscCall(guarded([&] { problem_.set_state({entries, problem_.num_dofs()}); }));
    PetscCall(VecRestoreArrayRead(vector, &entries));
    PetscFunctionReturn(0);
  }

  // The Jacobian at the last state that SNES asked for it: as products with MULT and GET_DIAGONAL
  // (MATSHELL), or `assembled` (MATSEQAIJ, with the block size and the near null space that
  // algebraic multigrid wants).
  PetscErrorCode create_jacobian(bool assembled, Mat *jacobian) {
    PetscFunctionBegin;
    if (assembled) {
      PetscCall(create_assembled(jacobian));
    } else {
      PetscCall(MatCreateShell(PETSC_COMM_SELF, size(), size(), size(), size(), this, jacobian));
      PetscCall(
          MatShellSetOperation(*jacobian, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
      PetscCall(MatShellSetOperation(*jacobian, MATOP_GET_DIAGONAL,
                                     reinterpret_cast<void (*)()>(get_diagonal)));
    }
    if (problem_.is_symmetric())
      PetscCall(MatSetOption(*jacobian, MAT_SYMMETRIC, PETSC_TRUE));
    PetscFunctionReturn(0);
  }

  // Gives a SNES its function and Jacobian: products are those of the shell, and where `assembled`
  // preconditioners of PETSc's have the entries.
  PetscErrorCode attach(SNES snes, bool assembled) {
    Mat operator_ = nullptr, preconditioner = nullptr;
    PetscFunctionBegin;
    PetscCall(SNESSetFunction(snes, nullptr, form_function, this));
    PetscCall(create_jacobian(false, &operator_));
    if (assembled)
      PetscCall(guarded_call([&] { return assemble_first(&preconditioner); }));
    PetscCall(SNESSetJacobian(snes, operator_, assembled ? preconditioner : operator_,
                              form_jacobian, this));
    PetscCall(MatDestroy(&operator_)); // the SNES keeps both
    PetscCall(MatDestroy(&preconditioner));
    PetscFunctionReturn(0);
  }

  // Makes a PC apply the preconditioner of the problem, of [solver] or Weft's choice, for the
  // Jacobian at the last state that SNES asked for. It may round to a lower precision: a method
  // that is flexible, KSPFCG or KSPFGMRES, does not mind.
  PetscErrorCode attach(PC pc) {
    PetscFunctionBegin;
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, this));
    PetscCall(PCShellSetName(pc, "Weft"));
    PetscCall(PCShellSetSetUp(pc, set_up_preconditioner));
    PetscCall(PCShellSetApply(pc, precondition));
    PetscFunctionReturn(0);
  }

private:
  PetscInt size() const { return static_cast<PetscInt>(problem_.num_dofs()); }

  // Runs what throws as what returns codes.
  template <typename Body> static PetscErrorCode guarded(const Body &body) {
    try {
      body();
    } catch (const std::exception &error) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", error.what());
    }
    return 0;
  }
  template <typename Body> static PetscErrorCode guarded_call(const Body &body) {
    try {
      return body();
    } catch (const std::exception &error) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", error.what());
    }
  }

  // r = F(u) with prescribed values in place of u's.
  void evaluate(std::span<const double> u, std::span<double> r) {
    problem_.constrained_values(values_);
    bool are_set = true;
    for (std::size_t i = 0; i < constrained_.size(); ++i)
      are_set = are_set && u[constrained_[i]] == values_[i];
    if (are_set)
      return problem_.residual(u, r);
    std::copy(u.begin(), u.end(), inserted_.begin());
    for (std::size_t i = 0; i < constrained_.size(); ++i)
      inserted_[constrained_[i]] = values_[i];
    problem_.residual(inserted_, r);
    for (std::size_t i = 0; i < constrained_.size(); ++i)
      r[constrained_[i]] = u[constrained_[i]] - values_[i];
  }

  // Calls body(x, y) with the arrays of two vectors.
  template <typename Body> PetscErrorCode with_arrays(Vec x, Vec y, const Body &body) {
    const PetscScalar *from = nullptr;
    PetscScalar *to = nullptr;
    const std::size_t n = problem_.num_dofs();
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    PetscCall(guarded([&] { body(std::span(from, n), std::span(to, n)); }));
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscFunctionReturn(0);
  }

  static PetscErrorCode form_function(SNES, Vec u, Vec r, void *context) {
    auto &self = *static_cast<Adaptor *>(context);
    return self.with_arrays(u, r, [&](auto from, auto to) { self.evaluate(from, to); });
  }

  static PetscErrorCode form_jacobian(SNES, Vec u, Mat jacobian, Mat preconditioner,
                                      void *context) {
    auto &self = *static_cast<Adaptor *>(context);
    const PetscScalar *entries = nullptr;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(u, &entries));
    PetscCall(guarded([&] { self.linearise({entries, self.problem_.num_dofs()}); }));
    PetscCall(VecRestoreArrayRead(u, &entries));
    if (preconditioner != jacobian)
      PetscCall(guarded_call([&] { return self.fill(preconditioner); }));
    PetscCall(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
  }

  void linearise(std::span<const double> u) {
    std::copy(u.begin(), u.end(), inserted_.begin());
    problem_.constrained_values(values_);
    for (std::size_t i = 0; i < constrained_.size(); ++i)
      inserted_[constrained_[i]] = values_[i];
    problem_.linearise(inserted_);
  }

  static PetscErrorCode multiply(Mat jacobian, Vec x, Vec y) {
    void *context = nullptr;
    PetscFunctionBegin;
    PetscCall(MatShellGetContext(jacobian, &context));
    auto &self = *static_cast<Adaptor *>(context);
    PetscCall(self.with_arrays(x, y, [&](auto from, auto to) { self.problem_.apply(from, to); }));
    PetscFunctionReturn(0);
  }

  static PetscErrorCode get_diagonal(Mat jacobian, Vec diagonal) {
    void *context = nullptr;
    PetscScalar *entries = nullptr;
    PetscFunctionBegin;
    PetscCall(MatShellGetContext(jacobian, &context));
    auto &self = *static_cast<Adaptor *>(context);
    PetscCall(VecGetArrayWrite(diagonal, &entries));
    PetscCall(guarded([&] { self.problem_.diagonal({entries, self.problem_.num_dofs()}); }));
    PetscCall(VecRestoreArrayWrite(diagonal, &entries));
    PetscFunctionReturn(0);
  }

  static PetscErrorCode set_up_preconditioner(PC pc) {
    void *context = nullptr;
    PetscFunctionBegin;
    PetscCall(PCShellGetContext(pc, &context));
    PetscCall(guarded([&] { static_cast<Adaptor *>(context)->problem_.set_up_preconditioner(); }));
    PetscFunctionReturn(0);
  }

  static PetscErrorCode precondition(PC pc, Vec r, Vec z) {
    void *context = nullptr;
    PetscFunctionBegin;
    PetscCall(PCShellGetContext(pc, &context));
    auto &self = *static_cast<Adaptor *>(context);
    PetscCall(
        self.with_arrays(r, z, [&](auto from, auto to) { self.problem_.precondition(from, to); }));
    PetscFunctionReturn(0);
  }

  // The matrix at the problem's state, which gives the pattern.
  PetscErrorCode assemble_first(Mat *matrix) {
    PetscFunctionBegin;
    linearise(problem_.state());
    PetscCall(create_jacobian(true, matrix));
    PetscFunctionReturn(0);
  }

  PetscErrorCode create_assembled(Mat *matrix) {
    PetscFunctionBegin;
    const MatrixView view = problem_.matrix();
    std::vector<PetscInt> counts(view.num_rows);
    for (std::size_t row = 0; row < view.num_rows; ++row)
      counts[row] = static_cast<PetscInt>(view.row_start[row + 1] - view.row_start[row]);
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, size(), size(), 0, counts.data(), matrix));
    const std::vector<FieldInfo> fields = problem_.fields();
    if (fields.size() == 1)
      PetscCall(MatSetBlockSize(*matrix, fields.front().components));
    std::vector<PetscInt> columns;
    for (std::size_t row = 0; row < view.num_rows; ++row) {
      const auto at = static_cast<PetscInt>(row);
      columns.assign(view.columns.begin() + view.row_start[row],
                     view.columns.begin() + view.row_start[row + 1]);
      PetscCall(MatSetValues(*matrix, 1, &at, counts[row], columns.data(),
                             view.values.data() + view.row_start[row], INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(set_near_null_space(*matrix));
    PetscFunctionReturn(0);
  }

  // Values of the problem's matrix, in the order of its pattern, which is PETSc's.
  PetscErrorCode fill(Mat matrix) {
    PetscScalar *values = nullptr;
    PetscFunctionBegin;
    const MatrixView view = problem_.matrix();
    PetscCall(MatSeqAIJGetArrayWrite(matrix, &values));
    std::copy(view.values.begin(), view.values.end(), values);
    PetscCall(MatSeqAIJRestoreArrayWrite(matrix, &values));
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
  }

  PetscErrorCode set_near_null_space(Mat matrix) {
    PetscFunctionBegin;
    std::vector<Vec> vectors;
    for (const std::vector<double> &values : problem_.near_null_space()) {
      Vec vector = nullptr;
      PetscScalar *entries = nullptr;
      PetscCall(create_vector(&vector));
      PetscCall(VecGetArrayWrite(vector, &entries));
      std::copy(values.begin(), values.end(), entries);
      PetscCall(VecRestoreArrayWrite(vector, &entries));
      vectors.push_back(vector);
    }
    MatNullSpace space = nullptr;
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE,
                                 static_cast<PetscInt>(vectors.size()), vectors.data(), &space));
    PetscCall(MatSetNearNullSpace(matrix, space));
    PetscCall(MatNullSpaceDestroy(&space));
    for (Vec &vector : vectors)
      PetscCall(VecDestroy(&vector));
    PetscFunctionReturn(0);
  }

  Problem &problem_;
  std::vector<std::size_t> constrained_;
  std::vector<double> values_;   // prescribed
  std::vector<double> inserted_; // a state with them
};

} // namespace weft::petsc
