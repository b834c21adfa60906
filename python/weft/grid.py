"""Problems as PyVista's grids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

try:
    import pyvista
except ImportError as error:
    raise ImportError("Problem.grid() needs PyVista: pip install 'weft[plot]', or pyvista") from error

if TYPE_CHECKING:
    from .problem import Problem


def _in_three_dimensions(vectors):
    """[entry, 3] with zeros behind what is there."""
    return vectors if vectors.shape[1] == 3 else np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1])))


def grid_of(problem: Problem) -> pyvista.UnstructuredGrid:
    """Fields whose nodes are the points are views of the state, so that the grid follows the next solve; other
    orders are evaluated at the points, and vectors of two components and their points get a third: these are copies.
    Constants of cells (FV, DG0) are data of cells."""
    points, cells = problem._mesh()
    with_sizes = [np.column_stack([np.full(len(nodes), nodes.shape[1]), nodes]).ravel() for _, nodes in cells]
    types = np.concatenate([np.full(len(nodes), vtk_type, np.uint8) for vtk_type, nodes in cells])
    grid = pyvista.UnstructuredGrid(np.concatenate(with_sizes), types, _in_three_dimensions(points))
    for name, field in problem.fields.items():
        values, data = problem[name], grid.point_data
        if field.element in ("FV", "DG0"):
            data = grid.cell_data
        elif not np.array_equal(problem.nodes(name), points):
            values = problem.values_at_mesh_points(name)
        data[name] = _in_three_dimensions(values) if values.ndim == 2 and values.shape[1] == 2 else values
    return grid
