"""The Jacobian and the preconditioner of a problem at one state, with arrays of NumPy alone.

A problem has one of each at a time: where it has another meanwhile, these are taken anew at their state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .problem import Problem

Array = NDArray[np.float64]


class Linearisation:
    """F'(u), with the parameters, time and rate that the problem has when it is used."""

    def __init__(self, problem: Problem, u: Array):
        self.problem = problem
        self.u = u
        self._number = 0
        self._take()

    def _take(self) -> None:
        if self.problem._linearisation != self._number:
            self.problem.linearise(self.u)
            self._number = self.problem._linearisation

    def apply(self, x: Array, out: Array | None = None) -> Array:
        self._take()
        return self.problem.apply(x, out)

    def diagonal(self, out: Array | None = None) -> Array:
        self._take()
        return self.problem.diagonal(out)

    def matrix(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
        """(row_start, columns, values) in arrays of its own: the problem's go with its next change."""
        self._take()
        return self.problem._matrix()


class ApproximateInverse:
    """z ~ F'(u)^-1 r; another Jacobian, time or rate of the problem does not matter to it."""

    def __init__(self, problem: Problem, u: Array):
        self.problem = problem
        self.u = u
        self._number = 0
        self._set_up()

    def _set_up(self) -> None:
        if self.problem._preconditioner != self._number:
            self.problem.linearise(self.u)
            self.problem.set_up_preconditioner()
            self._number = self.problem._preconditioner

    def apply(self, r: Array, out: Array | None = None) -> Array:
        self._set_up()
        return self.problem.precondition(r, out)
