"""weft explain: what each kernel does, what is predicted and measured, ablations."""

import json
import unittest

from weft_cli import CASE, CommandLineTest, WRONG_INPUT

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

    def test_words(self):
        self.write("case.toml", CASE)
        run = self.weft("explain", "case.toml", "--repeats", "1")
        self.assertRegex(run.stdout, r"takes .* predicted .*\n")
        self.assertIn("no kernel could do this work in less than", run.stdout)

    # Of cells enough that a launch is little of it.
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
