"""weft bench residual --paper and weft bench search: how much there is to do is said first, kernels are
compiled ahead by other processes, rows and files have their marks. What is timed is not looked at."""

import csv
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from test_tune import TuningTest
from weft_cli import PROGRAM, ROOT, WRONG_INPUT


class CompileAhead(TuningTest):
    def test_a_worker_fills_the_cache_that_others_read(self):
        job = {"form": "poisson", "cell": "triangle", "order": 1, "nodes": 100, "mesh_file": "",
               "trust": False, "edges": None, "precision": "f32",
               "variant": "strategy=cell geometry=stored lanes=4"}
        env = {**os.environ, **self.env, "XDG_CACHE_HOME": str(self.folder / "cache")}
        env.pop("POCL_CACHE_DIR", None)  # which would keep kernels by itself
        answers = subprocess.run([PROGRAM, "compile-ahead"], input=json.dumps(job) + "\nno job\n", env=env,
                                 capture_output=True, text=True, check=True, timeout=200).stdout
        good, bad = answers.splitlines()
        self.assertEqual(good, "")
        self.assertIn("no job of a worker", bad)
        kept = subprocess.run([PROGRAM, "cache", "ls"], env=env, capture_output=True, text=True, check=True,
                              timeout=60).stdout
        self.assertRegex(kept, r"residual_poisson_triangle_p1\w*_cell_f32")


class Search(TuningTest):
    def test_says_how_many_of_how_many(self):
        self.know_the_machine()
        done = self.weft("bench", "search", "--cell", "triangle", "--nodes", 100, "--precision", "f32",
                         "--budget", 1, "--out", "out", env=self.env)
        self.assertRegex(done.stdout, r"(?m)^\d+ candidates$")
        self.assertRegex(done.stdout, r"\d+ of \d+ candidates timed in")
        with open(self.folder / "out" / "search.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertGreaterEqual(int(rows[0]["candidates"]), len(rows))
        self.assertEqual({row["disturbed"] for row in rows if row["seconds"]} - {"true", "false"}, set())
        with open(self.folder / "out" / "search_times.csv", newline="") as stream:  # the plot's points
            self.assertEqual(next(csv.reader(stream)), ["series", "x", "y"])
        self.assertFalse(list((self.folder / "out").glob("figure26*")))

    def test_a_budget_is_not_exhaustive(self):
        done = self.weft("bench", "search", "--budget", 1, "--exhaustive", env=self.env, expect=WRONG_INPUT)
        self.assertIn("--exhaustive", done.stderr)
        self.assertIn("--paper", self.weft("bench", "residual", "--exhaustive", env=self.env,
                                           expect=WRONG_INPUT).stderr)


class Marks(TuningTest):
    def test_rows_of_residuals(self):
        self.know_the_machine()
        self.weft("mesh", "box", "--cell", "tetrahedron", "--cells", 3, 3, 3, "--output", "box.msh",
                  env=self.env)
        done = self.weft("bench", "residual", "--mesh", "box.msh", "--form", "poisson_P1", "--precision",
                         "f32", "--repeats", 3, "--json", "rows.json", "--csv", "rows.csv", env=self.env)
        rows = json.loads((self.folder / "rows.json").read_text())["rows"]
        self.assertTrue(rows)
        for row in rows:
            self.assertTrue(row["in_cache"])  # a few hundred cells
            self.assertIsInstance(row["disturbed"], bool)
            self.assertEqual(row["disturbance"] is not None, row["disturbed"])
        num_busy = sum(row["disturbed"] for row in rows)
        if num_busy:
            self.assertIn(f"busy: {num_busy} of {len(rows)} rows", done.stdout)
        marked = [line for line in done.stdout.splitlines() if line.endswith(" busy")]
        self.assertEqual(len(marked), num_busy)


class Orders(TuningTest):
    def test_products_have_predictions(self):
        self.know_the_machine()
        done = self.weft("bench", "orders", "--orders", "1,2", "--dofs", 200, "--precision", "f32", "--repeats", 3,
                         "--json", "rows.json", "--csv", "rows.csv", env=self.env)
        rows = json.loads((self.folder / "rows.json").read_text())["rows"]
        with open(self.folder / "rows.csv", newline="") as stream:
            table = list(csv.DictReader(stream))[:len(rows)]
        self.assertEqual([row["order"] for row in rows], [1, 2])
        for row, line in zip(rows, table, strict=True):
            self.assertAlmostEqual(row["predicted_over_measured"], row["predicted_s"] / row["seconds"])
            self.assertGreater(row[f"{row['bound']}_s"], 0)
            self.assertAlmostEqual(float(line["predicted_s"]), row["predicted_s"])
        head, *lines = [line.split() for line in done.stdout.splitlines() if re.match("problem|poisson", line)]
        self.assertEqual(len(lines), len(rows))
        # The column above which nothing stands is the precision's.
        place = head.index("predicted") + 1
        for row, line in zip(rows, lines, strict=True):
            self.assertAlmostEqual(float(line[place]), 1e9 * row["predicted_s"] / row["dofs"], delta=0.006)
        errors = sorted(abs(row["predicted_over_measured"] - 1) for row in rows)
        self.assertIn(f"all: 2 rows, error of the prediction {50 * sum(errors):.1f}% in the median, "
                      f"{100 * errors[-1]:.1f}% at worst", done.stdout)


# In the place of mpirun and of a peer's program: takes what bench/peers/hexahedra hands to one, and answers it.
PEER = """#!/usr/bin/env python3
import json
import sys

said = sys.argv[1:]
value = {key: int(said[said.index(f"--{key}") + 1]) for key in ("cells", "order", "points")}
print(json.dumps({"cells": value["cells"]**3, "dofs": (value["cells"]*value["order"] + 1)**3,
                  "points": value["points"], "seconds": 1, "energy": ENERGY, "said": said}))
"""


class Hexahedra(TuningTest):
    def compare(self, energy, *arguments):
        self.know_the_machine()
        programs = {"mpirun": PEER, "mfem": "", "libceed": PEER}
        for name, text in programs.items():
            self.write(name, text.replace("ENERGY", energy)).chmod(0o755)
        return subprocess.run([ROOT / "bench" / "peers" / "hexahedra", "--build", PROGRAM.parent, "--dofs", "200",
                               "--rounds", "2", "--repeats", "3", "--libceed", "libceed", *arguments],
                              env={**os.environ, **self.env, "PATH": f"{self.folder}:{os.environ['PATH']}"},
                              cwd=self.folder, capture_output=True, text=True, timeout=200)

    def test_ratios_of_peers(self):
        done = self.compare("14*19/12", "--mfem", "mfem", "--backend", "/cpu/self/ref", "--orders", "1", "2",
                            "--json", "all.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        orders = json.loads((self.folder / "all.json").read_text())
        self.assertEqual([of["order"] for of in orders], [1, 2])
        for of in orders:
            self.assertEqual(list(of["runs"]), ["Weft", "MFEM", "libCEED ref"])
            self.assertEqual([len(runs) for runs in of["runs"].values()], [2, 2, 2])
            weft = of["runs"]["Weft"][0]
            self.assertEqual(weft["points"], of["order"] + 2)
            said = of["runs"]["MFEM"][0]["said"]
            self.assertEqual(said[:2], ["-n", "2"])
            self.assertEqual(Path(said[-9]).name, "mfem")
            self.assertEqual(of["runs"]["libCEED ref"][0]["said"][:2], ["--backend", "/cpu/self/ref"])
            ratios = [1 / run["seconds"] for run in of["runs"]["Weft"]]
            self.assertIn(f"{sum(ratios) / 2:.2f} ({min(ratios):.2f} to {max(ratios):.2f})", done.stdout)

    def test_another_operator_is_no_peer(self):
        done = self.compare("22", "--orders", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does something else", done.stderr)


if __name__ == "__main__":
    unittest.main()
