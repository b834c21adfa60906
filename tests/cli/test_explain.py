"""weft explain: where the time of a run goes, what each kernel does, ablations."""

import json
import re
import unittest

from weft_cli import CASE, WRONG_INPUT, CommandLineTest

LAW = """\
[mesh]
box = { cells = [8, 8], cell = "triangle" }
[fields]
u = { element = "FV" }
[conservation_law]
flux.u = "-grad(u)"
[boundary.all]
flux = { u = 0 }
[initial]
u = "x"
[time]
scheme = "theta"
step = 0.1
end = 1
"""
# Enough unknowns for a matrix and multigrid.
LARGE = CASE.replace("cells = [4, 4]", "cells = [160, 160]")
TERMS = {"memory", "staging", "gather", "scatter", "arithmetic", "latency"}


class Explain(CommandLineTest):
    def explain(self, text, *arguments):
        self.write("case.toml", text)
        return self.weft("explain", "case.toml", "--repeats", "1", *arguments).stdout

    def explained(self, text, *arguments):
        return json.loads(self.explain(text, "--json", *arguments))

    def check_sums(self, explained):
        """Stages add up to the run, and what is inside of a stage to no more than that."""
        stages = explained["stages"]
        outer = [stage for stage in stages if "/" not in stage["name"]]
        total = sum(stage["seconds"] for stage in outer) + explained["unexplained_s"]
        self.assertAlmostEqual(total, explained["total_s"])
        self.assertLess(abs(explained["unexplained_s"]), 0.1 * explained["total_s"] + 0.1)
        for stage in stages:
            inside = sum(other["seconds"] for other in stages
                         if other["name"].rpartition("/")[0] == stage["name"])
            self.assertAlmostEqual(stage["seconds"] - inside, stage["own_s"])
            self.assertGreaterEqual(stage["own_s"], -1e-9, stage["name"])

    def test_the_run_that_is_made_is_explained(self):
        explained = self.explained(LARGE)
        self.check_sums(explained)
        names = [stage["name"] for stage in explained["stages"]]
        for name in ("mesh_topology", "space", "operator", "solve", "solve/linearisation/matrix",
                     "solve/set-up of the preconditioner", "solve/iterations/level 0", "output"):
            self.assertIn(name, names)
        kernels = {(kernel["stage"], kernel["kernel"]): kernel for kernel in explained["kernels"]}
        product = kernels["iterations/level 0", "level_product"]
        self.assertGreater(product["launches"], 10)
        self.assertGreater(product["from_memory"], 0)
        self.assertLessEqual(product["from_memory"], 1)
        for kernel in explained["kernels"]:
            self.assertGreater(kernel["seconds"], 0, kernel["kernel"])
            self.assertGreater(kernel["predicted_s"], 0, kernel["kernel"])
            self.assertIn(kernel["bound"], TERMS)
            self.assertEqual(set(kernel["terms_s"]), TERMS)
        # The integrals and what solvers do most are counted by formulas, not by their arrays.
        for head in ("residual_", "matrix_", "spmv_", "level_product", "transfer_apply", "cg_"):
            counted = [kernel["counted"] for (stage, name), kernel in kernels.items()
                       if name.startswith(head) and "set-up" not in stage]
            self.assertTrue(counted and all(counted), head)

    def test_what_a_vector_moves_is_its_bytes(self):
        explained = self.explained(CASE, "--set", 'solver.operator="matrix_free"', "--set",
                                   'solver.method="cg"', "--set", 'solver.preconditioner="jacobi"')
        dofs = 25
        kernel = next(k for k in explained["kernels"] if k["kernel"] == "cg_direction")
        # x, p, r, d read, x and p written; two scalars.
        self.assertAlmostEqual(kernel["bytes"], 6 * 8 * dofs, delta=8 * 8)

    def test_kernels_of_an_ablation_and_of_the_paper(self):
        explained = self.explained(CASE, "--ablate", "all", "--set", 'device.strategy="block"',
                                   "--set", 'solver.operator="matrix_free"', "--set",
                                   'solver.preconditioner="jacobi"')
        self.assertEqual([a["term"] for a in explained["ablations"]],
                         ["memory", "gather", "scatter", "arithmetic"])
        # So few cells are done in no time: what the figures of the machine scatter by is allowed for.
        scatter = 0.05 * sum(kernel["predicted_s"] for kernel in explained["kernels"])
        for ablation in explained["ablations"]:
            change = ablation["predicted_change_s"]
            if ablation["term"] == "memory":
                self.assertLess(change, scatter)
            else:
                self.assertGreater(change, -scatter)

        # The model of Knepley, Rupp and Terrel stands beside our counts of integrals over cells.
        for kernel in explained["kernels"]:
            paper = kernel["paper"]
            of_the_paper = kernel["kernel"].startswith(("residual_", "apply_"))
            self.assertEqual(paper is not None, of_the_paper, kernel["kernel"])
            if paper:
                d, reals = paper["d"], 8 if kernel["precision"] == "f64" else 4
                n_bt, n_q = paper["N_bt"], paper["N_q"]
                loaded = d * d + 1 + n_bt + (d + 1) * n_q
                self.assertEqual(paper["eq6_bytes_of_a_batch"], reals * paper["N_t"] * loaded)
                operations = ((2 + (2 + 2 * d) * d) * n_bt + 2 * d * paper["N_comp"]) * n_q
                operations += (2 + 2 * d) * d * n_q * n_bt
                self.assertEqual(paper["eq7_flops_of_a_batch"], operations * paper["N_bc"])
                self.assertAlmostEqual(paper["eq8_balance"], paper["eq7_flops_of_a_batch"] /
                                       paper["eq6_bytes_of_a_batch"])
                self.assertLessEqual(paper["eq4_shared_bytes_of_a_cell"], paper["eq4_bound"])
                self.assertLess(paper["eq5_bound_without_f0"], paper["eq4_bound"])
                self.assertGreater(paper["least_s"], 0)

    def test_one_screen_first(self):
        screen = self.explain(LARGE)
        self.assertLess(screen.count("\n"), 45)
        for line in (r"from start to end +\d+\.\d+ +100%", r"not explained", r"^1\. .*\d+%",
                     r"^3\. ", "solver: cg with multigrid in f16, assembled"):
            self.assertRegex(screen, re.compile(line, re.MULTILINE))
        self.assertNotIn("takes", screen)

    def test_words_of_kernels(self):
        text = self.explain(CASE, "--kernels")
        for equation in ("equation (3)", "equation (4)", "equation (5)", "equation (6)",
                         "equation (7)", "equation (8)"):
            self.assertIn(equation, text)
        self.assertRegex(text, r"takes .* predicted .*\n")
        self.assertIn("no kernel could do this work in less than", text)

    def test_steps_in_time(self):
        explained = self.explained(LAW)
        self.check_sums(explained)
        self.assertRegex(explained["solved"], r"^10 steps, to time 1 of 1$")
        self.assertTrue(any(kernel["stage"].startswith("iterations") for kernel in explained["kernels"]))

    def test_an_unknown_term_is_refused_with_those_there_are(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--ablate", "luck", expect=WRONG_INPUT)
        self.assertIn("arithmetic", run.stderr)


if __name__ == "__main__":
    unittest.main()
