"""Problem.grid(), with a stand-in for PyVista that takes what its UnstructuredGrid takes."""

import os
import subprocess
import sys
import types
import unittest

import numpy as np
from small_cases import CUBIC, ELASTIC, SLAB, problem


class UnstructuredGrid:
    """pyvista.UnstructuredGrid(cells, types, points): cells are [size, nodes..., size, nodes..., ...]."""

    def __init__(self, cells, cell_types, points):
        self.cells, begin = [], 0
        for cell_type in cell_types:
            end = begin + 1 + cells[begin]
            self.cells.append((int(cell_type), cells[begin + 1 : end]))
            begin = end
        assert begin == len(cells) and points.shape[1] == 3
        self.points = points
        self.point_data, self.cell_data = {}, {}


def area(grid):
    """Of triangles."""
    total = 0
    for cell_type, nodes in grid.cells:
        assert cell_type == 5
        a, b, c = grid.points[nodes]
        total += np.linalg.norm(np.cross(b - a, c - a)) / 2
    return total


class Grid(unittest.TestCase):
    def setUp(self):
        sys.modules["pyvista"] = types.SimpleNamespace(UnstructuredGrid=UnstructuredGrid)

    def tearDown(self):
        del sys.modules["pyvista"]
        sys.modules.pop("weft.grid", None)

    def test_a_field_of_the_points_is_a_view(self):
        p = problem(SLAB)
        grid = p.grid()
        self.assertAlmostEqual(area(grid), 0.5, places=12)
        self.assertEqual(grid.point_data["T"].ctypes.data, p.state.ctypes.data)
        p.solve()
        np.testing.assert_allclose(grid.point_data["T"], 1.5 * grid.points[:, 0], atol=1e-9)

    def test_other_orders_are_evaluated_at_the_points(self):
        p = problem(CUBIC)
        at = p.nodes("u")
        p.state = at[:, 0] ** 2 - at[:, 1]
        grid = p.grid()
        self.assertEqual(len(grid.points), 5 * 6)
        np.testing.assert_allclose(grid.point_data["u"], grid.points[:, 0] ** 2 - grid.points[:, 1], atol=1e-12)

    def test_vectors_have_three_components(self):
        p = problem(ELASTIC)
        p["u"] = p.nodes("u")
        np.testing.assert_allclose(p.grid().point_data["u"], p.grid().points, atol=1e-14)

    def test_constants_of_cells_are_their_data(self):
        p = problem({
            "mesh": {"box": {"size": [1, 1], "cells": [3, 3], "cell": "triangle", "periodic": ["x", "y"]}},
            "fields": {"c": {"element": "FV"}},
            "conservation_law": {"flux": {"c": "[c, 0]"}, "numerical_flux": "upwind"},
            "initial": {"c": "x"},
            "time": {"scheme": "rk4", "end": 0.1},
        })  # fmt: skip
        grid = p.grid()
        middles = [grid.points[nodes][:, 0].mean() for _, nodes in grid.cells]
        np.testing.assert_allclose(grid.cell_data["c"], middles, atol=1e-12)


class WithoutPyVista(unittest.TestCase):
    def test_says_what_is_missing(self):
        program = "import sys; sys.modules['pyvista'] = None\n" \
                  "from small_cases import *\nproblem(SLAB).grid()"  # fmt: skip
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
        self.assertIn("ImportError: Problem.grid() needs PyVista: pip install", done.stderr)

    def test_neither_it_nor_scipy_is_needed_before(self):
        program = "import sys; sys.modules['pyvista'] = sys.modules['scipy'] = None\n" \
                  "from small_cases import *\np = problem(SLAB)\nprint(p.solve()['T_max'])\np.jacobian()"  # fmt: skip
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
        self.assertAlmostEqual(float(done.stdout), 1.5, places=9)
        self.assertIn("ImportError: operators and Multigrid need SciPy: pip install", done.stderr)


if __name__ == "__main__":
    unittest.main()
