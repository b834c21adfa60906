"""Errors by kind, with their parts."""

import tempfile
import unittest
from pathlib import Path

import numpy as np
import weft
from small_cases import CUBIC, SLAB, changed, problem

# A conservation law above order 0, whose Jacobian has no assembled matrix.
ADVECTION = {
    "mesh": {"box": {"size": [1, 1], "cells": [3, 3], "cell": "triangle", "periodic": ["x", "y"]}},
    "fields": {"c": {"element": "DG2"}},
    "conservation_law": {"flux": {"c": "[c, 0]"}, "numerical_flux": "upwind"},
    "time": {"scheme": "rk4", "end": 0.1},
}


class Kinds(unittest.TestCase):
    def test_all_are_of_one_family(self):
        for kind in (weft.InputError, weft.UnsupportedError, weft.DeviceError, weft.NumericalError, weft.InternalError):
            self.assertTrue(issubclass(kind, weft.Error) and kind.__doc__)
        self.assertTrue(issubclass(weft.Error, RuntimeError))

    def test_wrong_input(self):
        with self.assertRaises(weft.InputError) as caught:
            problem(SLAB, overrides=["fields.T.element=P99"])
        error = caught.exception
        for part in (error.what, error.found, error.allowed):
            self.assertTrue(part)
            self.assertIn(part, str(error))
        with self.assertRaises(weft.InputError):
            problem("no/such/case.toml")

    def test_what_is_not_done(self):
        p = problem(ADVECTION)
        with self.assertRaisesRegex(weft.UnsupportedError, "above order 0"):
            p.jacobian().csr()

    def test_what_the_numbers_refuse(self):
        p = problem(changed(CUBIC, "solver", newton={"max_iterations": 1}))
        with self.assertRaises(weft.NumericalError):
            p.solve()

    def test_what_the_system_refuses(self):
        p = problem(SLAB)
        p.solve()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "file"
            file.write_text("")
            with self.assertRaises(weft.DeviceError) as caught:
                p.write(file / "below")
            self.assertIn(str(file), caught.exception.where)

    def test_a_problem_is_whole_after_an_error(self):
        p = problem(SLAB)
        before = p.solve()["T_max"]
        with self.assertRaises(weft.InputError):
            p.solve(k=np.nan)
        with self.assertRaises(weft.InputError):
            p.parameters.update(q=7, none=1)
        self.assertEqual(p.parameters["q"], 3)
        self.assertAlmostEqual(p.solve()["T_max"], before, places=12)


if __name__ == "__main__":
    unittest.main()
