"""Cases in stages: each on the state of those before, on one mesh."""

import math
import unittest

from ranks_cli import HAS_MPI, RanksTest
from weft_cli import WRONG_INPUT, CommandLineTest, line_of, replaced

# A sine is solved for, u = sin(pi x) up to the mesh; then decays from there; then its square is summed up.
DECAY = """\
title = "Decay"

[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [16, 2], cell = "quadrilateral" }

[parameters]
c = 1.0

[[stage]]
name = "steady"
[stage.fields]
u = { element = "P2" }
[stage.weak_form]
cells.all = "inner(grad(u), grad(test(u))) - pi^2*sin(pi*x)*test(u)"
[stage.dirichlet]
x0 = { u = 0 }
x1 = { u = 0 }
[stage.functionals]
top = { maximum = "u" }
[stage.exact]
u = "sin(pi*x)"

[[stage]]
name = "decay"
[stage.fields]
u = { element = "P2" }
[stage.weak_form]
cells.all = "dt(u)*test(u) + c*inner(grad(u), grad(test(u)))"
[stage.dirichlet]
x0 = { u = 0 }
x1 = { u = 0 }
[stage.time]
end = 0.1
step = 0.002
[stage.functionals]
top = { maximum = "u" }

[[stage]]
name = "square"
[stage.fields]
w = { element = "P1" }
[stage.weak_form]
cells.all = "w*test(w) - u^2*test(w)"
[stage.functionals]
mean = { average = "w" }
slope = { average = "norm(grad(u))^2" }
[stage.output]
fields = ["w", "u"]
"""
TOP = math.exp(-0.1 * math.pi**2)


class Stages(CommandLineTest):
    def test_each_begins_where_the_one_before_ended(self):
        done = self.run_case(DECAY)
        results = self.results()
        self.assertEqual(results["stage"], "square")
        self.assertEqual(list(results["stages"]), ["steady", "decay"])
        self.assertAlmostEqual(results["stages"]["steady"]["functionals"]["top"], 1, 4)
        self.assertLess(results["stages"]["steady"]["errors"]["u"]["L2"], 1e-4)
        self.assertAlmostEqual(results["stages"]["decay"]["functionals"]["top"], TOP, 3)
        self.assertAlmostEqual(results["functionals"]["mean"], TOP**2 / 2, 3)
        self.assertAlmostEqual(results["functionals"]["slope"] / (math.pi * TOP) ** 2, 0.5, 3)
        for stage in ("steady", "decay"):
            own = self.results(f"out/{stage}")
            self.assertEqual(own["functionals"], results["stages"][stage]["functionals"])
            self.assertTrue((self.folder / "out" / stage / "fields.pvd").exists())
        self.assertTrue((self.folder / "out" / "fields.pvd").exists())
        self.assertIn("stage steady", done.stdout + done.stderr)
        # Again: what the first run left is set aside in each folder.
        self.weft("run", "case.toml", "--out", "out")
        self.assertTrue((self.folder / "out" / "steady" / "previous" / "results.json").exists())

    def test_settings_go_to_all_stages_or_to_one(self):
        self.run_case(DECAY, "--set", "decay.time.end=0.05", "--set", "parameters.c=2")
        self.assertAlmostEqual(self.results()["stages"]["decay"]["functionals"]["top"], TOP, 3)

    def test_values_of_its_own_at_the_start(self):
        text = replaced(DECAY, "[stage.time]", '[stage.initial]\nu = "2*sin(pi*x)"\n[stage.time]')
        self.run_case(text)
        self.assertAlmostEqual(self.results()["stages"]["decay"]["functionals"]["top"], 2 * TOP, 3)

    def test_expected_values_of_stages(self):
        self.write(
            "expect.toml",
            'source = "exact"\n[functionals]\nslope = { above = 0 }\n'
            "[stages.steady.functionals]\ntop = { value = 1.0, absolute = 1e-3 }\n"
            f"[stages.decay.functionals]\ntop = {{ value = {TOP}, relative = 1e-3 }}\n",
        )
        self.run_case(DECAY, "--expect")
        self.write("expect.toml", 'source = "none"\n[stages.decay.functionals]\ntop = { below = 0.1 }\n')
        self.assert_error(self.run_case(DECAY, "--expect", expect=1), "functionals.top", "below 0.1")
        self.write("expect.toml", 'source = "none"\n[stages.other.functionals]\ntop = { below = 0.1 }\n')
        self.assert_error(self.run_case(DECAY, "--expect", expect=WRONG_INPUT), "[stages.other]", "steady")

    def test_check_looks_at_all_stages(self):
        self.write("case.toml", DECAY)
        shown = self.weft("check", "case.toml").stdout
        for stage in ("steady", "decay", "square"):
            self.assertIn(f"stage {stage}", shown)
        self.assertIn("w", self.weft("check", "case.toml", "--stage", "space").stdout)
        text = replaced(DECAY, "u^2*test(w)", "v^2*test(w)")
        self.write("case.toml", text)
        self.assert_error(self.weft("check", "case.toml", expect=WRONG_INPUT), f"case.toml:{line_of(text, 'v^2')}")


class Mistakes(CommandLineTest):
    def assert_refused(self, text, *parts, arguments=()):
        self.assert_error(self.run_case(text, *arguments, expect=WRONG_INPUT), *parts)

    def test_names(self):
        self.assert_refused(replaced(DECAY, 'name = "decay"\n', ""), "a stage without a name", "case.toml:")
        self.assert_refused(replaced(DECAY, 'name = "decay"', 'name = "steady"'), "two stages of one name")
        self.assert_refused(replaced(DECAY, 'name = "decay"', 'name = "../out"'), "no folder of results")
        self.assert_refused(replaced(DECAY, 'name = "decay"', 'name = "time"'), "the name of a table")

    def test_tables(self):
        self.assert_refused(
            replaced(DECAY, "[stage.time]", "[stage.mesh]\norder = 2\n[stage.time]"),
            "[mesh] of a single stage",
            "outside of the stages",
        )
        self.assert_refused(
            replaced(DECAY, "[stage.time]", "[stage.tim]"), 'unknown table "tim"', 'did you mean "time"'
        )
        self.assert_refused(
            replaced(DECAY, "[stage.time]", '[stage.output]\ndirectory = "a"\n[stage.time]'), "folder of results"
        )

    def test_errors_of_later_stages_come_before_the_first_is_solved(self):
        done = self.run_case(replaced(DECAY, "step = 0.002", "stop_at = 3"), expect=WRONG_INPUT)
        self.assert_error(done, "stop_at")
        self.assertFalse((self.folder / "out").exists())

    def test_fields_of_another_shape(self):
        text = replaced(DECAY, 'w = { element = "P1" }', 'u = { element = "P1", shape = 2 }')
        self.assert_refused(text, "another shape than in an earlier stage")

    def test_discontinuous_fields(self):
        text = DECAY.replace('u = { element = "P2" }', 'u = { element = "DG1" }').replace("c*inner", "inner")
        self.assert_refused(text, "discontinuous field of an earlier stage")

    def test_what_stages_are_not_for(self):
        self.assert_refused(DECAY, "--restart with a case in stages", arguments=("--restart", "a.h5"))
        self.write("case.toml", DECAY)
        self.assert_error(self.weft("explain", "case.toml", expect=WRONG_INPUT), "was not solved here")
        text = DECAY.replace("top = { maximum", 'rise = { average = "u", gradient = "c" }\ntop = { maximum')
        text = text.replace("dt(u)*test(u) + ", "u*test(u) + ").replace("[stage.time]\nend = 0.1\nstep = 0.002\n", "")
        text = replaced(text, "- pi^2*sin", "- c*pi^2*sin")
        self.assert_refused(text, "a stage after the first")


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class StagesOnRanks(RanksTest):
    def test_two_processes_solve_the_same_stages(self):
        self.write("case.toml", DECAY)
        self.weft("run", "case.toml", "--out", "one")
        self.weft_on(2, "run", "case.toml", "--out", "two")
        one, two = self.results("one"), self.results("two")
        for stage in ("steady", "decay"):
            for name, value in one["stages"][stage]["functionals"].items():
                self.assertAlmostEqual(two["stages"][stage]["functionals"][name], value, 8)
        for name, value in one["functionals"].items():
            self.assertAlmostEqual(two["functionals"][name], value, 8)


if __name__ == "__main__":
    unittest.main()
