"""Multigrid for a matrix of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _weft
from ._weft import SolveResult
from .errors import InputError, NumericalError

if TYPE_CHECKING:
    from .operators import Cycle

Array = NDArray[np.float64]


class Multigrid(_weft.Multigrid):
    """Smoothed aggregation, set up for a sparse matrix.

    matrix: of SciPy, in CSR or BSR (others are converted); each row has a positive entry on its diagonal. On
        CPUs its arrays are used where they lie if they are int32 and float64, and rows are sorted: leave them as they
        are as long as this lives, or call update(). See copies_arrays.
    device, threads: as of Problem. precision: in which levels are stored, from the finest, "f16", "bf16", "f32",
        "f64", or a sequence of these whose last is that of all further levels; None: f16.
    cycle: "V", "W", "K". smoother: "chebyshev" of `degree`, "jacobi", "ilu" or "spai" with `sweeps`.
    strength: couplings weaker than that, relative to the strongest of both nodes, are left out of aggregates.
    block_size: unknowns of a node, side by side; that of a BSR matrix if None.
    near_null_space: [row] or [row, vector], PyAMG's B. coordinates: [node, dimension] in place of it, for elasticity.
    symmetric: None finds it out.

    docs/guide/multigrid_for_your_matrix.md says what each does, and has the words of PyAMG and AMGCL.
    """

    def __init__(self, matrix: Any, *, device: str = "", threads: int = 0,
                 precision: str | Sequence[str] | None = None, cycle: str = "V", smoother: str = "chebyshev",
                 degree: int = 2, sweeps: int | None = None, strength: float | None = None, max_levels: int = 20,
                 coarsest_size: int = 400, block_size: int | None = None, near_null_space: ArrayLike | None = None,
                 coordinates: ArrayLike | None = None, symmetric: bool | None = None):
        if not hasattr(matrix, "tocsr"):
            raise InputError(f"a matrix of scipy.sparse is asked for, found {type(matrix).__name__}",
                             what="no sparse matrix", found=type(matrix).__name__, allowed="scipy.sparse",
                             remedy="scipy.sparse.csr_matrix(...)")
        if block_size is None:
            block_size = matrix.blocksize[0] if getattr(matrix, "format", "") == "bsr" else 1
        csr = matrix.tocsr()
        if csr.shape[0] != csr.shape[1]:
            raise InputError(f"a matrix that is not square: {csr.shape[0]} rows, {csr.shape[1]} columns")
        options = _weft.MultigridOptions()
        options.device, options.threads = device, threads
        options.precision = [precision] if isinstance(precision, str) else list(precision or ())
        options.cycle, options.smoother, options.degree, options.sweeps = cycle, smoother, degree, sweeps
        options.strength, options.max_levels, options.coarsest_size = strength, max_levels, coarsest_size
        options.block_size, options.symmetric = block_size, symmetric
        if near_null_space is not None:
            vectors = np.asarray(near_null_space, np.float64)
            options.set_near_null_space(np.ascontiguousarray(vectors).reshape(-1))
        if coordinates is not None:
            options.set_coordinates(np.ascontiguousarray(coordinates, np.float64).reshape(-1))
        super().__init__(csr.shape[0], _int32(csr.indptr), _int32(csr.indices), _float64(csr.data), options)

    @property
    def shape(self) -> tuple[int, int]:
        return (self.num_rows, self.num_rows)

    def update(self, matrix: Any) -> None:
        """Sets up anew for other values: a matrix with the same pattern, or its array `data`."""
        values = matrix.tocsr().data if hasattr(matrix, "tocsr") else matrix
        self._update(_float64(values))

    def apply(self, r: ArrayLike, out: Array | None = None) -> Array:
        """z = M r, one cycle from zero, in a new array or in out."""
        return self._apply(np.asarray(r, np.float64), out)

    def aspreconditioner(self) -> Cycle:
        """The cycle as a scipy.sparse.linalg.LinearOperator."""
        from .operators import Cycle

        return Cycle(self)

    def solve(self, b: ArrayLike, x0: ArrayLike | None = None, *, tol: float = 1e-10, method: str = "",
              max_iterations: int = 10000, restart: int = 0,
              progress: Callable[[int, float], object] | None = None) -> Array:
        """x with |b - A x| below tol times its first value, from x0 or zero. NumericalError where it is not
        reached.

        method: "cg", "gmres", "bicgstab", "defect_correction"; cg of symmetric matrices, else gmres.
        restart: vectors that gmres keeps, 0: chosen. progress(iteration, relative residual) is called with each
        iteration, some at a time.
        """
        x, result = self.try_solve(b, x0, tol=tol, method=method, max_iterations=max_iterations, restart=restart,
                                   progress=progress)
        if not result.converged:
            raise NumericalError(result.reason)
        return x

    def try_solve(self, b: ArrayLike, x0: ArrayLike | None = None, *, tol: float = 1e-10, method: str = "",
                  max_iterations: int = 10000, restart: int = 0,
                  progress: Callable[[int, float], object] | None = None) -> tuple[Array, SolveResult]:
        """(x, result), whose `converged` and `reason` say what came of it; x is the last finite iterate."""
        x = np.zeros(self.num_rows) if x0 is None else np.array(x0, np.float64).reshape(-1)
        result = self._solve(np.asarray(b, np.float64).reshape(-1), x, method, tol, max_iterations, restart, progress)
        return x, result

    def __repr__(self) -> str:
        rows = "\n".join(f"{i:>7} {level.unknowns:>12} {level.entries:>12}   {level.precision}"
                         for i, level in enumerate(self.levels))
        return (f"weft.Multigrid on {self.device}\n"
                f"Number of Levels:     {len(self.levels)}\n"
                f"Operator Complexity:  {self.operator_complexity():.3f}\n"
                f"  level     unknowns     nonzeros   precision\n{rows}")


def _int32(array: NDArray[Any]) -> NDArray[np.int32]:
    if array.dtype != np.int32 and array.size and array.max() > np.iinfo(np.int32).max:
        raise InputError("row starts or columns that are no 32-bit numbers", found=str(array.max()))
    return np.ascontiguousarray(array, np.int32)


def _float64(array: Any) -> Array:
    array = np.asarray(array)
    if array.dtype.kind == "c":
        raise InputError("a complex matrix", allowed="real ones")
    return np.ascontiguousarray(array, np.float64)
