"""A case on its mesh and device."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _weft
from ._weft import FieldInfo, StepInfo
from .case import Case, source_of
from .mesh import Mesh
from .parameters import Parameters
from .solution import Solution

if TYPE_CHECKING:
    import pyvista

    from .operators import Jacobian, Preconditioner

Array = NDArray[np.float64]


class CellMatrices(NamedTuple):
    """Matrices of the cells of one type."""

    vtk_type: int
    dofs: NDArray[np.int32]  # [cell, row]: entry of the state
    values: Array  # [cell, row, column]


class Problem(_weft.Problem):
    """A case on its mesh and device: its equations applied, solved, its quantities read.

    case: the path of a case file, a Case, or a mapping of a case's tables.
    device: as --device; "" is what the case says, or the default. threads: cores of a CPU, 0 for all.
    parameters: values that are set at once, {"h": 10}.
    settable: parameters that will be set, so that kernels read them as arguments from the start; those of
        `parameters` are. One that is named nowhere costs a second making of the kernels when it is set first.
    overrides: as --set, "parameters.k=3". combination: one of [verify] boxes, "triangle P2".
    variants_file: choices of an earlier run to repeat. tune: search for the fastest kernels first.
    trust: the case and its files may run code of their own.
    mesh_timeout, kernel_timeout: seconds for gmsh, and for trusted C text to come back.

    Arrays have num_dofs entries in float64, whatever the device computes in. What fails is a weft.Error and
    leaves the problem as it was. Long calls release Python's lock. One thread at a time uses a problem;
    another one that comes meanwhile gets an InputError.
    """

    def __init__(self, case: str | os.PathLike[str] | Case | Mapping[str, Any], *, device: str = "",
                 threads: int = 0, parameters: Mapping[str, ArrayLike] | None = None,
                 settable: Sequence[str] = (), overrides: Sequence[str] = (), combination: str = "",
                 variants_file: str | os.PathLike[str] = "", tune: bool = False, tune_budget: float = 10,
                 trust: bool = False, mesh_timeout: float = 3600, kernel_timeout: float = 0):
        options = _weft.ProblemOptions()
        options.device = device
        options.threads = threads
        options.settable = list(dict.fromkeys([*settable, *(parameters or {})]))
        options.overrides = list(overrides)
        options.combination = combination
        options.variants_file = os.fspath(variants_file)
        options.tune = tune
        options.tune_budget_s = tune_budget
        options.trust = trust
        options.mesh_timeout_s = mesh_timeout
        options.kernel_timeout_s = kernel_timeout
        super().__init__(source_of(case), options)
        self._look: Callable[[StepInfo], object] | None = None
        if parameters:
            self.parameters.update(parameters)

    # What it is of.

    @property
    def fields(self) -> dict[str, FieldInfo]:
        """By name, in the order in which their dofs lie in states."""
        return {field.name: field for field in self._fields()}

    def mesh(self) -> Mesh:
        """Points are a read-only view; cells are in Weft's order, blocked for caches."""
        return Mesh._of_vtk(*self._mesh())

    # Parameters and state.

    @property
    def parameters(self) -> Parameters:
        """problem.parameters["h"] is the value, problem.parameters["h"] = 25 sets it."""
        return Parameters(self)

    @property
    def state(self) -> Array:
        """[dof]: initial values, or the solution after solve(). A read-only view that stays where it is, follows
        every change, and keeps the problem. problem.state = u sets it."""
        return self._state()

    @state.setter
    def state(self, u: ArrayLike) -> None:
        self._set_state(np.asarray(u, np.float64))

    def __getitem__(self, field: str) -> Array:
        """A field in the state, [node] or [node, component] of a vector: a read-only view, as state is."""
        info = self._field(field)
        values = self.state[info.offset : info.offset + info.num_nodes * info.components]
        return values.reshape(info.num_nodes, info.components) if info.is_vector else values

    def __setitem__(self, field: str, values: ArrayLike) -> None:
        """Sets a field in the state: values of its shape, or what numpy broadcasts to it."""
        info = self._field(field)
        u = self.state.copy()
        part = u[info.offset : info.offset + info.num_nodes * info.components]
        part.reshape((info.num_nodes, info.components) if info.is_vector else -1)[...] = values
        self.state = u

    # Solving.

    def solve(self, parameters: Mapping[str, ArrayLike] | None = None, /, **more: ArrayLike) -> Solution:
        """Sets parameters, solve(h=25) or solve({"k.fins": 200}), and solves from the state; transient problems to
        the end of [time]. NumericalError where it does not converge; the state is the last one then."""
        return self._solved(True, parameters, more)

    def try_solve(self, parameters: Mapping[str, ArrayLike] | None = None, /, **more: ArrayLike) -> Solution:
        """The same without an error for not converging."""
        return self._solved(False, parameters, more)

    def _solved(self, must_converge: bool, parameters: Mapping[str, ArrayLike] | None,
                more: Mapping[str, ArrayLike]) -> Solution:
        if parameters or more:
            self.parameters.update(parameters, **more)
        result = self._solve(self._look, must_converge)
        return Solution(self, result)

    def on_step(self, look: Callable[[StepInfo], object] | None) -> None:
        """Calls look(step) at the start of a transient solve and after each step, with the state as it is then.
        What it raises ends the solve and comes out of it. None: nobody looks."""
        self._look = look

    def steps(self, until: float | None = None) -> Iterator[StepInfo]:
        """Steps of a transient problem one by one, to the end of [time], or past `until`."""
        while True:
            step = self.step()
            yield step
            if step.finished or (until is not None and step.time >= until):
                return

    # Equations.

    def jacobian(self, u: ArrayLike | None = None) -> Jacobian:
        """F'(u) as a scipy.sparse.linalg.LinearOperator, at the state unless u is given."""
        from .operators import Jacobian

        return Jacobian(self, self._at(u))

    def preconditioner(self, u: ArrayLike | None = None) -> Preconditioner:
        """Nearly F'(u)^-1 as a scipy.sparse.linalg.LinearOperator, at the state unless u is given."""
        from .operators import Preconditioner

        return Preconditioner(self, self._at(u))

    def _at(self, u: ArrayLike | None) -> Array:
        return np.array(self.state if u is None else u, np.float64).reshape(-1)

    def cell_matrices(self, u: ArrayLike | None = None) -> list[CellMatrices]:
        """Matrices of the cells' integrals at u, before conditions; those of facets are not in them."""
        return [CellMatrices(*of_type) for of_type in self._cell_matrices(self._at(u))]

    # Results at the state.

    def functional(self, name: str) -> float | Array:
        """Of [functionals]; of a vector an array of its components."""
        values = self._functional(name)
        return values[0] if len(values) == 1 else np.array(values)

    def functionals(self) -> dict[str, float | Array]:
        """All of them, by name."""
        return {name: self.functional(name) for name in self.functional_names()}

    def error_estimate(self, functional: str) -> float | Array:
        """What a functional of the solution is estimated to be off by, the exact value less the computed one, by an
        adjoint solve; see docs/guide/accuracy.md."""
        errors = self._error_estimate(functional)
        return errors[0] if len(errors) == 1 else np.array(errors)

    def gradient(self, functional: str, parameters: Sequence[str]) -> dict[str, float | Array]:
        """The derivatives of a functional of the solution by parameters, by one adjoint solve: exact derivatives of
        what was computed."""
        gradients = self._gradient(functional, list(parameters))
        return {name: values[0] if len(values) == 1 else np.array(values)
                for name, values in zip(parameters, gradients, strict=True)}  # fmt: skip

    def grid(self) -> pyvista.UnstructuredGrid:
        """The mesh with its fields as a pyvista.UnstructuredGrid; see docs/guide/python.md for what is copied."""
        from .grid import grid_of

        return grid_of(self)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """What `weft run` writes of fields, functionals and the solve, in a folder that is made where it is missing."""
        self._write(os.fspath(folder))

    def report(self) -> dict[str, Any]:
        """What results.json has."""
        return json.loads(self._report())

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}: {field.element}" for field in self.fields.values())
        return f"<weft.Problem of {self.num_dofs} dofs ({fields}) on {self.device}>"
