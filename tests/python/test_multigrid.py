"""Multigrid for matrices of scipy.sparse."""

import gc
import unittest

import numpy as np
import scipy.sparse as sparse
import weft
from scipy.sparse.linalg import cg, spsolve
from small_cases import ELASTIC, changed, problem


def poisson(n):
    """The five-point Laplacian of n*n unknowns."""
    line = sparse.diags([-1.0, 2, -1], [-1, 0, 1], shape=(n, n))
    return sparse.csr_matrix(sparse.kronsum(line, line))


class Solves(unittest.TestCase):
    def setUp(self):
        self.A = poisson(60)
        self.b = np.sin(np.arange(self.A.shape[0]))
        self.x = spsolve(self.A.tocsc(), self.b)

    def test_solve(self):
        M = weft.Multigrid(self.A, threads=1)
        self.assertTrue(M.symmetric)
        self.assertEqual(M.shape, self.A.shape)
        residuals = []
        x, result = M.try_solve(self.b, tol=1e-12, progress=lambda number, residual: residuals.append(residual))
        np.testing.assert_allclose(x, self.x, atol=1e-8)
        self.assertTrue(result.converged)
        self.assertEqual(len(residuals), result.iterations)
        self.assertLess(result.iterations, 30)
        np.testing.assert_array_equal(M.solve(self.b, tol=1e-12), x)
        # From the solution there is nothing to do.
        again, result = M.try_solve(self.b, x, tol=1)
        self.assertLessEqual(result.iterations, 1)
        with self.assertRaises(weft.NumericalError):
            M.solve(self.b, max_iterations=1)

    def test_sees_arrays_where_they_lie_and_keeps_them(self):
        A = self.A.copy()
        M = weft.Multigrid(A, threads=1, precision="f64")
        self.assertFalse(M.copies_arrays)
        before = M.solve(self.b)
        A.data *= 2  # where they lie
        M.update(A.data)
        np.testing.assert_allclose(M.solve(self.b), before / 2, atol=1e-9)
        del A
        gc.collect()
        np.testing.assert_allclose(M.solve(self.b), before / 2, atol=1e-9)
        M.update(self.A)
        np.testing.assert_allclose(M.solve(self.b), before, atol=1e-9)

    def test_converts_other_types_and_formats(self):
        for A in (self.A.tocoo(), self.A.astype(np.float32), sparse.csr_array(self.A)):
            np.testing.assert_allclose(weft.Multigrid(A, threads=1).solve(self.b, tol=1e-12), self.x, atol=1e-8)

    def test_preconditioner_of_scipy(self):
        M = weft.Multigrid(self.A, threads=1).aspreconditioner()
        iterates = []
        x, info = cg(self.A, self.b, M=M, rtol=1e-10, callback=iterates.append)
        self.assertEqual(info, 0)
        self.assertLess(len(iterates), 30)
        np.testing.assert_allclose(x, self.x, atol=1e-6)
        r = np.cos(np.arange(len(self.b)))
        np.testing.assert_array_equal(M.T @ r, M @ r)

    def test_levels_are_printed(self):
        M = weft.Multigrid(self.A, threads=1, precision=["f32", "f16"], coarsest_size=50)
        self.assertEqual([level.precision for level in M.levels[:2]], ["f32", "f16"])
        lines = repr(M).splitlines()
        self.assertEqual(lines[1].split()[-1], str(len(M.levels)))
        self.assertEqual(lines[4].split(), ["0", "3600", str(self.A.nnz), "f32"])
        self.assertEqual(len(lines), 4 + len(M.levels))
        self.assertGreater(M.operator_complexity(), 1)

    def test_refusals(self):
        for message, call in {
            "a matrix of scipy.sparse is asked for": lambda: weft.Multigrid(np.eye(3)),
            "not square": lambda: weft.Multigrid(self.A[:5]),
            "complex": lambda: weft.Multigrid(self.A * 1j),
            "not positive|positive": lambda: weft.Multigrid(-self.A, threads=1),
            "V, W, K|cycle": lambda: weft.Multigrid(self.A, cycle="Z", threads=1),
            "array of the wrong size": lambda: weft.Multigrid(self.A, threads=1).solve([1.0]),
        }.items():
            with self.subTest(message), self.assertRaisesRegex(weft.InputError, message):
                call()


class Elasticity(unittest.TestCase):
    def test_near_null_space_in_four_ways(self):
        p = problem(changed(ELASTIC, "mesh", box={"size": [1, 1], "cells": [40, 40], "cell": "quadrilateral"}))
        A, b = p.jacobian().csr(), np.sin(np.arange(p.num_dofs))
        b[p.constrained_dofs()] = 0
        x = spsolve(A.tocsc(), b)
        B = p.near_null_space().T
        blocks = sparse.bsr_matrix(A, blocksize=(2, 2))
        counts = {}
        for name, M in {
            "constants": weft.Multigrid(A, block_size=2, threads=1),
            "coordinates": weft.Multigrid(A, block_size=2, coordinates=p.nodes("u"), threads=1),
            "vectors": weft.Multigrid(A, block_size=2, near_null_space=B, threads=1),
            "blocks": weft.Multigrid(blocks, coordinates=p.nodes("u"), threads=1),
        }.items():
            found, result = M.try_solve(b, tol=1e-10)
            self.assertTrue(result.converged, name)
            np.testing.assert_allclose(found, x, atol=1e-6 * np.abs(x).max())
            counts[name] = result.iterations
        self.assertLess(counts["coordinates"], counts["constants"])
        self.assertEqual(counts["coordinates"], counts["blocks"])
        self.assertLess(abs(counts["coordinates"] - counts["vectors"]), 4)


if __name__ == "__main__":
    unittest.main()
