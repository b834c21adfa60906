"""What a solve did, and its functionals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import _weft
from .errors import InputError

if TYPE_CHECKING:
    from .problem import Problem


class Solution:
    """The result of a solve; solution["T_max"] is a functional at its state.

    A functional is evaluated when it is first asked for, and kept. That is refused where the problem has another
    state or other parameters meanwhile.
    """

    def __init__(self, problem: Problem, result: _weft.SolveResult):
        self._problem = problem
        self._result = result
        self._number = problem._state_number
        self._values: dict[str, float | NDArray[np.float64]] = {}

    @property
    def converged(self) -> bool:
        return self._result.converged

    @property
    def reason(self) -> str:
        """One sentence, also when it converged."""
        return self._result.reason

    @property
    def iterations(self) -> int:
        """Of the linear solver, over all Newton steps and steps in time."""
        return self._result.iterations

    @property
    def newton_steps(self) -> int:
        """1 where the problem is linear."""
        return self._result.newton_steps

    @property
    def residual(self) -> float:
        """Its 2-norm relative to the initial one, computed from the solution."""
        return self._result.residual

    @property
    def seconds(self) -> float:
        return self._result.seconds

    @property
    def setup_seconds(self) -> float:
        """Of preconditioners: part of seconds where the solve made them."""
        return self._result.setup_seconds

    def __getitem__(self, name: str) -> float | NDArray[np.float64]:
        if name not in self._values:
            if self._problem._state_number != self._number:
                raise InputError(f"the functional {name} of a solve that is over",
                                 what=f"the functional {name} of a solve that is over",
                                 found="the problem has another state or other parameters now",
                                 remedy="ask for it before they change")
            self._values[name] = self._problem.functional(name)
        return self._values[name]

    def functionals(self) -> dict[str, float | NDArray[np.float64]]:
        """All of them, by name."""
        return {name: self[name] for name in self._problem.functional_names()}

    def __repr__(self) -> str:
        return (f"Solution(converged={self.converged}, iterations={self.iterations}, "
                f"seconds={self.seconds:.3g}, reason={self.reason!r})")
