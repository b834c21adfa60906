"""What a case names is checked before the solve; whatever goes wrong after it, what was solved is
written and says how the run ended."""

import csv
import json
import resource
import signal
import subprocess
import unittest

from weft_cli import (
    CASE,
    LONGEST_RUN_S,
    NUMBERS_FAILED,
    PROGRAM,
    SYSTEM_FAILED,
    WRONG_INPUT,
    CommandLineTest,
    line_of,
    replaced,
)

PROBES = "\n[output]\nprobes = [[0.5, 0.5]]\n"

# u grows with the time; from t = 0.25 on its source is a root of what is negative.
ENDS = """\
[mesh]
box = { cells = [2, 2], cell = "quadrilateral", periodic = ["x", "y"] }

[fields]
u = { element = "DG1" }

[conservation_law]
flux.u = "[u, 0]"
source.u = "sqrt(0.249 - t)"
wave_speed = "1"

[functionals]
sum = { integral = "u" }

[time]
end = 1
scheme = "euler"
step = 0.01
"""


class LostRuns(CommandLineTest):
    def rows(self, name):
        with open(self.folder / "out" / name, encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def run_with_small_files(self, text, most_bytes):
        """`weft run` where no file may grow beyond so many bytes; its exit code is that of the system."""

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

        self.run_case(text, "--set", "time.end=0.02") if "[time]" in text else self.run_case(text)
        done = subprocess.run(
            [PROGRAM, "run", "case.toml", "--out", "full"],
            cwd=self.folder,
            preexec_fn=limit,
            capture_output=True,
            text=True,
            timeout=LONGEST_RUN_S,
        )
        self.assertEqual(done.returncode, SYSTEM_FAILED, done.stdout + done.stderr)
        return done, self.results("full")

    def test_done(self):
        self.run_case(CASE + PROBES)
        results = self.results()
        self.assertEqual(results["outcome"], {"status": "done", "exit_code": 0, "failures": []})
        self.assertTrue(results["functionals_converged"])
        self.assertEqual(self.rows("probes.csv")[0]["converged"], "1")

    def test_values_of_a_run_that_did_not_converge_are_marked(self):
        text = CASE + PROBES + '\n[exact]\nu = "x"\n'
        done = self.run_case(text, "--set", "solver.max_iterations=1", expect=NUMBERS_FAILED)
        marked = [line for line in done.stdout.splitlines() if line.endswith("(not converged)")]
        self.assertEqual([line.split()[0] for line in marked], ["mean", "error"])
        results = self.results()
        self.assertEqual(results["outcome"]["status"], "not_converged")
        self.assertEqual(results["outcome"]["exit_code"], NUMBERS_FAILED)
        self.assertIn("not converged within", results["outcome"]["failures"][0])
        self.assertFalse(results["functionals_converged"])
        self.assertEqual(self.rows("probes.csv")[0]["converged"], "0")

    def test_rows_after_the_last_good_state_are_marked(self):
        done = self.run_case(ENDS, expect=NUMBERS_FAILED)
        self.assert_error(done, "NaN or infinity", "last good state")
        results = self.results()
        self.assertFalse(results["functionals_converged"])
        last_good = results["time"]["end"]
        self.assertAlmostEqual(last_good, 0.2, delta=1e-12)  # the state is looked at every tenth step
        rows = self.rows("functionals.csv")
        self.assertGreater(float(rows[-1]["time"]), last_good)
        for row in rows:
            good = float(row["time"]) <= last_good
            self.assertEqual(row["converged"], "1" if good else "0", row)

    def test_fields_that_cannot_be_written(self):
        text = replaced(CASE, "cells = [4, 4]", "cells = [200, 200]")
        done, results = self.run_with_small_files(text, 2_500_000)
        self.assert_error(done, "full/fields.vtu", "File too large")
        self.assertEqual(results["outcome"]["status"], "failed")
        self.assertEqual(results["outcome"]["exit_code"], SYSTEM_FAILED)
        self.assertIn("fields.vtu", results["outcome"]["failures"][0])
        self.assertTrue(results["functionals_converged"])
        self.assertEqual(results["functionals"], self.results()["functionals"])

    def test_fields_of_a_time_that_cannot_be_written(self):
        """Those of the start fail: the run ends there, and says what it had."""
        text = replaced(ENDS, "cells = [2, 2]", "cells = [200, 200]")
        text = replaced(text, "step = 0.01", "step = 0.0002").replace("end = 1\n", "end = 0.02\n")
        done, results = self.run_with_small_files(text, 2_500_000)
        self.assert_error(done, "fields_0000.vtu", "File too large")
        self.assertEqual(results["outcome"]["status"], "failed")
        self.assertFalse(results["functionals_converged"])
        self.assertEqual(results["time"]["end"], 0)
        self.assertEqual(results["functionals"]["sum"], 0)

    def test_what_is_not_finite_is_named_with_its_place(self):
        text = CASE + '\n[output]\nfields = ["u", "1/(x - 0.5)"]\nprobes = [[0.5, 0.5]]\n'
        text = replaced(text, 'mean = { average = "u" }', """\
mean = { average = "u" }
most = { maximum = "where(x > 0.9, sqrt(-x), u)" }""")
        done = self.run_case(text, "--json", expect=NUMBERS_FAILED)
        self.assert_error(
            done, "not finite", "functionals.most is nan at (", "of region box",
            "fields.1/(x - 0.5) is inf at (0.5, ",
        )  # fmt: skip
        results = self.results()
        self.assertEqual(json.loads(done.stdout), results)
        self.assertEqual(results["outcome"]["status"], "not_finite")
        self.assertEqual(results["outcome"]["exit_code"], NUMBERS_FAILED)
        self.assertTrue(results["functionals_converged"])
        self.assertIsNone(results["functionals"]["most"])
        self.assertGreater(results["functionals"]["mean"], 0)
        names = [value["name"] for value in results["not_finite"]]
        self.assertEqual(sorted(names), ["fields.1/(x - 0.5)", "functionals.most"])
        self.assertTrue((self.folder / "out" / "fields.vtu").exists())

    def test_what_is_not_finite_over_time(self):
        """A ratio that is 0/0 at the start alone: its row says nan, and the run says so."""
        text = replaced(ENDS, 'sum = { integral = "u" }', 'ratio = { average = "t/u" }')
        text = replaced(text, "sqrt(0.249 - t)", "1").replace("end = 1\n", "end = 0.05\n")
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(done, "functionals.ratio is nan at (", "at time 0")
        results = self.results()
        self.assertEqual(results["outcome"]["status"], "not_finite")
        self.assertEqual(results["not_finite"][0]["time"], 0)
        self.assertEqual(results["functionals"]["ratio"], 1)
        self.assertIn("nan", self.rows("functionals.csv")[0]["ratio"])


class CheckedBefore(CommandLineTest):
    """What could not be given after the solve is refused before it: nothing is written."""

    def refused(self, text, *parts, arguments=()):
        done = self.run_case(text, *arguments, expect=WRONG_INPUT)
        self.assert_error(done, *parts)
        self.assertFalse((self.folder / "out" / "results.json").exists())
        self.assertNotIn("solve", done.stderr)

    def test_probes(self):
        output = "\n[output]\nprobes = [[0.5, 0.5], %s]\n"
        line = f"case.toml:{line_of(CASE + output, 'probes')}: [output] probes[1]"
        self.refused(CASE + output % "[0.5, 2]", line, "outside the mesh", "[0.5, 2]")
        self.refused(CASE + output % "[0.5, 0.5, 0]", line, "3 coordinates", "2, one a direction")
        self.refused(CASE + output % "[0.5, nan]", "probes")
        self.write("case.toml", CASE + output % "[0.5, 2]")
        self.weft("check", "case.toml", expect=WRONG_INPUT)

    def test_functionals_exact_and_fields(self):
        functional = 'mean = { average = "u" }'
        for other, part in (
            ('p = { point = [3, 0], value = "u" }', "outside the mesh"),
            ('p = { point = [0], value = "u" }', "1 coordinates"),
            ('p = { integral = "u", facets = "nowhere" }', "nowhere"),
            ('p = { integral = "v" }', "unknown name `v`"),
        ):
            self.refused(replaced(CASE, functional, other), "case.toml:", part)
        self.refused(CASE + '\n[exact]\nu = "v"\n', "unknown name `v`")
        self.refused(CASE + '\n[output]\nfields = ["u", "v"]\n', "unknown name `v`")
        self.refused(CASE + '\n[initial]\nu = "1/(x - 0.5)"\n', "not finite", "u is inf in the cell")

    def test_expectations(self):
        self.refused(CASE, "--expect without values", arguments=["--expect"])
        head = 'source = "none"\n'
        self.write("expect.toml", head + "[functionals]\nmaen = { value = 1, absolute = 9 }\n")
        self.refused(CASE, "functionals.maen", "did you mean functionals.mean", arguments=["--expect"])
        self.write("expect.toml", head + "[functionals]\nmean = { value = [1, 2], absolute = 9 }\n")
        self.refused(CASE, "component 1", arguments=["--expect"])

    def test_times(self):
        text = replaced(ENDS, "sqrt(0.249 - t)", "1")
        self.refused(replaced(text, "step = 0.01", "step = 1e-30"), "1.0e+30 steps", "[time]")
        self.refused(text + "\n[output]\nevery = 1e-20\n", "too many outputs")
        self.refused(text + "\n[output]\ntimes = [2]\n", "outside of the time")

    def test_a_result_that_is_a_folder(self):
        for name in ("results.json", "fields.vtu"):
            (self.folder / "out" / name).mkdir(parents=True)
            done = self.run_case(CASE, expect=SYSTEM_FAILED)
            self.assert_error(done, f"out/{name}", "a folder")
            self.assertNotIn("converged", done.stdout)
            (self.folder / "out" / name).rmdir()


if __name__ == "__main__":
    unittest.main()
