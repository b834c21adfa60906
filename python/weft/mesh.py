"""Meshes in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _weft
from .errors import InputError, UnsupportedError

# VTK's numbers and dimensions of meshio's cell types, those that Weft has.
CELL_TYPES = {
    "vertex": (1, 0),
    "line": (3, 1), "triangle": (5, 2), "quad": (9, 2),
    "tetra": (10, 3), "hexahedron": (12, 3), "wedge": (13, 3), "pyramid": (14, 3),
    "line3": (21, 1), "triangle6": (22, 2), "quad9": (28, 2),
    "tetra10": (24, 3), "hexahedron27": (29, 3), "wedge18": (32, 3),
}  # fmt: skip
_NAMES = {number: name for name, (number, _) in CELL_TYPES.items()}



def _in_order_of_vtk(name: str, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of meshio's, or the other way round: meshio has all cells as VTK but the linear wedge, whose first triangle
    VTK sees from outside."""
    return nodes[:, [0, 2, 1, 3, 5, 4]] if name == "wedge" else nodes


def _check_wedges(points: NDArray[np.float64], nodes: NDArray[Any]) -> None:
    """meshio 5.3 leaves the nodes of wedge18 of Gmsh's files in Gmsh's order: the tenth lies on another edge."""
    def far(a: int, b: int) -> Any:
        return np.linalg.norm(points[nodes[:, 9]] - (points[nodes[:, a]] + points[nodes[:, b]]) / 2, axis=1)

    if (far(1, 2) < far(3, 4)).any():
        raise UnsupportedError("cells of type wedge18 in Gmsh's order of nodes, from meshio",
                               what="cells of type wedge18 in Gmsh's order of nodes, from meshio",
                               allowed="VTK's order", remedy="give Weft the file itself: [mesh] file")


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

        Of two groups of one name, of cells and of facets, meshio keeps one.
        Points lose a third coordinate that is zero everywhere where no cell has three dimensions.
        """
        blocks = [(block.type, np.asarray(block.data)) for block in mesh.cells]
        points = np.asarray(mesh.points, np.float64)
        is_flat = all(CELL_TYPES.get(name, (0, 3))[1] < 3 for name, _ in blocks)
        if is_flat and points.shape[1] == 3 and not points[:, 2].any():
            points = points[:, :2]
        for name, nodes in blocks:
            if name == "wedge18":
                _check_wedges(points, nodes)
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
        counts: dict[str, int] = {}
        for name, nodes in self.cells:
            counts[name] = counts.get(name, 0) + len(nodes)
        cells = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"Mesh({len(self.points)} points, {cells}; groups: {', '.join(self.groups) or 'none'})"
