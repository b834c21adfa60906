"""Reads a VTU file with VTK and checks it against the functions its fields stand for.

Fields, by name (s = x + 2 y - z):
  power      s**degree at continuous nodes, exact inside affine cells of that order
  linear     s
  jump       s + the number of the cell: discontinuous data
  vector     (x, y, z);  matrix  (i + 1) * (j + 1) * s in row i and column j
  cell_value the number of the cell, as cell data
The geometry is checked too: where VTK places a cell's parametric points. Exit code 1 and the first
differences where something is wrong.
"""

import argparse
import itertools
import math
import sys

from vtkmodules.vtkCommonCore import reference
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

LATTICE = [0.0, 0.3, 0.5, 1.0]
# Vertices that span an affine cell from vertex 0, by the number of its vertices and its dimension.
SPANS = {(3, 2): (1, 2), (4, 2): (1, 3), (4, 3): (1, 2, 3), (6, 3): (1, 2, 3), (8, 3): (1, 3, 4)}
VERTICES = {5: 3, 22: 3, 69: 3, 9: 4, 28: 4, 70: 4, 10: 4, 24: 4, 71: 4, 12: 8, 29: 8, 72: 8,
            13: 6, 32: 6, 73: 6, 14: 5, 27: 5}
PRISM, PYRAMID, TETRAHEDRON, TRIANGLE = 6, 5, 4, 3


def inside(vertices, dim, p):
    """Whether parametric point p lies in the cell."""
    if vertices == TRIANGLE or vertices == PRISM:
        return p[0] + p[1] <= 1
    if vertices == TETRAHEDRON and dim == 3:
        return sum(p) <= 1
    if vertices == PYRAMID:
        # VTK's pyramid has a square at every height. That of 13 nodes has none in the middle of its
        # base, so that only on its edges it is what our element is.
        on_side = [q in (0, 1) for q in p[:2]]
        return any(on_side) if p[2] == 0 else all(on_side)
    return True


def parametric_points(vertices, dim):
    for p in itertools.product(LATTICE, LATTICE, LATTICE if dim == 3 else [0.0]):
        if inside(vertices, dim, p):
            yield p


def affine_place(p, corners, dim):
    """Where p lies in a cell whose opposite sides are parallel."""
    if len(corners) == PYRAMID:
        r, s, t = p
        shape = [(1 - t) * (1 - r - s), (1 - t) * r, (1 - t) * s, t]
        return weighted_sum(shape, [corners[v] for v in (0, 1, 3, 4)])
    span = SPANS[len(corners), dim]
    shape = [1 - sum(p[:dim]), *p[:dim]]
    return weighted_sum(shape, [corners[v] for v in (0, *span)])


def tuples(array):
    return [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


def weighted_sum(weights, values):
    return [sum(w * v[k] for w, v in zip(weights, values)) for k in range(len(values[0]))]


def close(found, expected):
    return math.isclose(found, expected, rel_tol=1e-11, abs_tol=1e-11)


class Checker:
    def __init__(self, grid, args):
        self.grid = grid
        self.args = args
        self.points = tuples(grid.GetPoints().GetData())
        self.fields = {}
        for data in (grid.GetPointData(), grid.GetCellData()):
            for i in range(data.GetNumberOfArrays()):
                self.fields[data.GetArrayName(i)] = tuples(data.GetArray(i))
        self.differences = []

    def expect(self, found, expected, what):
        """Compares numbers or equally long lists of them."""
        lists = [x if isinstance(x, (list, tuple)) else [x] for x in (found, expected)]
        if len(lists[0]) != len(lists[1]) or not all(map(close, *lists)):
            self.differences.append(f"{what}: found {found}, expected {expected}")

    def expected(self, name, x, cell):
        s = x[0] + 2 * x[1] - x[2]
        dim = self.args.dim
        if name == "power":
            return [s**self.args.degree]
        if name == "vector":
            return list(x)
        if name == "matrix":
            return [(i + 1) * (j + 1) * s if i < dim and j < dim else 0
                    for i in range(3) for j in range(3)]
        return [s + cell if name == "jump" else s]

    def check_cell(self, number):
        cell = self.grid.GetCell(number)
        ids = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
        vertices = VERTICES[self.grid.GetCellType(number)]
        corners = [self.points[i] for i in ids[:vertices]]
        for p in parametric_points(vertices, self.args.dim):
            x, weights = [0.0] * 3, [0.0] * len(ids)
            cell.EvaluateLocation(reference(0), p, x, weights)
            what = f"cell {number} (type {self.grid.GetCellType(number)}) at {p}"
            if self.args.affine:
                self.expect(x, affine_place(p, corners, self.args.dim), what + ": place")
            self.check_fields(number, ids, x, weights, what)
        self.check_nodes(number, ids)
        if "cell_value" in self.fields:
            self.expect(self.fields["cell_value"][number], [number], f"cell_value {number}")

    def check_fields(self, number, ids, x, weights, what):
        for name in ("power", "linear", "jump", "vector", "matrix"):
            if name in self.fields and (name != "power" or self.args.exact):
                found = weighted_sum(weights, [self.fields[name][i] for i in ids])
                self.expect(found, self.expected(name, x, number), f"{what}: {name}")

    def check_nodes(self, number, ids):
        if "power" not in self.fields:
            return
        for i in ids:
            expected = self.expected("power", self.points[i], number)
            self.expect(self.fields["power"][i], expected, f"power at point {i}")

    def measure(self):
        """Length, area or volume by VTK, of linear cells."""
        sizes = vtkCellSizeFilter()
        sizes.SetInputData(self.grid)
        sizes.Update()
        name = "Volume" if self.args.dim == 3 else "Area"
        return [size for (size,) in tuples(sizes.GetOutput().GetCellData().GetArray(name))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--cells", type=int, required=True)
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--degree", type=int, default=1)
    parser.add_argument("--affine", action="store_true", help="parametric points map affinely")
    parser.add_argument("--exact", action="store_true", help="power is exact inside cells")
    parser.add_argument("--measure", type=float, help="sum of the sizes of linear cells")
    args = parser.parse_args()

    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(args.file)
    reader.Update()
    checker = Checker(reader.GetOutput(), args)
    checker.expect(checker.grid.GetNumberOfCells(), args.cells, "cells")
    checker.expect(checker.grid.GetNumberOfPoints(), args.points, "points")
    checker.expect(len(checker.fields["region"]), args.cells, "values of region")
    for number in range(checker.grid.GetNumberOfCells()):
        checker.check_cell(number)
    if args.measure is not None:
        sizes = checker.measure()
        checker.expect(sum(sizes), args.measure, "measure")
        checker.expect(min(sizes) > 0, True, "positive measures")
    for difference in checker.differences[:10]:
        print(difference)
    sys.exit(1 if checker.differences else 0)


if __name__ == "__main__":
    main()
