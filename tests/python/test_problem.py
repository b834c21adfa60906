"""Problem: its state, parameters, solves, results and equations."""

import gc
import json
import tempfile
import unittest
import weakref
from pathlib import Path

import numpy as np
import weft
from scipy.optimize import newton_krylov
from scipy.sparse.linalg import cg, gmres
from small_cases import CUBIC, DECAY, ELASTIC, SLAB, changed, problem
from weft.sweep import _solve


class State(unittest.TestCase):
    def test_is_a_view_that_follows_solves_and_writes_to_nothing(self):
        p = problem(SLAB)
        u = p.state
        self.assertFalse(u.flags.writeable or u.flags.owndata)
        self.assertEqual(u.dtype, np.float64)
        p.solve()
        self.assertEqual(u.ctypes.data, p.state.ctypes.data)
        np.testing.assert_allclose(u, 1.5 * p.nodes("T")[:, 0], rtol=1e-9)  # q/k x

    def test_keeps_its_problem(self):
        p = problem(SLAB)
        p.solve()
        u, field, alive = p.state, p["T"], weakref.ref(p)
        expected = u.copy()
        del p
        gc.collect()
        self.assertIsNotNone(alive())
        np.testing.assert_array_equal(u, expected)
        del u
        gc.collect()
        np.testing.assert_array_equal(field, expected)
        del field
        gc.collect()
        self.assertIsNone(alive())

    def test_is_set_as_a_whole_and_by_field(self):
        p = problem(ELASTIC)
        p.state = np.arange(p.num_dofs)
        np.testing.assert_array_equal(p.state, np.arange(p.num_dofs))
        p["u"] = [1, -2]
        np.testing.assert_array_equal(p["u"], np.tile([1.0, -2.0], (25, 1)))
        self.assertEqual(p["u"].ctypes.data, p.state.ctypes.data)
        with self.assertRaisesRegex(weft.InputError, "array of the wrong size"):
            p.state = np.zeros(3)
        with self.assertRaises(ValueError):
            p["u"] = np.zeros((3, 2))
        p.reset()
        self.assertFalse(p.state.any())

    def test_fields_say_where_their_dofs_lie(self):
        p = problem(ELASTIC)
        field = p.fields["u"]
        self.assertEqual(
            (field.element, field.components, field.is_vector, field.num_nodes, field.offset), ("P1", 2, True, 25, 0)
        )
        self.assertEqual(p.nodes("u").shape, (25, 2))
        with self.assertRaisesRegex(weft.InputError, "unknown field"):
            p["T"]


class Parameters(unittest.TestCase):
    def test_are_a_mapping(self):
        p = problem(SLAB)
        self.assertEqual(list(p.parameters), ["k", "q", "b"])
        self.assertEqual(p.parameters["k"], 2)
        np.testing.assert_array_equal(p.parameters["b"], [1, 0])
        p.parameters.update(k=4, b=np.array([0, 1]))
        p.parameters["q"] = 1
        self.assertEqual(p.parameters["k"], 4)
        np.testing.assert_array_equal(p.parameters["b"], [0, 1])
        self.assertEqual(p.parameters.get("none", 7), 7)
        self.assertIn("'k': 4.0", repr(p.parameters))
        with self.assertRaisesRegex(weft.InputError, "a value of what is no parameter"):
            p.parameters["none"] = 1
        self.assertAlmostEqual(p.solve()["T_max"], 1 / 4, places=9)

    def test_are_set_by_solves_and_at_the_start(self):
        p = problem(SLAB, parameters={"k": 10})
        self.assertAlmostEqual(p.solve(q=5)["T_max"], 5 / 10, places=9)
        self.assertAlmostEqual(p.solve({"k": 1}, q=2)["T_max"], 2, places=9)

    def test_of_groups_and_of_places(self):
        p = problem(changed(SLAB, "parameters", k={"box": 3.0}, q="y"))
        self.assertEqual(p.parameters["k.box"], 3)
        p.parameters["k.box"] = 6
        self.assertEqual(p.parameters["k.box"], 6)
        self.assertIn("'q': ...", repr(p.parameters))


class Solving(unittest.TestCase):
    def test_a_solution_says_what_came_of_it(self):
        p = problem(SLAB)
        solution = p.solve()
        self.assertTrue(solution.converged)
        self.assertIn("converged", solution.reason)
        self.assertEqual(solution.newton_steps, 1)
        self.assertGreater(solution.seconds, 0)
        np.testing.assert_allclose(solution["flux"], [3, 0], atol=1e-9)
        self.assertEqual(set(solution.functionals()), {"T_max", "flux"})
        self.assertIn("converged=True", repr(solution))

    def test_a_functional_of_a_solve_that_is_over_is_refused(self):
        p = problem(SLAB)
        first = p.solve()
        kept = first["T_max"]
        p.solve(q=6)
        self.assertEqual(first["T_max"], kept)
        with self.assertRaisesRegex(weft.InputError, "flux of a solve that is over"):
            first["flux"]

    def test_what_does_not_converge(self):
        p = problem(changed(CUBIC, "solver", newton={"max_iterations": 1}))
        with self.assertRaises(weft.NumericalError):
            p.solve()
        self.assertFalse(p.try_solve().converged)

    def test_steps_are_those_of_the_trapezoidal_rule(self):
        p = problem(DECAY)
        factor = (1 - 0.0625) / (1 + 0.0625)
        numbers = []
        for step in p.steps():
            numbers.append(step.number)
            self.assertAlmostEqual(step.time, 0.125 * step.number, places=12)
            self.assertAlmostEqual(p.functional("mean"), factor**step.number, places=9)
        self.assertEqual(numbers, list(range(1, 9)))
        self.assertTrue(step.finished)
        p.reset()
        self.assertEqual([step.number for step in p.steps(until=0.3)], [1, 2, 3])

    def test_explicit_terms_are_of_steps_alone(self):
        p = problem(changed(DECAY, "weak_form", explicit={"cells": {"all": "b*u*test(u)"}}) | {
            "parameters": {"rate": 1.0, "b": 0.0}, "time": {**DECAY["time"], "theta": 1.0}})  # fmt: skip
        for b in 0.5, 1.0:
            p.reset()
            p["u"] = 1
            p.solve(b=b)
            self.assertAlmostEqual(p.functional("mean"), ((1 - 0.125 * b) / 1.125) ** 8, places=9)
        with self.assertRaisesRegex(weft.UnsupportedError, "residual of a weak form with terms that are taken"):
            p.residual(p.state)
        with self.assertRaisesRegex(weft.UnsupportedError, "Jacobian of a weak form with terms that are taken"):
            p.linearise(p.state)

    def test_sweeps(self):
        table = weft.sweep(SLAB, {"k": [1, 2, 4], "q": [1.0, 8.0]}, threads=1)
        np.testing.assert_array_equal(table["k"], [1, 1, 2, 2, 4, 4])
        np.testing.assert_array_equal(table["q"], [1, 8, 1, 8, 1, 8])
        np.testing.assert_allclose(table["T_max"], table["q"] / table["k"], rtol=1e-9)
        self.assertEqual(table["flux"].shape, (6, 2))
        self.assertEqual(table["iterations"].dtype.kind, "i")
        with self.assertRaises(weft.InputError) as caught:
            weft.sweep(SLAB, {"k": [1, np.inf]}, "T_max", threads=1)
        self.assertEqual(caught.exception.__notes__, ["at k = inf"])

    def test_sweeps_of_loads_take_no_iterations(self):
        """The solution is affine in loads and prescribed values: two of them give all others."""
        case = {**SLAB, "dirichlet": {"x0": {"T": "q*y"}}}
        table = weft.sweep(case, {"q": [1, 2, 3, 5, 8]}, "T_max", threads=1)
        self.assertGreater(table["iterations"][0], 0)
        np.testing.assert_array_equal(table["iterations"][2:], 0)
        np.testing.assert_allclose(table["T_max"] / table["q"], table["T_max"][0], rtol=1e-8)

    def test_samples_begin_anew_where_a_guess_leads_nowhere(self):
        p = problem(changed(CUBIC, "solver", newton={"max_iterations": 8}))
        p.state = np.full(p.num_dofs, 1e6)
        self.assertFalse(p.try_solve().converged)  # from there
        p.keep_solution()
        attempts = _solve(p, {})
        self.assertEqual([attempt.converged for attempt in attempts], [False, True])

    def test_first_guesses(self):
        p = problem(SLAB)
        self.assertFalse(p.set_first_guess())
        for k in (1, 2, 3):
            solution = p.solve(k=k)
            p.keep_solution()
        p.parameters["k"] = 4
        last = np.linalg.norm(p.residual(p.state))
        self.assertTrue(p.set_first_guess())
        self.assertLess(np.linalg.norm(p.residual(p.state)), last / 10)
        with self.assertRaisesRegex(weft.InputError, "of a solve that is over"):
            solution["T_max"]
        with self.assertRaisesRegex(weft.InputError, "stationary problems"):
            problem(DECAY).keep_solution()

    def test_sweeps_in_time_begin_at_initial_values(self):
        table = weft.sweep(DECAY, {"rate": [1, 2, 1]}, threads=1)
        np.testing.assert_allclose(table["mean"], [((1 - r / 16) / (1 + r / 16)) ** 8 for r in (1, 2, 1)], rtol=1e-9)

    def test_stays_between_bounds(self):
        p = problem(changed(SLAB, "fields", T={"element": "P1", "bounds": [-np.inf, "1 - 0.5*y"]}))
        x = np.sin(np.arange(p.num_dofs))
        before = p.jacobian(p.state) @ x
        p.solve()
        T, upper = p.state, 1 - 0.5 * p.nodes("T")[:, 1]
        self.assertTrue(np.all(T <= upper) and np.any(T == upper) and np.any(T < upper))
        r = p.residual(T)
        self.assertTrue(np.all(r[T == upper] <= 1e-12))
        free = (T < upper) & (p.nodes("T")[:, 0] > 0)
        self.assertLess(np.abs(r[free]).max(), 1e-9)
        # That of the equations themselves, whatever was held.
        np.testing.assert_array_equal(p.jacobian(T) @ x, before)

    def test_bounds_follow_parameters(self):
        # Without the bound T rises to q/k = 1.5.
        tables = changed(SLAB, "fields", T={"element": "P1", "bounds": [-np.inf, "top"]})
        p = problem(changed(tables, "parameters", top=1.0), settable=["top"])
        for top in (1.0, 2.0, 0.5):
            p.parameters["top"] = top
            self.assertAlmostEqual(p.solve()["T_max"], min(top, 1.5), 9)


class Equations(unittest.TestCase):
    def setUp(self):
        self.p = problem(CUBIC)
        self.u = 0.3 * np.sin(1.3 * np.arange(self.p.num_dofs))
        self.x = np.cos(0.7 * np.arange(self.p.num_dofs))

    def test_residual_goes_where_it_is_told_to(self):
        r = self.p.residual(self.u)
        out = np.empty_like(r)
        self.assertIs(self.p.residual(self.u, out=out), out)
        np.testing.assert_array_equal(out, r)
        constrained = self.p.constrained_dofs()
        np.testing.assert_allclose(r[constrained], self.u[constrained] - 1, rtol=1e-14)
        for wrong in (np.empty(len(r), np.float32), np.empty(2 * len(r))[::2], self.p.state):
            with self.assertRaisesRegex(TypeError, "contiguous and writable"):
                self.p.residual(self.u, out=wrong)
        with self.assertRaisesRegex(weft.InputError, "array of the wrong size"):
            self.p.residual(self.u, out=np.empty(3))
        # Other types are converted.
        np.testing.assert_array_equal(self.p.residual(np.ones(len(r), int)), self.p.residual(np.ones(len(r))))

    def test_prescribed_values_follow_parameters(self):
        p = problem({**SLAB, "dirichlet": {"x0": {"T": "k*y"}}})
        dofs, y = p.constrained_dofs(), p.nodes("T")[:, 1]
        np.testing.assert_allclose(p.constrained_values(), 2 * y[dofs], rtol=1e-14)
        p.parameters["k"] = 5
        np.testing.assert_allclose(p.constrained_values(), 5 * y[dofs], rtol=1e-14)

    def test_jacobian_is_that_of_the_residual(self):
        J = self.p.jacobian(self.u)
        h = 1e-5
        free = np.setdiff1d(np.arange(self.p.num_dofs), self.p.constrained_dofs())
        direction = self.x.copy()
        direction[self.p.constrained_dofs()] = 0
        expected = (self.p.residual(self.u + h * direction) - self.p.residual(self.u - h * direction)) / (2 * h)
        np.testing.assert_allclose((J @ direction)[free], expected[free], atol=1e-8)
        matrix = J.csr()
        np.testing.assert_allclose(matrix @ self.x, J @ self.x, atol=1e-13)
        np.testing.assert_allclose(matrix.diagonal(), J.diagonal(), atol=1e-13)
        np.testing.assert_allclose(J.T @ self.x, J @ self.x, atol=1e-13)

    def test_transpose_of_what_is_not_symmetric(self):
        p = problem(changed(SLAB, "weak_form", cells={"all": "inner(grad(T), grad(test(T))) + grad(T)[0]*test(T)"}))
        J, x = p.jacobian(), np.arange(float(p.num_dofs))
        self.assertFalse(p.is_symmetric)
        np.testing.assert_allclose(J.T @ x, J.csr().toarray().T @ x, atol=1e-12)

    def test_a_jacobian_stays_that_of_its_state(self):
        first = self.p.jacobian(self.u)
        before = first @ self.x
        second = self.p.jacobian(self.u + 1)
        self.assertGreater(np.abs(second @ self.x - before).max(), 1e-3)
        np.testing.assert_array_equal(first @ self.x, before)
        self.p.solve()
        np.testing.assert_array_equal(first @ self.x, before)

    def test_a_jacobian_has_the_parameters_of_its_problem(self):
        p = problem(SLAB)
        J = p.jacobian()
        before = J.csr()
        p.parameters["k"] = 6  # from 2; rows of prescribed values stay
        free = np.setdiff1d(np.arange(p.num_dofs), p.constrained_dofs())
        np.testing.assert_allclose(J.csr()[free].toarray(), 3 * before[free].toarray(), rtol=1e-12)

    def test_matrices_are_copies(self):
        p = problem(SLAB)
        matrix = p.jacobian().csr()
        values = matrix.data.copy()
        p.solve(k=7)
        p.jacobian().csr()
        del p
        gc.collect()
        np.testing.assert_array_equal(matrix.data, values)

    def test_preconditioner_in_a_solver_of_scipy(self):
        p = problem(changed(SLAB, "mesh", box={"size": [1, 1], "cells": [40, 40], "cell": "triangle"}))
        J, M = p.jacobian(), p.preconditioner()
        counts = []
        b = -p.residual(np.zeros(p.num_dofs))
        for preconditioner in (None, M):
            iterates = []
            x, info = cg(J, b, M=preconditioner, rtol=1e-10, callback=iterates.append)
            self.assertEqual(info, 0)
            np.testing.assert_allclose(x, 1.5 * p.nodes("T")[:, 0], atol=1e-7)
            counts.append(len(iterates))
        self.assertLess(2 * counts[1], counts[0])
        # Another one, and parameters that change, leave it what it is.
        r = np.sin(np.arange(p.num_dofs))
        z = M @ r
        p.preconditioner(np.ones(p.num_dofs))
        np.testing.assert_allclose(M @ r, z, rtol=1e-12)

    def test_newton_of_scipy_comes_to_the_same_solution(self):
        p = self.p
        mean = p.solve()["mean"]
        p.reset()
        u = newton_krylov(p.residual, p.state.copy(), inner_M=p.preconditioner(), method="gmres", f_tol=1e-10)
        p.state = u
        self.assertAlmostEqual(p.functional("mean"), mean, places=9)
        step, info = gmres(p.jacobian(u), p.residual(u), M=p.preconditioner(u), rtol=1e-8)
        self.assertLess(np.abs(step).max(), 1e-9)

    def test_cell_matrices_sum_to_the_matrix(self):
        p = problem(SLAB)
        total = np.zeros((p.num_dofs, p.num_dofs))
        for vtk_type, dofs, values in p.cell_matrices():
            self.assertEqual(vtk_type, 5)
            for of_cell, matrix in zip(dofs, values):
                total[np.ix_(of_cell, of_cell)] += matrix
        free = np.setdiff1d(np.arange(p.num_dofs), p.constrained_dofs())
        np.testing.assert_allclose(
            total[np.ix_(free, free)], p.jacobian().csr().toarray()[np.ix_(free, free)], atol=1e-13
        )

    def test_near_null_space_is_orthonormal(self):
        p = problem(ELASTIC)
        vectors = p.near_null_space()
        self.assertEqual(vectors.shape, (3, p.num_dofs))  # two translations, a rotation
        np.testing.assert_allclose(vectors @ vectors.T, np.eye(3), atol=1e-12)
        self.assertFalse(vectors[:, p.constrained_dofs()].any())

    def test_time_and_rate(self):
        p = problem(DECAY)
        u = np.sin(np.arange(p.num_dofs))
        stiff, zero = p.jacobian(u).csr(), np.zeros(p.num_dofs)
        p.set_rate(zero, 3)  # F' = 3 M + rate M, and without it rate M
        np.testing.assert_allclose(p.jacobian(u).csr().toarray(), 4 * stiff.toarray(), atol=1e-13)
        p.time = 0.5
        self.assertEqual(p.time, 0.5)


class Results(unittest.TestCase):
    def test_values_at_points_and_nodes(self):
        p = problem(SLAB)
        p.solve()
        points = np.array([[0.1, 0.2], [0.9, 0.4]])
        np.testing.assert_allclose(p.values_at(points, "T"), 1.5 * points[:, 0], rtol=1e-9)
        np.testing.assert_allclose(p.values_at(points, "grad(T)"), [[1.5, 0], [1.5, 0]], atol=1e-9)
        np.testing.assert_allclose(p.values_at_nodes("T", "2*T + y"), 2 * p["T"] + p.nodes("T")[:, 1], rtol=1e-12)
        mesh = p.mesh()
        np.testing.assert_allclose(p.values_at_mesh_points("T"), 1.5 * mesh.points[:, 0], atol=1e-9)
        with self.assertRaisesRegex(weft.InputError, "points of another dimension"):
            p.values_at([[0.1, 0.2, 0.3]] * np.ones((1, 3)), "T")
        with self.assertRaisesRegex(weft.InputError, "outside"):
            p.values_at(np.array([[2.0, 0.1]]), "T")

    def test_gradients_and_errors_of_functionals(self):
        p = problem(SLAB)
        with self.assertRaisesRegex(weft.InputError, r"solve\(\)"):
            p.gradient("T_max", ["k"])
        p.solve()
        # T_max = q/k, and k grad(T) = (q, 0), which elements of order 1 have exactly.
        gradient = p.gradient("T_max", ["k", "q"])
        self.assertAlmostEqual(gradient["k"], -3 / 4, places=8)
        self.assertAlmostEqual(gradient["q"], 1 / 2, places=8)
        np.testing.assert_allclose(p.gradient("flux", ["q"])["q"], [1, 0], atol=1e-8)
        self.assertAlmostEqual(p.error_estimate("T_max"), 0, places=8)
        self.assertEqual(len(p.error_estimate("flux")), 2)

    def test_write_and_report(self):
        p = problem(SLAB)
        p.solve()
        report = p.report()
        self.assertAlmostEqual(report["functionals"]["T_max"], 1.5, places=9)
        with tempfile.TemporaryDirectory() as folder:
            p.write(Path(folder) / "out")
            self.assertTrue((Path(folder) / "out" / "fields.vtu").is_file())
            written = json.loads((Path(folder) / "out" / "results.json").read_text())
        self.assertEqual(written["functionals"], report["functionals"])


class OnDevice(unittest.TestCase):
    def test_numpy_sees_vectors_where_they_lie(self):
        p = problem(CUBIC)
        v = p.device_vector()
        self.assertEqual(len(v), p.num_dofs)
        u = np.sin(np.arange(p.num_dofs))
        v.set(u)
        np.testing.assert_array_equal(v.get(), u)
        if not v.on_host:
            self.skipTest("SKIPPED: this device has a memory of its own")
        seen = np.from_dlpack(v)
        self.assertEqual(v.__dlpack_device__(), (1, 0))
        self.assertEqual(seen.ctypes.data, np.asarray(v).ctypes.data)
        self.assertNotEqual(seen.ctypes.data, np.array(v).ctypes.data)
        np.testing.assert_array_equal(seen, u)
        np.asarray(v)[2] = 7
        self.assertEqual(v.get()[2], 7)
        self.assertEqual(np.asarray(v, np.float32).dtype, np.float32)

    def test_calls_take_them(self):
        p = problem(CUBIC)
        u, x = np.sin(np.arange(p.num_dofs)), np.cos(np.arange(p.num_dofs))
        u_there, x_there, out = p.device_vector(), p.device_vector(), p.device_vector()
        u_there.set(u)
        x_there.set(x)
        self.assertIs(p.residual(u_there, out=out), out)
        np.testing.assert_array_equal(out.get(), p.residual(u))
        p.linearise(u_there)
        p.apply(x_there, out=out)
        np.testing.assert_array_equal(out.get(), p.jacobian(u) @ x)
        with self.assertRaisesRegex(weft.InputError, "vector of another problem"):
            p.residual(problem(SLAB).device_vector(), out=out)

    def test_they_keep_their_problem(self):
        p = problem(SLAB)
        alive = weakref.ref(p)
        v = p.device_vector()
        v.set(np.arange(p.num_dofs))
        seen = np.from_dlpack(v) if v.on_host else v.get()
        del p, v
        gc.collect()
        np.testing.assert_array_equal(seen, np.arange(len(seen)))
        del seen
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
