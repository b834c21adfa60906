"""Conservation laws as a user runs them: orders, restarts, runs that fail, and what is refused."""

import csv
import math
import unittest

from weft_cli import NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, replaced

# A sine that goes round once, in a box without boundary.
ADVECTION = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle", periodic = ["x", "y"] }

[fields]
u = { element = "DG3" }

[conservation_law]
flux.u = "[2*u, u]"
numerical_flux = "lax_friedrichs"
wave_speed = "sqrt(5)"

[initial]
u = "sin(2*pi*(x + y))"

[exact]
u = "sin(2*pi*(x + y - 3*t))"

[functionals]
mass = { integral = "u" }

[time]
end = 0.1
cfl = 0.6

[output]
every = 0.05
probes = [[0.3, 0.6]]

[verify]
refine = 3
expect = { u = 4 }
"""

SCHEMES = {
    "lsrk4": "cfl = 0.6",
    "stable": "",
    "rk4": 'scheme = "rk4"\nstep = 0.002',
    "ssprk3": 'scheme = "ssprk3"\ncfl = 0.4',
    "adaptive": 'scheme = "ssprk3"\nstep = 0.005\nadaptive = { tolerance = 1e-4 }',
}

# u grows with the time until its source is a root of what is negative.
ENDS = """\
[mesh]
box = { cells = [2, 2], cell = "quadrilateral" }

[fields]
v = { element = "DG1" }
u = { element = "DG1" }

[conservation_law]
flux.v = "[v, 0]"
source.u = "where(x > 0.5, sqrt(0.25 - t), 1)"
wave_speed = "1"

[boundary.all]
outer = { v = 0, u = "minus(u)" }

[time]
end = 1
step = 0.01
"""


class Laws(CommandLineTest):
    def test_a_wave_goes_round(self):
        done = self.run_case(ADVECTION)
        self.assertIn("evaluations of the right-hand side", done.stdout)
        results = self.results()
        self.assertEqual(results["dofs"], 32 * 10)
        self.assertLess(results["errors"]["u"]["L2"], 0.02)
        self.assertLess(abs(results["functionals"]["mass"]), 1e-13)
        self.assertEqual(results["time"]["stages"], 5 * results["time"]["steps"])
        self.assertLessEqual(results["timings"]["first_kernel_s"], results["timings"]["total_s"])
        with open(self.folder / "out" / "probes.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), results["time"]["steps"] + 1)
        exact = math.sin(2 * math.pi * (0.9 - 3 * float(rows[-1]["time"])))
        self.assertAlmostEqual(float(rows[-1]["u"]), exact, delta=0.05)
        for number in range(3):
            self.assertTrue((self.folder / "out" / f"fields_{number:04}.vtu").exists())

    def test_orders(self):
        self.write("case.toml", ADVECTION)
        self.weft("verify", "case.toml")
        self.write("fixed.toml", replaced(ADVECTION, "cfl = 0.6", "step = 0.005"))
        self.weft("verify", "fixed.toml")
        done = self.weft("verify", "case.toml", "--set", "verify.expect.u=5", expect=NUMBERS_FAILED)
        self.assert_error(done, "order of u in L2 is too low")

    def test_steps_are_stable_by_themselves(self):
        without = replaced(ADVECTION, "cfl = 0.6\n", "")
        self.run_case(without)
        self.assertLess(self.results()["errors"]["u"]["L2"], 0.02)
        own = self.results()["time"]["steps"]
        done = self.run_case(without, "--set", "time.cfl=6", expect=NUMBERS_FAILED)
        self.assertIn("cfl = 6 is more than the scheme is stable with", done.stderr)
        done = self.run_case(without, "--set", "time.cfl=0.3")
        self.assertNotIn("more than the scheme", done.stderr)
        self.assertLess(own, self.results()["time"]["steps"])
        self.write("case.toml", without)
        self.weft("verify", "case.toml")

    def test_restarts_give_the_same_bits(self):
        for name, steps in SCHEMES.items():
            with self.subTest(scheme=name):
                text = replaced(ADVECTION, "cfl = 0.6", steps)
                text = replaced(text, "every = 0.05", "every = 0.05\ncheckpoint_every = 0.05")
                self.write("case.toml", text)
                self.weft("run", "case.toml", "--out", f"{name}_whole")
                self.weft("run", "case.toml", "--out", name, "--set", "time.end=0.05")
                self.weft("run", "case.toml", "--out", name, "--restart", f"{name}/checkpoint.h5")
                files = ["functionals.csv", "probes.csv", "fields_0001.vtu", "fields_0002.vtu"]
                for file in files:
                    whole = (self.folder / f"{name}_whole" / file).read_bytes()
                    self.assertEqual(whole, (self.folder / name / file).read_bytes(), file)

    def test_a_restart_with_another_flux_is_refused(self):
        text = replaced(ADVECTION, "every = 0.05", "checkpoint_every = 0.05")
        self.run_case(text)
        self.write("other.toml", replaced(text, "[2*u, u]", "[2*u, 3*u]"))
        done = self.weft(
            "run", "other.toml", "--restart", "out/checkpoint.h5", expect=WRONG_INPUT
        )
        self.assert_error(done, "asked for something else", "[conservation_law] flux.u")

    def test_steps_too_long_are_seen_as_such(self):
        done = self.run_case(ADVECTION, "--set", "time.cfl=6", expect=NUMBERS_FAILED)
        self.assert_error(done, "the steps in time are too long", "lower [time] cfl")
        results = self.results()
        self.assertFalse(results["solver"]["converged"])
        # What is written is the last good state, not what grew.
        self.assertLess(results["errors"]["u"]["L2"], 10)
        self.assertTrue((self.folder / "out" / "fields.pvd").exists())

    def test_nan_is_caught_with_its_time_and_place(self):
        done = self.run_case(ENDS, expect=NUMBERS_FAILED)
        self.assert_error(
            done,
            "NaN or infinity",
            "at time 0.26: u is nan in the cell at (0.75, ",
            "the last good state is that at time 0.2\n",
            "lower [time] step",
        )
        self.assertAlmostEqual(self.results()["time"]["end"], 0.2, places=12)
        self.assertIn('timestep="0.2', (self.folder / "out" / "fields.pvd").read_text())

    def test_a_state_without_wave_speed(self):
        text = replaced(ADVECTION, '"sqrt(5)"', '"sqrt(u)"')
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(done, "no wave speed", "the wave speed is nan in the cell at (")

    def test_a_negative_wave_speed(self):
        for scheme in ("cfl = 0.6", "step = 0.002", 'scheme = "bdf2"\nstep = 0.01'):
            text = replaced(replaced(ADVECTION, '"sqrt(5)"', '"-1"'), "cfl = 0.6", scheme)
            done = self.run_case(text, expect=NUMBERS_FAILED)
            self.assert_error(done, "not negative", "the wave speed is -1 in the cell at (0.", "at time 0")
        # It becomes negative, and is seen at the next output.
        text = replaced(replaced(ADVECTION, '"sqrt(5)"', '"3 - 70*t"'), "cfl = 0.6", "step = 0.002")
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(done, "at time 0.05: the wave speed is -0.5 in the cell at (")

    def test_growth_without_bound(self):
        """A numerical flux that feeds what it should damp, and diffusion of the wrong sign: both
        grow by the mesh, however short the steps."""
        text = replaced(ADVECTION, 'numerical_flux = "lax_friedrichs"\n',
                        'numerical_flux.u = "dot(avg(flux), n) - 2*jump(u)"\n')  # fmt: skip
        done = self.run_case(text, "--set", "time.end=2", "--set", "time.cfl=0.1", expect=NUMBERS_FAILED)
        self.assert_error(done, "grows without bound", "wrong sign", "in the cell at (")
        results = self.results()
        self.assertLess(results["time"]["end"], 2)
        self.assertLess(results["errors"]["u"]["L2"], 1e8)
        self.assertFalse(results["functionals_converged"])

    def test_steps_too_short(self):
        text = replaced(ADVECTION, '"sqrt(5)"', '"1e30"')
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(
            done, "too short to go on", "would lie before the end", "at time 0:",
            "the shortest step is that of the cell at (", "wave speed 1e+30",
        )  # fmt: skip
        text = replaced(ADVECTION, "end = 0.1", "start = 1e14\nend = 1.00000000000001e14")
        text = replaced(text, "every = 0.05", "every = 1")
        self.assert_error(self.run_case(text, expect=NUMBERS_FAILED), "rounding of the time")

    def test_boundaries_that_lack_a_condition(self):
        text = replaced(ADVECTION, ', periodic = ["x", "y"]', ', periodic = ["y"]')
        done = self.run_case(text, expect=WRONG_INPUT)
        self.assert_error(done, "without a condition", "4 in x0", "4 in x1", "[boundary.all]")
        one = text + '\n[boundary.x0]\nouter = { u = "0" }\n'
        self.assert_error(self.run_case(one, expect=WRONG_INPUT), "4 in x1")
        twice = text + '\n[boundary.all]\nouter = { u = "0" }\n[boundary.y0]\nouter = { u = "0" }\n'
        self.assert_error(self.run_case(twice, expect=WRONG_INPUT), "inside the mesh", "y0")
        unknown = text + '\n[boundary.inlet]\nouter = { u = "0" }\n'
        self.assert_error(self.run_case(unknown, expect=WRONG_INPUT), "inlet", "x0")

    def test_stages_of_check(self):
        self.write("case.toml", ADVECTION)
        self.assertIn("field u: DG3", self.weft("check", "case.toml", "--stage", "space").stdout)
        form = self.weft("check", "case.toml", "--stage", "form").stdout
        self.assertIn("flux(u)[0] = 2*u", form)
        self.assertIn("WEFT_KERNEL", self.weft("check", "case.toml", "--stage", "source").stdout)
        self.assertIn("nothing wrong", self.weft("check", "case.toml").stdout)

    def test_settings_of_weak_forms_are_refused(self):
        text = ADVECTION + '\n[device]\nstrategy = "block"\n'
        self.assert_error(
            self.run_case(text, expect=WRONG_INPUT), "strategy belongs to weak forms", '"block"'
        )

    def test_kernels_are_listed(self):
        self.write("case.toml", ADVECTION)
        cost = self.weft("check", "case.toml", "--stage", "cost").stdout
        self.assertIn("dg_fused_case_triangle_p3_f64", cost)
        self.assertIn("dg_step_case_triangle_p3_f64", cost)
        self.run_case(ADVECTION)
        (kernel,) = self.results()["kernels"]
        self.assertEqual(kernel["kernel"], "dg_fused_case_triangle_p3_f64")
        self.assertEqual((kernel["cells"], kernel["dofs"]), (32, 320))
        for figure in ("seconds", "flops", "bytes", "gflops"):
            self.assertGreater(kernel[figure], 0)
        self.assertEqual(self.results()["variants"], {"dg_stage": kernel["variant"]})

    def test_kernels_compile_without_a_warning(self):
        env = {"XDG_CACHE_HOME": str(self.folder / "cache"), "POCL_CACHE_DIR": ""}
        for element in "DG3", "FV":
            with self.subTest(element=element):
                text = replaced(ADVECTION, '"DG3"', f'"{element}"')
                done = self.run_case(text, "-q", env=env)
                self.assertNotIn("warning", done.stderr + done.stdout)

    def test_ablations_do_not_know_laws(self):
        self.write("case.toml", ADVECTION)
        done = self.weft("explain", "case.toml", "--ablate", "gather", expect=WRONG_INPUT)
        self.assert_error(done, "does not know conservation laws yet")


if __name__ == "__main__":
    unittest.main()
