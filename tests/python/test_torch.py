"""Functionals as a function of PyTorch's, as python/examples/inverse_heat_transfer.py has it."""

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path
from unittest.mock import patch

import weft

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "python" / "examples"
HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch

    sys.path.insert(0, str(EXAMPLES))
    from inverse_heat_transfer import MEASURED, WALL, Functionals, fit

NAMES = ["k", "h"]


@unittest.skipUnless(HAS_TORCH, "SKIPPED: PyTorch is not installed")
class InverseHeatTransfer(unittest.TestCase):
    def setUp(self):
        self.problem = weft.Problem(WALL, threads=1, settable=NAMES)

    def functionals(self, values):
        return Functionals.apply(values, self.problem, NAMES, list(MEASURED))

    def at(self, *values):
        return torch.tensor(values, dtype=torch.float64, requires_grad=True)

    def test_finds_what_the_temperatures_are_of(self):
        k, h = fit(self.problem, NAMES, MEASURED).tolist()
        self.assertAlmostEqual(k, 0.8, places=6)
        self.assertAlmostEqual(h, 10, places=5)

    def test_gradients_are_those_by_hand(self):
        values = self.at(0.5, 20.0)
        expected = [[-100 * 0.2 / 0.5**2, -100 / 20**2], [0, -100 / 20**2]]  # of T_hot, of T_cold
        for functional, by_hand in zip(self.functionals(values), expected):
            (gradient,) = torch.autograd.grad(functional, values, retain_graph=True)
            for found, value in zip(gradient.tolist(), by_hand):
                self.assertAlmostEqual(found, value, places=7)

    def test_gradients_are_those_by_differences(self):
        self.assertTrue(torch.autograd.gradcheck(self.functionals, self.at(0.7, 12.0), eps=1e-3, atol=1e-5, rtol=1e-4))

    def test_gradients_stay_those_of_their_solution(self):
        values = self.at(0.5, 20.0)
        found = self.functionals(values)
        self.functionals(self.at(3.0, 5.0))
        found[0].backward()
        self.assertAlmostEqual(values.grad[0].item(), -100 * 0.2 / 0.5**2, places=7)

    def test_there_is_no_adjoint_solve_without_need(self):
        with patch.object(self.problem, "gradient", side_effect=AssertionError):
            found = self.functionals(self.at(0.8, 10.0).detach())
        for value, measured in zip(found.tolist(), MEASURED.values()):
            self.assertAlmostEqual(value, measured, places=8)

    def test_second_derivatives_are_refused(self):
        values = self.at(0.8, 10.0)
        loss = (self.functionals(values) ** 2).sum()
        (gradient,) = torch.autograd.grad(loss, values, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "once_differentiable"):
            gradient.sum().backward()

    def test_program(self):
        done = subprocess.run([sys.executable, "-B", EXAMPLES / "inverse_heat_transfer.py"], capture_output=True,
                              text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "k = 0.800000 W/(m K), h = 10.00000 W/(m2 K)\n")


if __name__ == "__main__":
    unittest.main()
