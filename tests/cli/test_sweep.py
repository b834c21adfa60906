"""weft sweep: a case for many values of its parameters."""

import csv
import json
import signal
import subprocess
import time
import unittest

from weft_cli import NUMBERS_FAILED, PROGRAM, WRONG_INPUT, CommandLineTest, extended

# T = q (L - x)/k + q/h on a wall of thickness 1: T_hot = q/k + q/h, Q = q.
WALL = """
[mesh]
box = { size = [1, 0.5], cells = [8, 4], cell = "quadrilateral" }
[parameters]
k = 2.0
h = 4.0
q = 10.0
b = [1.0, 2.0]
[fields]
T = { element = "P1" }
[weak_form]
cells.all = "k*inner(grad(T), grad(test(T)))"
facets.x0 = "-q*test(T)"
facets.x1 = "h*T*test(T)"
facets.y0 = "0*b[0]*test(T)"
[functionals]
T_hot = { average = "T", facets = "x0" }
flux = { average = "k*grad(T)" }
[solver]
tolerance = 1e-12
"""

# u' = -rate u from 1, by steps of Crank and Nicolson.
DECAY = """
[mesh]
box = { size = [1, 1], cells = [2, 2] }
[parameters]
rate = 1.0
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "dt(u)*test(u) + rate*u*test(u)"
[initial]
u = "1"
[time]
scheme = "theta"
theta = 0.5
end = 0.5
step = 0.1
[functionals]
u = { average = "u" }
"""

# Fewer steps of Newton's method than large a take.
HARD = """
[mesh]
box = { size = [1, 1], cells = [4, 4] }
[parameters]
a = 0.0
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + a*u**3*test(u) - test(u)"
[dirichlet]
all = { u = 0 }
[functionals]
u = { average = "u" }
[solver]
newton.max_iterations = 2
"""


class Sweep(CommandLineTest):
    def rows(self, folder="out/sweep"):
        with open(self.folder / folder / "sweep.csv", newline="") as file:
            return list(csv.DictReader(file))

    def sweep(self, text, *options, expect=0):
        self.write("case.toml", text)
        return self.weft("sweep", "case.toml", *options, expect=expect)

    def test_all_combinations_are_those_of_runs_alone(self):
        done = self.sweep(WALL, "--over", "k=1:4:3", "--over", "parameters.h=1:16:3log")
        rows = self.rows()
        self.assertEqual(list(rows[0]), ["sample", "k", "h", "T_hot", "flux[0]", "flux[1]", "iterations",
                                         "newton_steps", "seconds", "converged"])  # fmt: skip
        self.assertEqual([(float(row["k"]), float(row["h"])) for row in rows],
                         [(1, 1), (1, 4), (1, 16), (2.5, 16), (2.5, 4), (2.5, 1), (4, 1), (4, 4), (4, 16)])  # fmt: skip
        for row in rows:
            self.assertEqual(row["converged"], "true")
            self.assertAlmostEqual(float(row["T_hot"]), 10 / float(row["k"]) + 10 / float(row["h"]), delta=1e-8)
            self.assertAlmostEqual(float(row["flux[0]"]), -10, delta=1e-8)
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.split()[0].isdigit()]), 9)
        for name in ("T_hot", "flux_0_", "flux_1_"):
            self.assertIn("<svg", (self.folder / f"out/sweep/sweep_{name}.svg").read_text())
        # One of them by `weft run`.
        self.weft("run", "case.toml", "--set", "parameters.k=2.5", "--set", "parameters.h=4.0", "--out", "alone")
        alone = json.loads((self.folder / "alone/results.json").read_text())["functionals"]["T_hot"]
        self.assertAlmostEqual(float(rows[4]["T_hot"]), alone, delta=1e-9 * alone)

    def test_goes_on_where_it_was_killed(self):
        over = ("--over", "h=1:50:40")
        self.sweep(WALL, *over)
        whole = self.rows()
        file = self.folder / "out/sweep/sweep.csv"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[:26]) + lines[26][:7])  # 25 rows and a part of one
        done = self.sweep(WALL, *over)
        self.assertIn("25 of 40 samples are in", done.stderr)
        self.assertEqual(len(self.rows()), 40)
        for before, after in zip(whole, self.rows(), strict=True):
            self.assertEqual((before["sample"], before["h"]), (after["sample"], after["h"]))
            self.assertAlmostEqual(float(before["T_hot"]), float(after["T_hot"]), delta=1e-8)
        seconds = [row["seconds"] for row in self.rows()]
        self.assertEqual(seconds[:25], [row["seconds"] for row in whole][:25])  # those were not solved again

    @extended
    def test_goes_on_after_a_kill(self):
        self.write("case.toml", WALL.replace("[8, 4]", "[120, 60]"))
        command = [PROGRAM, "sweep", "case.toml", "--over", "h=1:50:400"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = self.folder / "out/sweep/sweep.csv"
        until = time.monotonic() + 60
        while time.monotonic() < until and not (file.exists() and file.read_text().count("\n") > 5):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        solved = file.read_text().count("\n") - 1
        self.assertGreater(solved, 4)
        self.assertLess(solved, 400)
        done = self.weft("sweep", "case.toml", "--over", "h=1:50:400")
        self.assertIn(f"{solved} of 400 samples are in", done.stderr)
        rows = self.rows()
        self.assertEqual(len(rows), 400)
        for row in rows:
            self.assertAlmostEqual(float(row["T_hot"]), 5 + 10 / float(row["h"]), delta=1e-7)

    def test_another_sweep_moves_what_is_there(self):
        self.sweep(WALL, "--over", "h=1,2")
        self.sweep(WALL, "--over", "h=1,3")
        self.assertEqual([row["h"] for row in self.rows()], ["1", "3"])
        self.assertEqual([row["h"] for row in self.rows("out/sweep/previous")], ["1", "2"])
        done = self.sweep(WALL.replace("q = 10.0", "q = 20.0"), "--over", "h=1,3")
        self.assertIn("previous", done.stderr)
        self.assertAlmostEqual(float(self.rows()[0]["T_hot"]), 10 + 20, delta=1e-8)

    def test_loads_alone_take_no_iterations(self):
        """The solution is affine in loads and prescribed values: two of them give all others."""
        text = WALL + '[dirichlet]\ny1 = { T = "q*x" }\n'
        self.sweep(text, "--over", "q=1,2,3,5,8")
        rows = self.rows()
        self.assertTrue(all(row["converged"] == "true" for row in rows))
        self.assertGreater(int(rows[0]["iterations"]), 0)
        self.assertEqual([row["iterations"] for row in rows[2:]], ["0", "0", "0"])
        for row in rows:
            self.assertAlmostEqual(float(row["T_hot"]) / float(row["q"]), float(rows[0]["T_hot"]), delta=1e-8)

    @extended
    def test_loads_of_one_matrix_are_solved_together(self):
        """No load is a combination of others; four samples take the iterations of one."""
        text = (WALL.replace('"-q*test(T)"', '"-q*test(T)*where(y < a, 1, 0)"')
                    .replace("[8, 4]", "[24, 24]").replace("k = 2.0", "k = 2.0\na = 0.1")
                + '[dirichlet]\ny1 = { T = "sin(a*x)" }\n')  # fmt: skip
        over = ("--over", "a=0.02:0.49:11")
        for solver in ('preconditioner = "multigrid"', 'preconditioner = "jacobi"', 'method = "gmres"'):
            with self.subTest(solver=solver):
                case = text + f'[solver]\n{solver}\noperator = "assembled"\ntolerance = 1e-12\n'
                self.sweep(case.replace("[solver]\ntolerance = 1e-12\n", "", 1), *over)
                rows = self.rows()
                self.assertTrue(all(row["converged"] == "true" for row in rows))
                self.assertEqual(len({row["seconds"] for row in rows[2:6]}), 1)  # the mean of four
                self.assertEqual(len({row["iterations"] for row in rows[2:6]}), 1)
                self.assertLess(int(rows[2]["iterations"]), 1.5 * int(rows[0]["iterations"]) + 3)
                for row in (rows[4], rows[10]):
                    self.weft("run", "case.toml", "--set", f"parameters.a={row['a']}", "--out", "alone")
                    alone = json.loads((self.folder / "alone/results.json").read_text())["functionals"]
                    self.assertAlmostEqual(float(row["T_hot"]), alone["T_hot"], delta=1e-9 * abs(alone["T_hot"]))
                    for k in range(2):
                        self.assertAlmostEqual(float(row[f"flux[{k}]"]), alone["flux"][k], delta=1e-8)

    def test_samples(self):
        self.sweep(WALL, "--over", "k=1:2", "--over", "h=1:100:log", "--samples", "20")
        rows = self.rows()
        self.assertEqual(len(rows), 20)
        for row in rows:
            k, h = float(row["k"]), float(row["h"])
            self.assertTrue(1 <= k <= 2 and 1 <= h <= 100)
            self.assertAlmostEqual(float(row["T_hot"]), 10 / k + 10 / h, delta=1e-8)

    def test_in_time_each_begins_anew(self):
        self.sweep(DECAY, "--over", "rate=1,2,3")
        for row in self.rows():
            share = (1 - 0.05 * float(row["rate"])) / (1 + 0.05 * float(row["rate"]))
            self.assertAlmostEqual(float(row["u"]), share**5, delta=1e-8)

    def test_samples_that_do_not_converge(self):
        done = self.sweep(HARD, "--over", "a=0,1e5,1", expect=NUMBERS_FAILED)
        self.assertIn("1 of 3 samples did not converge", done.stderr)
        self.assertIn("sample 2", done.stderr)
        rows = self.rows()
        self.assertEqual([row["converged"] for row in rows], ["true", "false", "true"])
        self.assertEqual(rows[1]["u"], "")
        self.assertIn("NOT CONVERGED", done.stdout)

    def test_as_json(self):
        done = self.sweep(WALL, "--over", "h=1,2", "--json")
        rows = json.loads(done.stdout)
        self.assertEqual([row["parameters"] for row in rows], [{"h": 1.0}, {"h": 2.0}])
        self.assertAlmostEqual(rows[1]["functionals"]["T_hot"], 10, delta=1e-8)
        self.assertTrue(all(row["converged"] for row in rows))

    def test_wrong_input(self):
        for options, said in (
            (("--over", "hh=1,2"), "did you mean"),
            (("--over", "h=1:2"), "COUNT"),
            (("--over", "h=1;2"), "NAME=FROM:TO:COUNT"),
            (("--over", "b=1,2"), "2 components"),
            (("--over", "h=1,2", "--over", "h=3,4"), "twice"),
            (("--over", "h=1,2", "--samples", "3"), "without a range"),
            (("--over", "mesh.size=1,2"), "mesh.size"),
        ):
            with self.subTest(options=options):
                self.assertIn(said, self.sweep(WALL, *options, expect=WRONG_INPUT).stderr)
                self.assertFalse((self.folder / "out/sweep").exists())
        without = WALL.split("[functionals]")[0]
        self.assertIn("[functionals]", self.sweep(without, "--over", "h=1,2", expect=WRONG_INPUT).stderr)


if __name__ == "__main__":
    unittest.main()
