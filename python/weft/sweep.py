"""A case solved for all combinations of some parameters."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .case import Case
from .problem import Problem
from .solution import Solution


def sweep(case: str | os.PathLike[str] | Case | Mapping[str, Any], values: Mapping[str, ArrayLike],
          functionals: str | Sequence[str] | None = None, **options: Any) -> dict[str, NDArray[Any]]:
    """A table: arrays by name with an entry for each combination of the parameters' values, the last one's fastest.

    values: numbers by parameter, {"h": [5, 10, 20]}. functionals: which of them, None for all.
    options: those of Problem.
    The table has the parameters, the functionals ([row, component] of vectors) and "iterations" and "seconds" of the
    solves. Mesh and kernels are made once. A stationary problem begins at what the solutions before tell of it
    (Problem.set_first_guess()), and once more at the initial values where it does not converge from there. One that
    does not converge raises NumericalError, with a note of the values.
    """
    settable = dict.fromkeys([*options.pop("settable", ()), *values])
    problem = Problem(case, settable=list(settable), **options)
    names = [functionals] if isinstance(functionals, str) else list(functionals or problem.functional_names())
    columns: dict[str, list[Any]] = {name: [] for name in [*values, *names, "iterations", "seconds"]}
    for combination in itertools.product(*(np.ravel(np.asarray(of_one, np.float64)) for of_one in values.values())):
        setting = dict(zip(values, combination))
        try:
            solutions = _solve(problem, setting)
            row = {**setting, **{name: solutions[-1][name] for name in names},
                   "iterations": sum(solution.iterations for solution in solutions),
                   "seconds": sum(solution.seconds for solution in solutions)}
        except Exception as error:
            error.add_note("at " + ", ".join(f"{name} = {value:g}" for name, value in setting.items()))
            raise
        for name, value in row.items():
            columns[name].append(value)
    return {name: np.array(column) for name, column in columns.items()}


def _solve(problem: Problem, setting: Mapping[str, float]) -> list[Solution]:
    """What came of the one or two attempts of a sample."""
    problem.parameters.update(setting)
    attempts = []
    if not problem.is_transient and problem.set_first_guess():
        attempts.append(problem.try_solve())
    if not attempts or not attempts[0].converged:
        problem.reset()
        attempts.append(problem.solve())
    if not problem.is_transient:
        problem.keep_solution()
    return attempts
