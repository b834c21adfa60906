"""Jacobians and preconditioners as SciPy's operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

try:
    from scipy.sparse import csr_matrix
    from scipy.sparse.linalg import LinearOperator
except ImportError as error:
    raise ImportError("operators and Multigrid need SciPy: pip install 'weft[scipy]', or scipy") from error

from .linearisation import ApproximateInverse, Linearisation

if TYPE_CHECKING:
    from .multigrid import Multigrid
    from .problem import Problem


class Jacobian(LinearOperator):
    """F'(u) of a problem at one state, with the parameters, time and rate that the problem has when it is used.

    A problem has one Jacobian at a time: where it has another than this one meanwhile, this one is taken
    anew at its state.
    """

    def __init__(self, problem: Problem, u: NDArray[np.float64]):
        super().__init__(np.float64, (problem.num_dofs, problem.num_dofs))
        self.problem = problem
        self._at_u = Linearisation(problem, u)

    def _matvec(self, x: Any) -> NDArray[np.float64]:
        return self._at_u.apply(np.ascontiguousarray(x, np.float64).reshape(-1))

    def _adjoint(self) -> LinearOperator:
        return self if self.problem.is_symmetric else _Transposed(self)

    def diagonal(self) -> NDArray[np.float64]:
        return self._at_u.diagonal()

    def csr(self) -> csr_matrix:
        """Assembled, in arrays of its own: a copy, since the problem's go with its next change."""
        row_start, columns, values = self._at_u.matrix()
        return csr_matrix((values, columns, row_start), shape=self.shape)


class _Transposed(LinearOperator):
    """The transpose of a Jacobian that is not symmetric, by its assembled matrix."""

    def __init__(self, jacobian: Jacobian):
        super().__init__(np.float64, jacobian.shape)
        self._jacobian = jacobian
        self._matrix = jacobian.csr().T

    def _matvec(self, x: Any) -> NDArray[np.float64]:
        return self._matrix @ x

    def _adjoint(self) -> LinearOperator:
        return self._jacobian


class Preconditioner(LinearOperator):
    """z ~ F'(u)^-1 r, by the preconditioner that the case names or Weft chooses.

    A problem has one at a time: where it has another than this one meanwhile, this one is set up anew at its
    state. Another Jacobian, time or rate does not matter to it.
    """

    def __init__(self, problem: Problem, u: NDArray[np.float64]):
        super().__init__(np.float64, (problem.num_dofs, problem.num_dofs))
        self._at_u = ApproximateInverse(problem, u)

    def _matvec(self, r: Any) -> NDArray[np.float64]:
        return self._at_u.apply(np.ascontiguousarray(r, np.float64).reshape(-1))


class Cycle(LinearOperator):
    """z = M r, one cycle of multigrid from zero."""

    def __init__(self, multigrid: Multigrid):
        super().__init__(np.float64, (multigrid.num_rows, multigrid.num_rows))
        self.multigrid = multigrid

    def _matvec(self, r: Any) -> NDArray[np.float64]:
        return self.multigrid.apply(np.ascontiguousarray(r, np.float64).reshape(-1))

    def _adjoint(self) -> LinearOperator:
        if self.multigrid.symmetric:
            return self
        raise NotImplementedError("the adjoint of multigrid for a matrix that is not symmetric")
