"""Operators given by an assembled matrix: the same answers as without one."""

import json
import os
import unittest
from pathlib import Path

from weft_cli import ALL, CASE, ROOT, CommandLineTest

OUTPUT = Path(os.environ.get("WEFT_CASE_OUTPUT", ""))
ASSEMBLED = ["--set", 'solver.operator="assembled"']


class Assembled(CommandLineTest):
    def same_answers(self, case):
        """As matrix-free, to the solver's tolerance; and those that the case must reach."""
        self.weft("run", ROOT / "cases" / case / "case.toml", *ASSEMBLED, "--out", "out", "--expect")
        results = self.results()
        matrix_free = self.results(OUTPUT / case)
        self.assertEqual(results["kernels"][0]["strategy"], "assembled")
        self.assertTrue(results["kernels"][0]["kernel"].startswith("spmv_"))
        for name, value in matrix_free["functionals"].items():
            with self.subTest(functional=name):
                self.assertLess(abs(results["functionals"][name] - value), 1e-7 * abs(value))

    # Its operator is compared in any case (tests/unit/app).
    @unittest.skipUnless(ALL, "long: with WEFT_TEST_ALL")
    def test_bracket(self):
        self.same_answers("bracket")

    def test_nonlinear_heat(self):
        self.same_answers("nonlinear_heat")

    def test_its_kernels_are_explained(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--json", "--repeats", "1", *ASSEMBLED)
        kernels = json.loads(run.stdout)["kernels"]
        for stage, head in (("residual", "residual_"), ("linearisation/matrix", "matrix_"),
                            ("set-up of the preconditioner", "matrix_diagonal"),
                            ("iterations", "spmv_"), ("iterations", "cg_")):
            self.assertTrue(any(k["stage"] == stage and k["kernel"].startswith(head) for k in kernels),
                            (stage, head))
        for kernel in kernels:
            self.assertGreater(kernel["predicted_s"], 0, kernel["kernel"])

    def test_both_formats(self):
        self.write("case.toml", CASE)
        means = []
        for matrix in ("csr", "sell"):
            self.weft("run", "case.toml", *ASSEMBLED, "--set", f'device.matrix="{matrix}"', "--out",
                      matrix)
            results = self.results(matrix)
            self.assertEqual(results["kernels"][0]["kernel"], f"spmv_{matrix}")
            means.append(results["functionals"]["mean"])
        self.assertAlmostEqual(means[0], means[1], delta=1e-9 * abs(means[0]))


if __name__ == "__main__":
    unittest.main()
