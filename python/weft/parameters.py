"""The parameters of a problem as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError

if TYPE_CHECKING:
    from .problem import Problem


class Parameters(Mapping):
    """Values of [parameters] by name, those by group as "k.fins".

    A number is a float, a vector or matrix an array of its components, row by row. update() sets several,
    all or none. One whose value depends on place or time can't be read (InputError), but set.
    """

    def __init__(self, problem: Problem):
        self._problem = problem

    def __getitem__(self, name: str) -> float | NDArray[np.float64]:
        values = self._problem._parameter(name)
        return values[0] if len(values) == 1 else np.array(values)

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        self.update({name: value})

    def update(self, values: Mapping[str, ArrayLike] | None = None, /, **more: ArrayLike) -> None:
        given = {**(values or {}), **more}
        self._problem._set_parameters([(name, np.ravel(np.asarray(value, np.float64)).tolist())
                                       for name, value in given.items()])

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def __contains__(self, name: object) -> bool:
        return name in self._problem._parameters()

    def __iter__(self) -> Iterator[str]:
        return iter(self._problem._parameters())

    def __len__(self) -> int:
        return len(self._problem._parameters())

    def __repr__(self) -> str:
        def text(name: str) -> str:
            try:
                return repr(self[name])
            except InputError:
                return "..."  # depends on place or time

        return "Parameters({" + ", ".join(f"{name!r}: {text(name)}" for name in self) + "})"
