"""weft tune, and how weft run chooses its kernels: kept, predicted, searched for, replayed."""

import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from weft_cli import CASE, PROGRAM, ROOT, WRONG_INPUT, CommandLineTest, replaced

SQUARE = replaced(CASE, "cells = [4, 4]", "cells = [32, 32]")
KERNEL = "fem_integrate"
SEARCH = ("--budget", "2", "--ranked", "2", "--random")


# A problem of no other test: searching for it measures the machine where that is not known.
OTHER = replaced(replaced(CASE, "P1", "P3"), "cells = [4, 4]", "cells = [3, 2]")


# Kernels of a law with other constants are the same.
LAW = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [8, 8], cell = "triangle", periodic = ["x", "y"] }
[fields]
u = { element = "DG2" }
[conservation_law]
flux.u = "[3*u, 5*u]"
numerical_flux = "lax_friedrichs"
wave_speed = "7"
[initial]
u = "sin(2*pi*(x + y))"
[time]
end = 0.001
cfl = 0.5
"""


def machine_figures():
    """What this machine was measured to do, as `weft tuned import` takes it: measured once for all
    tests, in the data folder that they share."""
    with tempfile.TemporaryDirectory(prefix="weft_cli_") as folder:
        (Path(folder) / "case.toml").write_text(OTHER)
        subprocess.run([PROGRAM, "tune", "case.toml", "--budget", "0"], cwd=folder,
                       capture_output=True, check=True, timeout=300)
    lines = subprocess.run([PROGRAM, "tuned", "export", "-"], capture_output=True, text=True,
                           check=True, timeout=60).stdout.splitlines()
    text = "".join(line + "\n" for line in lines if "machine" in json.loads(line) or line == lines[0])
    # Other tests run beside: else each that finds the machine quiet would measure it anew.
    return re.sub(r'"(state.others.share)":\[[^]]*\]', r'"\1":[0,0,0]', text)


class TuningTest(CommandLineTest):
    """With a database of its own, into which what was measured of the machine can be taken."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.figures = machine_figures()

    def setUp(self):
        super().setUp()
        self.env = {"XDG_DATA_HOME": str(self.folder / "data")}

    def know_the_machine(self):
        self.write("figures.txt", self.figures)
        self.weft("tuned", "import", "figures.txt", env=self.env)


class Tune(TuningTest):
    def setUp(self):
        super().setUp()
        self.write("case.toml", SQUARE)

    def tune(self, *arguments, random=1, env=None):
        self.done = self.weft("tune", "case.toml", *SEARCH, random, "--json", "tune.json", *arguments,
                              env={**self.env, **(env or {})})
        return json.loads((self.folder / "tune.json").read_text())

    def chosen(self, *arguments, env=None):
        """Variant of a run and where it came from."""
        self.weft("run", "case.toml", "--out", "out", *arguments,
                  env={**self.env, **(env or {})})
        results = self.results()
        return results["variants"][KERNEL], results["variants_from"][KERNEL]

    def test_ten_processes_search_and_run_at_once(self):
        self.know_the_machine()
        # Problems of their own: other element orders, strategies. Of one name: of equal ones kernels
        # are the same.
        cases = [f"{i}/case.toml" for i in range(5)]
        for i, case in enumerate(cases):
            (self.folder / str(i)).mkdir()
            text = SQUARE.replace("P1", "P2") if i % 2 else SQUARE
            self.write(case, text + ("" if i < 2 else '\n[device]\nstrategy = "cell"\n'))
        environment = {**os.environ, **self.env}
        commands = [[PROGRAM, "tune", case, "--budget", "0", "--json", f"{case}.json"] for case in cases]
        commands += [[PROGRAM, "run", case, "--out", f"{case}.out"] for case in cases]
        started = [subprocess.Popen(command, cwd=self.folder, env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                   for command in commands]
        for process in started:
            output, _ = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, output)
        kept = self.weft("tuned", "export", "-", env=self.env).stdout
        for case in cases:  # what each search found is there
            search = json.loads((self.folder / f"{case}.json").read_text())
            self.assertTrue(search["kept"])
            self.assertIn(search["best"], kept)
            self.assertTrue((self.folder / f"{case}.out" / "results.json").exists())

    def test_a_search_is_reported_and_kept(self):
        self.know_the_machine()
        search = self.tune("--csv", "tune.csv")
        self.assertIn("linearised application", self.done.stderr)
        for part in ("predicted/ms", "measured/ms", "of best", " 1.00 ", "the default", "first choice",
                     "weft run uses it"):
            self.assertIn(part, self.done.stdout)
        self.assertTrue(search["kept"])
        self.assertGreater(search["candidates"], len(search["trials"]))
        self.assertLessEqual(len(search["trials"]), 4)  # 2 ranked, 1 random, the default
        variants = [trial["variant"] for trial in search["trials"]]
        for key in ("best", "first_choice", "default"):
            self.assertIn(search[key], variants)
        self.assertEqual(search["trials"][0]["variant"], search["best"])
        self.assertTrue(search["trials"][0]["validated"])
        self.assertGreater(search["first_choice_ratio"], 0.9)
        for trial in search["trials"]:
            self.assertGreater(trial["predicted_s"], 0)
            self.assertGreaterEqual(len(trial["seconds"]), 1)
        with open(self.folder / "tune.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["variant"] for row in rows], variants)
        # From now on it is used, but not for other kernels.
        self.assertEqual(self.chosen(), (search["best"], "kept"))
        self.assertEqual(self.chosen("--set", 'device.precision="f32"',
                                     "--set", "solver.tolerance=1e-5")[1], "model")

    def test_nothing_is_measured_unasked(self):
        usual, source = self.chosen()
        self.assertEqual(source, "default")
        self.assertIn("strategy=", usual)
        variant, source = self.chosen("--set", 'device.strategy="cell"')
        self.assertEqual(source, "case")
        self.assertIn("strategy=cell", variant)
        self.know_the_machine()
        self.assertEqual(self.chosen()[1], "model")
        variant, source = self.chosen("--set", 'device.strategy="cell"',
                                      "--set", 'device.geometry="stored"')
        self.assertEqual(source, "model")
        self.assertIn("strategy=cell geometry=stored", variant)

    def test_run_can_search_first(self):
        self.know_the_machine()
        variant, source = self.chosen("--tune", "--budget", "1")
        self.assertEqual(source, "tuned")
        self.assertEqual(self.chosen(), (variant, "kept"))

    def test_choices_are_replayed_to_the_bit(self):
        usual, _ = self.chosen()
        first = self.results()["functionals"]
        shutil.move(self.folder / "out" / "results.json", self.folder / "first.json")
        self.know_the_machine()
        self.tune()
        self.assertEqual(self.chosen("--variants", "first.json"), (usual, "file"))
        self.assertEqual(self.results()["functionals"], first)
        other = ("num_batches=- strategy=cell geometry=stored sums=points lanes=1 leaves=- "
                 "groups_per_item=64 num_blocks=-")
        lanes = usual.split("lanes=")[1].split()[0]
        self.write("other.json", json.dumps({KERNEL: other.replace("lanes=1", f"lanes={lanes}")}))
        variant, source = self.chosen("--variants", "other.json")
        self.assertEqual(source, "file")
        self.assertTrue(variant.startswith("strategy=cell geometry=stored"))

    def test_what_can_not_be_replayed_is_named(self):
        usual, _ = self.chosen()
        for changed, parts in (
            (usual.replace("lanes=", "lane="), ["lane", "did you mean lanes?"]),
            (usual.replace("geometry=on_the_fly", "geometry=flat"), ["flat", "on_the_fly, stored"]),
            (usual.replace("geometry=on_the_fly ", ""), ["without parameter \"geometry\""]),
            (usual.replace("num_blocks=-", "num_blocks=4"), ["num_blocks only with strategy"]),
        ):
            with self.subTest(variant=changed):
                self.write("old.json", json.dumps({"variants": {KERNEL: changed}}))
                done = self.weft("run", "case.toml", "--variants", "old.json", env=self.env,
                                 expect=WRONG_INPUT)
                self.assert_error(done, "old.json", *parts)
        self.write("old.json", json.dumps({"variants": {"fv_flux": usual}}))
        done = self.weft("run", "case.toml", "--variants", "old.json", expect=WRONG_INPUT)
        self.assert_error(done, "old.json", "fv_flux", KERNEL)
        self.write("old.json", json.dumps({"variants": {KERNEL: usual}}))
        done = self.weft("run", "case.toml", "--variants", "old.json", "--set",
                         'device.strategy="transposed"', env=self.env, expect=WRONG_INPUT)
        self.assert_error(done, "old.json", "strategy = transposed, which is fixed")

    def test_a_wrong_kernel_is_rejected_and_another_generator_is_stale(self):
        self.know_the_machine()
        kept = self.tune()["best"]
        self.assertEqual(self.chosen(), (kept, "kept"))
        shutil.copytree(ROOT / "kernels", self.folder / "kernels")
        block = self.folder / "kernels" / "fem" / "fem_integrate_block.kernel"
        block.write_text(replaced(block.read_text(), "group < end_group;", "group < end_group - 1;"))
        wrong = {"WEFT_KERNEL_DIR": str(self.folder / "kernels")}
        search = self.tune(random=4, env=wrong)
        self.assertNotIn("strategy=block", search["best"])
        rejected = [trial for trial in search["trials"] if trial["rejected"]]
        self.assertTrue(rejected)
        for trial in rejected:
            self.assertIn("strategy=block", trial["variant"])
            self.assertIn("by the reference loops", trial["rejected"])
            self.assertTrue(trial["seconds"])
        # Each generator has its own results.
        self.assertEqual(self.chosen("--set", "solver.max_iterations=10000", env=wrong),
                         (search["best"], "kept"))
        self.assertEqual(self.chosen(), (kept, "kept"))
        unused = self.folder / "kernels" / "fem" / "constrain.kernel"
        unused.write_text(unused.read_text() + "// changed\n")
        self.assertEqual(self.chosen("--set", 'device.strategy="cell"', env=wrong)[1], "model")

    def test_stages_of_laws(self):
        self.know_the_machine()
        self.write("case.toml", LAW)
        done = self.weft("run", "case.toml", "--out", "out", env=self.env)
        self.assertEqual(self.results()["variants_from"], {"dg_stage": "default"})
        done = self.weft("tune", "case.toml", *SEARCH, 1, "--json", "tune.json", env=self.env)
        self.assertIn("a stage of the scheme", done.stderr)
        search = json.loads((self.folder / "tune.json").read_text())
        self.assertEqual(search["kernel"], "dg_stage")
        self.assertTrue(search["trials"][0]["validated"])
        self.weft("run", "case.toml", "--out", "out", env=self.env)
        results = self.results()
        self.assertEqual(results["variants"], {"dg_stage": search["best"]})
        self.assertEqual(results["variants_from"], {"dg_stage": "kept"})
        # Other constants are the same problem, another flux is not.
        for change, source in (("flux.u=[7*u, 5*u]", "kept"), ("flux.u=[3*u, u^2]", "default")):
            key, value = change.split("=")
            self.weft("run", "case.toml", "--out", "out", "--set",
                      f'conservation_law.{key}="{value}"', env=self.env)
            self.assertEqual(self.results()["variants_from"], {"dg_stage": source}, change)
        lanes = search["best"].split("lanes=")[1].split()[0]
        other = f"stores=streamed kernels=separate lanes={lanes} rows=2 products=whole groups_per_item=1 ahead=2"
        self.write("other.json", json.dumps({"dg_stage": other}))
        self.weft("run", "case.toml", "--out", "out", "--variants", "other.json", env=self.env)
        results = self.results()
        self.assertTrue(results["variants"]["dg_stage"].startswith("kernels=separate"))
        self.assertEqual([kernel["kernel"].split("_")[1] for kernel in results["kernels"]],
                         ["differentiate", "flux", "lift", "update"])
        self.write("other.json", json.dumps({KERNEL: search["best"]}))
        done = self.weft("run", "case.toml", "--variants", "other.json", env=self.env,
                         expect=WRONG_INPUT)
        self.assert_error(done, "other.json", KERNEL, "dg_stage")

    def test_kernels_of_laws_are_explained(self):
        self.know_the_machine()
        self.write("case.toml", LAW)
        done = self.weft("explain", "case.toml", "--repeats", 2, "--json", env=self.env)
        kernels = [kernel for kernel in json.loads(done.stdout)["kernels"]
                   if kernel["kernel"].startswith("dg_")]
        self.assertEqual({kernel["kernel"].split("_")[1] for kernel in kernels}, {"fused", "step"})
        for kernel in kernels:
            self.assertTrue(kernel["counted"])
            for figure in ("seconds", "predicted_s", "flops", "bytes", "fraction"):
                self.assertGreater(kernel[figure], 0, figure)


class BenchDg(TuningTest):
    def setUp(self):
        super().setUp()
        self.know_the_machine()

    def test_rows_of_each_stage(self):
        self.weft("bench", "dg", "--form", "euler", "--cell", "triangle", "--order", 1, "--precision",
                  "f64", "--dofs", 1000, "--budget", 0, "--repeats", 3, "--json", "dg.json",
                  "--csv", "dg.csv", "--plot", "plots", env=self.env)
        rows = json.loads((self.folder / "dg.json").read_text())["rows"]
        self.assertEqual([row["stage"] for row in rows],
                         ["differentiate", "flux", "lift", "update", "fused"])
        for row in rows:
            self.assertEqual((row["form"], row["cell"], row["element"]), ("euler", "triangle", "DG1"))
            for figure in ("seconds", "flops", "bytes", "stream_gbps", "peak_gflops", "predicted_s",
                           "fraction", "ns_per_dof"):
                self.assertGreater(row[figure], 0, figure)
        with open(self.folder / "dg.csv", newline="") as stream:
            self.assertEqual(len(list(csv.DictReader(stream))), 5)
        for number in (9, 10):
            self.assertTrue((self.folder / "plots" / f"figure26_{number}_euler_f64.csv").exists())

    def test_a_search(self):
        done = self.weft("bench", "dg", "--search", "--form", "euler", "--cell", "triangle",
                         "--order", 1, "--dofs", 1000, "--budget", 1, "--csv", "search.csv",
                         "--plot", "plots", env=self.env)
        self.assertRegex(done.stdout, r": \d+ of \d+ candidates timed")
        self.assertTrue((self.folder / "plots" / "search_times.csv").exists())
        with open(self.folder / "search.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertGreater(int(rows[0]["candidates"]), len(rows))
        self.assertIn(rows[0]["disturbed"], ("true", "false"))
        # What the budget allows, and the best in any case.
        self.assertIn("1.0", [row["ratio"] for row in rows])
        self.assertTrue(all(row["reason"] == "" for row in rows))

    def test_work_of_differentiation(self):
        done = self.weft("bench", "dg", "--differentiation", "--form", "euler", "--cell", "triangle",
                         "--order", 1, "--dofs", 1000, "--budget", 0.1, "--csv", "work.csv",
                         "--plot", "plots", env=self.env)
        self.assertRegex(done.stdout, r"\d+ candidates: groups_per_item, lanes, lanes and rows varied")
        with open(self.folder / "work.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertIn(f"{len(rows)} of {rows[0]['candidates']} candidates timed", done.stdout)
        for row in rows:
            self.assertIn("kernels=separate", row["variant"])
            self.assertIn(f"groups_per_item={row['sequence']}", row["variant"])
            self.assertIn(f"lanes={row['in_line']}", row["variant"])
            self.assertGreater(float(row["seconds"]), 0)
        self.assertTrue((self.folder / "plots" / "figure26_8.csv").exists())
        self.weft("bench", "dg", "--exhaustive", env=self.env, expect=WRONG_INPUT)

    def test_a_law_without_such_cells(self):
        done = self.weft("bench", "dg", "--form", "maxwell", "--cell", "triangle", "--budget", 0,
                         env=self.env, expect=WRONG_INPUT)
        self.assert_error(done, "Maxwell", "triangle", "tetrahedron")


if __name__ == "__main__":
    unittest.main()
