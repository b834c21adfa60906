"""Cases and meshes made in memory."""

import tomllib
import types
import unittest
from pathlib import Path

import numpy as np
import weft
from small_cases import SLAB, problem
from weft.toml_text import toml_text

ROOT = Path(__file__).resolve().parent.parent.parent


def unit_cell(name):
    """A cell with its nodes in meshio's order, and its volume."""
    triangle = [(0, 0), (1, 0), (0, 1)]
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    if name.startswith("triangle"):
        corners, edges, volume = triangle, [(0, 1), (1, 2), (2, 0)], 1 / 2
    elif name.startswith("quad"):
        corners, edges, volume = square, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 1, 2, 3)], 1
    elif name.startswith("tetra"):
        corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        edges, volume = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)], 1 / 6
    elif name.startswith("wedge"):
        # The first triangle of a wedge of order 2 is seen from outside, as VTK has both.
        corners = [(*p, z) for z in (0, 1) for p in (triangle if name == "wedge" else np.roll(triangle, 1, 1))]
        edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5),
                 (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)]  # fmt: skip
        volume = 1 / 2
    elif name == "pyramid":
        corners, edges, volume = [*((*p, 0) for p in square), (0.5, 0.5, 1)], [], 1 / 3
    else:
        corners = [(*p, z) for z in (0, 1) for p in square]
        edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7),
                 (0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7),
                 range(8)]  # fmt: skip
        volume = 1
    corners = np.array(corners, float)
    if not name[-1].isdigit():
        return corners, volume
    return np.concatenate([corners, [corners[list(edge)].mean(0) for edge in edges]]), volume


class Text(unittest.TestCase):
    def test_is_read_back_as_what_it_was(self):
        tables = {
            "title": 'quotes " and \\ and\nlines, µ',
            "physics": ["heat"],
            "mesh": {"box": {"size": [1, 2.5], "cells": [3, 4], "cell": "triangle"}},
            "parameters": {"k": np.float64(1e-7), "n": np.int32(3), "b": np.array([[1.0, 2], [3, 4]]), "on": True,
                           "of groups": {"left side": 1.5}, "text": "sin(x)"},
        }  # fmt: skip
        expected = {**tables, "parameters": {**tables["parameters"], "b": [[1, 2], [3, 4]]}}
        self.assertEqual(tomllib.loads(toml_text(tables)), expected)

    def test_refuses_what_is_no_value(self):
        with self.assertRaisesRegex(weft.InputError, r"parameters\.k: no value of a case: None"):
            weft.Case(parameters={"k": None})
        with self.assertRaisesRegex(weft.InputError, "key of a case that is no text"):
            weft.Case(parameters={1: 2})


class Cases(unittest.TestCase):
    def test_are_given_in_four_ways(self):
        text = weft.Case(SLAB).text
        for case in (SLAB, weft.Case(SLAB), weft.Case(**SLAB), weft.Case.from_text(text)):
            self.assertAlmostEqual(problem(case).solve()["T_max"], 1.5, places=9)
        with self.assertRaisesRegex(weft.InputError, r"Case\.from_text|no path") as caught:
            problem(text)
        self.assertIn("from_text", caught.exception.remedy)

    def test_files_are_found_from_their_directory(self):
        text = (ROOT / "cases" / "heat_sink" / "case.toml").read_text()
        with self.assertRaisesRegex(weft.InputError, "heat_sink.geo"):
            problem(weft.Case.from_text(text))
        p = problem(weft.Case.from_text(text, directory=ROOT / "cases" / "heat_sink"))
        self.assertAlmostEqual(p.solve()["Q_out"], 20, places=6)  # energy balance, expect.toml

    def test_errors_name_lines_of_the_text(self):
        case = weft.Case({**SLAB, "fields": {"T": {"element": "P99"}}})
        with self.assertRaises(weft.InputError) as caught:
            problem(case)
        line = int(caught.exception.where.split(":")[1])
        self.assertIn("P99", case.text.splitlines()[line - 1])


class Meshes(unittest.TestCase):
    SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
    HEATED = {**{name: SLAB[name] for name in ("fields", "parameters", "functionals")},
              "weak_form": {"cells": {"all": "k*inner(grad(T), grad(test(T)))"}, "facets": {"hot": "-q*test(T)"}},
              "dirichlet": {"cold": {"T": 0}}}  # fmt: skip

    def heated(self, mesh):
        return problem(weft.Case(self.HEATED, mesh=mesh)).solve()["T_max"]

    def test_groups_by_number_and_by_type(self):
        cells = {"triangle": [[0, 1, 2], [0, 2, 3]], "line": [[1, 2], [3, 0]]}
        for groups in ({"hot": [2], "cold": [3]}, {"hot": {"line": [0]}, "cold": {"line": [1]}}):
            self.assertAlmostEqual(self.heated(weft.Mesh(self.SQUARE, cells, groups)), 1.5, places=9)

    def test_cells_may_come_in_several_blocks(self):
        mesh = weft.Mesh(self.SQUARE, [("line", [[1, 2]]), ("triangle", [[0, 1, 2]]), ("triangle", [[0, 2, 3]]),
                                       ("line", [[3, 0]])], {"hot": {"line": [0]}, "cold": [3]})  # fmt: skip
        self.assertAlmostEqual(self.heated(mesh), 1.5, places=9)

    def test_of_meshio_by_its_sets_and_by_groups_of_gmsh(self):
        block = types.SimpleNamespace
        points = np.c_[self.SQUARE, np.zeros(4)]
        cells = [block(type="line", data=np.array([[1, 2], [3, 0]])),
                 block(type="triangle", data=np.array([[0, 1, 2], [0, 2, 3]]))]  # fmt: skip
        by_sets = types.SimpleNamespace(points=points, cells=cells, cell_data={}, field_data={}, cell_sets={
            "hot": [np.array([0]), np.array([], int)], "cold": [np.array([1]), None],
            "gmsh:bounding_entities": [np.array([7]), np.array([8])]})  # fmt: skip
        by_tags = types.SimpleNamespace(points=points, cells=cells, cell_sets={},
                                        cell_data={"gmsh:physical": [np.array([5, 6]), np.array([5, 5])]},
                                        field_data={"hot": np.array([5, 1]), "cold": np.array([6, 1])})
        for mesh in (by_sets, by_tags):
            made = weft.Mesh.from_meshio(mesh)
            self.assertEqual(made.points.shape, (4, 2))
            self.assertEqual(list(made.groups), ["hot", "cold"])
            self.assertAlmostEqual(self.heated(made), 1.5, places=9)

    def test_every_type_of_cell_lies_as_in_meshio(self):
        from weft.mesh import CELL_TYPES

        for name, (_, dimension) in CELL_TYPES.items():
            if dimension < 2:
                continue
            with self.subTest(name):
                points, volume = unit_cell(name)
                case = weft.Case({"mesh": {"order": 2 if name[-1].isdigit() else 1}}, fields={"u": {"element": "P1"}},
                                 mesh=weft.Mesh(points, {name: [range(len(points))]}),
                                 weak_form={"cells": {"all": "u*test(u) - test(u)"}},
                                 functionals={"volume": {"integral": "1.0"}, "first": {"integral": "x"}})
                p = problem(case)
                self.assertAlmostEqual(p.functional("volume"), volume, places=12)
                # Back again: each cell has the same points.
                mesh = p.mesh()
                self.assertEqual([of_type for of_type, _ in mesh.cells], [name])
                (_, nodes), = mesh.cells
                found = mesh.points[nodes[0]]
                np.testing.assert_allclose(sorted(map(tuple, found)), sorted(map(tuple, points)))
                again = weft.Case(tomllib.loads(case.text), mesh=weft.Mesh(mesh.points, mesh.cells))
                self.assertAlmostEqual(problem(again).functional("volume"), volume, places=12)

    def test_wedges_that_meshio_leaves_in_the_order_of_gmsh(self):
        points, _ = unit_cell("wedge18")
        of_gmsh = [0, 1, 2, 3, 4, 5, 6, 8, 12, 7, 13, 14, 9, 11, 10, 15, 17, 16]
        for order, refused in ((range(18), False), (of_gmsh, True)):
            block = types.SimpleNamespace(type="wedge18", data=np.array([order]))
            mesh = types.SimpleNamespace(points=points, cells=[block])
            if refused:
                with self.assertRaisesRegex(weft.UnsupportedError, "Gmsh's order"):
                    weft.Mesh.from_meshio(mesh)
            else:
                self.assertEqual(len(weft.Mesh.from_meshio(mesh).points), 18)

    def test_refusals(self):
        for message, arguments in {
            "unknown type of cells": (self.SQUARE, {"polygon": [[0, 1, 2]]}),
            "whole numbers": (self.SQUARE, {"triangle": [[0.0, 1, 2]]}),
            r"points are \[point, dimension\]": ([0, 1], {"triangle": [[0, 1, 2]]}),
            "no cells of type line": (self.SQUARE, {"triangle": [[0, 1, 2]]}, {"hot": {"line": [0]}}),
        }.items():
            with self.assertRaisesRegex(weft.InputError, message):
                weft.Mesh(*arguments)
        with self.assertRaisesRegex(weft.InputError, "point 7"):
            self.heated(weft.Mesh(self.SQUARE, {"triangle": [[0, 1, 7]]}))


if __name__ == "__main__":
    unittest.main()
