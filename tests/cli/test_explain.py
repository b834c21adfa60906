"""weft explain: what each kernel does, what is predicted and measured, ablations."""

import json
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
TERMS = {"memory", "staging", "gather", "scatter", "arithmetic", "latency"}


class Explain(CommandLineTest):
    def test_every_kernel_of_the_run_is_explained(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--json", "--repeats", "1", "--ablate", "all",
                        "--set", 'device.strategy="block"')
        explained = json.loads(run.stdout)
        uses = {kernel["use"] for kernel in explained["kernels"]}
        self.assertEqual(uses, {"residual", "apply", "diagonal", "solver"})
        names = [kernel["kernel"] for kernel in explained["kernels"]]
        for head in ("residual_", "apply_", "diagonal_", "constrain_", "cg_"):
            self.assertTrue(any(name.startswith(head) for name in names), head)
        for kernel in explained["kernels"]:
            self.assertGreater(kernel["seconds"], 0, kernel["kernel"])
            self.assertGreater(kernel["predicted_s"], 0, kernel["kernel"])
            self.assertGreater(kernel["fraction"], 0, kernel["kernel"])
            self.assertIn(kernel["bound"], TERMS)
            self.assertEqual(set(kernel["terms_s"]), TERMS)
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

    def test_words(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--repeats", "1")
        for equation in ("equation (3)", "equation (4)", "equation (5)", "equation (6)",
                         "equation (7)", "equation (8)"):
            self.assertIn(equation, run.stdout)
        self.assertRegex(run.stdout, r"takes .* predicted .*\n")
        self.assertIn("no kernel could do this work in less than", run.stdout)

    def test_of_a_law_with_implicit_steps_stages_and_the_solver_are_explained(self):
        self.write("case.toml", LAW)
        run = self.weft("explain", "case.toml", "--repeats", "1")
        for use in ("stage", "longest step", "solver"):
            self.assertIn(f"({use})", run.stdout)

    # Cells enough that a launch is little of it.
    def test_how_terms_meet(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--repeats", "1", "--set",
                        "mesh.box.cells=[150, 150]")
        self.assertRegex(run.stdout, r"by the model: .*; \S+ \S+ of "
                                     r"(waiting between them|these beside one another)\n")

    def test_an_unknown_term_is_refused_with_those_there_are(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--ablate", "luck", expect=WRONG_INPUT)
        self.assertIn("arithmetic", run.stderr)


if __name__ == "__main__":
    unittest.main()
