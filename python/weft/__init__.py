"""Weft: partial differential equations on unstructured meshes, kernels generated at run time.

    p = weft.Problem("cases/heat_sink/case.toml")
    solution = p.solve(h=25)
    print(solution["T_max"], p["T"])

The guide is docs/guide/python.md, the language of cases docs/reference/case.md.
"""

from ._weft import DeviceVector, FieldInfo, MultigridLevelInfo, SolveResult, StepInfo, __version__
from .case import Case
from .errors import DeviceError, Error, InputError, InternalError, NumericalError, UnsupportedError
from .mesh import Mesh
from .multigrid import Multigrid
from .parameters import Parameters
from .problem import CellMatrices, Problem
from .solution import Solution
from .sweep import sweep

__all__ = [
    "Case",
    "CellMatrices",
    "DeviceError",
    "DeviceVector",
    "Error",
    "FieldInfo",
    "InputError",
    "InternalError",
    "Mesh",
    "Multigrid",
    "MultigridLevelInfo",
    "NumericalError",
    "Parameters",
    "Problem",
    "Solution",
    "SolveResult",
    "StepInfo",
    "UnsupportedError",
    "__version__",
    "sweep",
]
