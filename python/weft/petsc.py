"""A problem inside petsc4py: the function and the Jacobian of a SNES, and Weft's preconditioner as a PC.

What weft/petsc.h is for C and C++, see docs/guide/petsc.md. Needs petsc4py 3.17 or later with real scalars in
double; nothing else of the package does.
"""

from __future__ import annotations

import atexit

import numpy as np
from numpy.typing import NDArray
from petsc4py import PETSc

from .linearisation import ApproximateInverse, Linearisation
from .problem import Problem

if PETSc.ScalarType is not np.float64:
    raise ImportError(f"weft.petsc needs a petsc4py with real scalars in double, not {PETSc.ScalarType.__name__}")

# While Python still is: petsc4py does so only after it has ended, and destroys then what it collected meanwhile, of
# which matrices and preconditioners in Python (these) need it.
atexit.register(PETSc._finalize)

_SELF = PETSc.COMM_SELF


class Adaptor:
    """A problem of one process for PETSc. Entries of vectors are the problem's dofs in their order.

    Prescribed dofs are eliminated: the equations of others are evaluated with the prescribed values in their
    place, so that the Jacobian, whose rows and columns of them are those of the identity, is the derivative of the
    function.

    What Weft raises in a callback comes out of PETSc's call.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self._constrained = problem.constrained_dofs()
        self._jacobian: Linearisation | None = None

    def create_vector(self) -> PETSc.Vec:
        return PETSc.Vec().createSeq(self.problem.num_dofs, comm=_SELF)

    def get_state(self, vector: PETSc.Vec) -> None:
        """The problem's state into a vector."""
        vector.setArray(self.problem.state)

    def set_state(self, vector: PETSc.Vec) -> None:
        """And back."""
        self.problem.state = vector.array_r

    def create_jacobian(self, assembled: bool = False) -> PETSc.Mat:
        """The Jacobian at the last state that SNES asked for it, the problem's at first: as products and a diagonal
        (MATPYTHON), or `assembled` (MATSEQAIJ, with the block size and the near null space that algebraic multigrid
        wants)."""
        if self._jacobian is None:
            self._linearise(self.problem.state)
        if assembled:
            matrix = self._assembled()
        else:
            size = self.problem.num_dofs
            matrix = PETSc.Mat().createPython([size, size], self, comm=_SELF)
            matrix.setUp()
        if self.problem.is_symmetric:
            matrix.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        return matrix

    def attach(self, snes: PETSc.SNES, assembled: bool = False) -> None:
        """Gives a SNES its function and Jacobian: products are those of kernels, and where `assembled`
        preconditioners of PETSc's have the entries."""
        operator = self.create_jacobian()
        snes.setFunction(self._evaluate, self.create_vector())
        snes.setJacobian(self._form_jacobian, operator, self.create_jacobian(True) if assembled else operator)

    def attach_pc(self, pc: PETSc.PC) -> None:
        """Makes a PC apply the preconditioner of the problem, of [solver] or Weft's choice, for the Jacobian at the
        last state that SNES asked for. It may round to a lower precision: a method that is flexible, fcg or fgmres,
        does not mind."""
        pc.setType(PETSc.PC.Type.PYTHON)
        pc.setPythonContext(_Preconditioner(self))

    # Callbacks of PETSc's, by its names of them.

    def mult(self, matrix: PETSc.Mat, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """y = F'(u) x."""
        self._taken().apply(x.array_r, y.array_w)

    def getDiagonal(self, matrix: PETSc.Mat, diagonal: PETSc.Vec) -> None:
        """That of F'(u)."""
        self._taken().diagonal(diagonal.array_w)

    def _evaluate(self, snes: PETSc.SNES, u: PETSc.Vec, r: PETSc.Vec) -> None:
        values, residual = u.array_r, r.array_w
        self.problem.residual(self._inserted(values), residual)
        residual[self._constrained] = values[self._constrained] - self.problem.constrained_values()

    def _form_jacobian(self, snes: PETSc.SNES, u: PETSc.Vec, operator: PETSc.Mat, matrix: PETSc.Mat) -> None:
        self._linearise(u.array_r)
        if matrix != operator:
            matrix.setValuesCSR(*self._entries())
            matrix.assemble()
        operator.assemble()

    # What they are made of.

    def _inserted(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """u with the prescribed values."""
        u = np.array(u)
        u[self._constrained] = self.problem.constrained_values()
        return u

    def _linearise(self, u: NDArray[np.float64]) -> None:
        self._jacobian = Linearisation(self.problem, self._inserted(u))

    def _taken(self) -> Linearisation:
        assert self._jacobian is not None  # create_jacobian() has taken it
        return self._jacobian

    def _entries(self) -> tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.float64]]:
        row_start, columns, values = self._taken().matrix()
        return row_start.astype(PETSc.IntType), columns.astype(PETSc.IntType), values

    def _assembled(self) -> PETSc.Mat:
        size = self.problem.num_dofs
        fields = list(self.problem.fields.values())
        matrix = PETSc.Mat().createAIJ([size, size], bsize=fields[0].components if len(fields) == 1 else 1,
                                       csr=self._entries(), comm=_SELF)  # fmt: skip
        vectors = [PETSc.Vec().createWithArray(values.copy(), comm=_SELF)
                   for values in self.problem.near_null_space()]  # fmt: skip
        matrix.setNearNullSpace(PETSc.NullSpace().create(constant=False, vectors=vectors, comm=_SELF))
        return matrix


class _Preconditioner:
    """Weft's, as the context of a PC."""

    def __init__(self, adaptor: Adaptor):
        self._adaptor = adaptor

    def setUp(self, pc: PETSc.PC) -> None:
        """Called by PETSc, for a new Jacobian."""
        self._inverse = ApproximateInverse(self._adaptor.problem, self._adaptor._taken().u)

    def apply(self, pc: PETSc.PC, r: PETSc.Vec, z: PETSc.Vec) -> None:
        """z ~ F'(u)^-1 r."""
        self._inverse.apply(r.array_r, z.array_w)
