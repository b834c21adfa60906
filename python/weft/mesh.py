"""Meshes in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _weft
from .errors import InputError

# VTK's numbers and dimensions of meshio's cell types, those that Weft has.
CELL_TYPES = {
    "vertex": (1, 0),
    "line": (3, 1), "triangle": (5, 2), "quad": (9, 2),
    "tetra": (10, 3), "hexahedron": (12, 3), "wedge": (13, 3), "pyramid": (14, 3),
    "line3": (21, 1), "triangle6": (22, 2), "quad9": (28, 2),
    "tetra10": (24, 3), "hexahedron27": (29, 3), "wedge18": (32, 3),
}  # fmt: skip
_NAMES = {number: name for name, (number, _) in CELL_TYPES.items()}

# Where meshio's nodes of a cell are in VTK's order, and the other way round: VTK sees the first triangle of
# a wedge from outside, meshio from inside. All others are the same.
_WEDGES = {
    "wedge": [0, 2, 1, 3, 5, 4],
    "wedge18": [0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13, 17, 16, 15],
}


def _in_order_of_vtk(name: str, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    order = _WEDGES.get(name)
    return nodes if order is None else nodes[:, order]


class Mesh:
    """Points, cells by type, and groups of cells by name.

    points: [point, dimension], 2 or 3 coordinates each.
    cells: arrays [cell, node] by meshio's name of their type ("triangle", "tetra10"), as a mapping or as
    (name, array) pairs; nodes are numbers of points from 0, in meshio's order. Cells of the highest
    dimension are the mesh; others (lines of triangles, say) are facets, there to be named by groups.
    groups: names that a case uses ("hot", "chip"), with the numbers of their cells, counted from 0 over all
    blocks of cells in the order in which they are given; or by the name of their type, counted within it:
    {"hot": {"line": [0, 1]}}. All cells of a group have one dimension.
    """

    points: NDArray[np.float64]
    cells: list[tuple[str, NDArray[np.int64]]]
    groups: dict[str, NDArray[np.int64]]

    def __init__(self, points: ArrayLike, cells: Mapping[str, ArrayLike] | Iterable[tuple[str, ArrayLike]],
                 groups: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None):
        self.points = np.ascontiguousarray(points, np.float64)
        if self.points.ndim != 2:
            raise InputError(f"points are [point, dimension], found an array of shape {self.points.shape}")
        blocks = cells.items() if isinstance(cells, Mapping) else cells
        self.cells = [(name, self._nodes(name, nodes)) for name, nodes in blocks]
        self.groups = {name: self._numbers(name, numbers) for name, numbers in (groups or {}).items()}

    @staticmethod
    def _nodes(name: str, nodes: ArrayLike) -> NDArray[np.int64]:
        if name not in CELL_TYPES:
            raise InputError(f'unknown type of cells "{name}"; allowed: {", ".join(CELL_TYPES)}',
                             what="unknown type of cells", found=name, allowed=", ".join(CELL_TYPES))
        array = np.asarray(nodes)
        if array.ndim != 2 or array.dtype.kind not in "iu":
            raise InputError(f"cells of type {name} are whole numbers [cell, node], found an array of shape "
                             f"{array.shape} and type {array.dtype}")
        return np.ascontiguousarray(array, np.int64)

    def _numbers(self, name: str, numbers: ArrayLike | Mapping[str, ArrayLike]) -> NDArray[np.int64]:
        if not isinstance(numbers, Mapping):
            array = np.asarray(numbers)
            if array.size and array.dtype.kind not in "iu":
                raise InputError(f'group "{name}": numbers of cells are whole, found {array.dtype}')
            return np.ascontiguousarray(array.ravel(), np.int64)
        found, first = [], 0
        unknown = set(numbers) - {of_type for of_type, _ in self.cells}
        if unknown:
            raise InputError(f'group "{name}": the mesh has no cells of type {", ".join(sorted(unknown))}')
        for of_type, nodes in self.cells:
            if of_type in numbers:
                found.append(first + self._numbers(name, numbers[of_type]))
            first += len(nodes)
        return np.concatenate(found) if found else np.empty(0, np.int64)

    @classmethod
    def from_meshio(cls, mesh: Any) -> Mesh:
        """Of a meshio.Mesh, with its cell sets, and the physical groups of Gmsh, as groups.

        Points lose a third coordinate that is zero everywhere where no cell has three dimensions.
        """
        blocks = [(block.type, np.asarray(block.data)) for block in mesh.cells]
        points = np.asarray(mesh.points, np.float64)
        is_flat = all(CELL_TYPES.get(name, (0, 3))[1] < 3 for name, _ in blocks)
        if is_flat and points.shape[1] == 3 and not points[:, 2].any():
            points = points[:, :2]
        first = np.concatenate([[0], np.cumsum([len(nodes) for _, nodes in blocks])]).astype(np.int64)
        groups = {}
        for name, sets in (getattr(mesh, "cell_sets", None) or {}).items():
            if ":" not in name:  # "gmsh:bounding_entities" are no groups
                parts = [first[b] + np.asarray(part, np.int64) for b, part in enumerate(sets) if part is not None]
                groups[name] = np.concatenate(parts) if parts else np.empty(0, np.int64)
        tags = (getattr(mesh, "cell_data", None) or {}).get("gmsh:physical", [])
        for name, (tag, dimension) in (getattr(mesh, "field_data", None) or {}).items():
            parts = [first[b] + np.flatnonzero(np.asarray(of_block) == tag) for b, of_block in enumerate(tags)
                     if CELL_TYPES.get(blocks[b][0], (0, -1))[1] == dimension]
            if name not in groups and parts:
                groups[name] = np.concatenate(parts)
        return cls(points, blocks, groups)

    def to_meshio(self) -> Any:
        """As a meshio.Mesh, which needs meshio."""
        import meshio

        sets = {}
        for name, numbers in self.groups.items():
            first, sets[name] = 0, []
            for _, nodes in self.cells:
                inside = numbers[(numbers >= first) & (numbers < first + len(nodes))]
                sets[name].append(inside - first)
                first += len(nodes)
        return meshio.Mesh(self.points, self.cells, cell_sets=sets)

    def _arrays(self) -> _weft.MeshArrays:
        arrays = _weft.MeshArrays(self.points)
        for name, nodes in self.cells:
            arrays.add_cells(CELL_TYPES[name][0], np.ascontiguousarray(_in_order_of_vtk(name, nodes)))
        for name, numbers in self.groups.items():
            arrays.add_group(name, numbers)
        return arrays

    @classmethod
    def _of_vtk(cls, points: NDArray[np.float64], cells: list[tuple[int, NDArray[np.int64]]]) -> Mesh:
        names = [(_NAMES[number], nodes) for number, nodes in cells]
        return cls(points, [(name, _in_order_of_vtk(name, nodes)) for name, nodes in names])

    def __repr__(self) -> str:
        cells = ", ".join(f"{len(nodes)} {name}" for name, nodes in self.cells)
        return f"Mesh({len(self.points)} points, {cells}; groups: {', '.join(self.groups) or 'none'})"
