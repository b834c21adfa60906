"""Implicit steps of conservation laws as a user runs them: solvers, precisions, split sources, refusals."""

import math
import unittest

from weft_cli import BUILD_DIR, WRONG_INPUT, CommandLineTest, replaced

MODULE = BUILD_DIR / "libweft_hypre.so"

# Carried, and diffused by a tensor that no line of centres follows; what is in stays in.
LAYER = """\
[mesh]
box = { cells = [8, 8], cell = "triangle", distort = 0.2 }

[fields]
u = { element = "FV" }

[definitions]
K = "[[0.05, 0.02], [0.02, 0.03]]"

[conservation_law]
flux.u = "[0.2*x*(1 - x), 0]*u - dot(K, grad(u))"
limiter = "none"

[boundary.all]
flux = { u = 0 }

[initial]
u = "1 + cos(pi*x)*cos(pi*y)"

[time]
scheme = "theta"
step = 0.1
end = 0.3

[solver]
tolerance = 1e-12

[functionals]
mass = { integral = "u" }
moment = { integral = "x*u" }
square = { integral = "u^2" }
"""

SOLVERS = {
    "gmres": 'method = "gmres"',
    "bicgstab": 'method = "bicgstab"',
    "none": 'preconditioner = "none"',
    "chebyshev": 'preconditioner = "chebyshev"',
    "multigrid": 'preconditioner = "multigrid"',
    "direct": 'method = "direct"',
}

# Decays everywhere alike, and is evened out: with u0 = 1 + cos(pi x) u = exp(-3t) (1 + exp(-a t) cos).
DECAY = """\
[mesh]
box = { cells = [8, 1], cell = "quadrilateral" }

[fields]
u = { element = "FV" }

[conservation_law]
flux.u = "-0.1*grad(u)"
source.u = "-3*u"

[boundary.all]
flux = { u = 0 }

[initial]
u = "1 + cos(pi*x)"

[time]
scheme = "theta"
step = 0.05
end = 0.4
reactions = "rush_larsen"

[functionals]
mass = { integral = "u" }

[output]
checkpoint_every = 0.2
"""

# A shock of speed 1/2, by Newton's method.
SHOCK = """\
[mesh]
box = { cells = [16, 4], cell = "triangle", periodic = ["y"] }

[fields]
u = { element = "FV" }

[conservation_law]
flux.u = "[u^2/2, 0]"
numerical_flux = "lax_friedrichs"
limiter = "barth_jespersen"

[boundary.all]
outer = { u = "where(x < 0.5, 1, 0)" }

[initial]
u = "where(x < 0.3, 1, 0)"

[time]
scheme = "theta"
theta = 1
step = 0.02
end = 0.4

[functionals]
mass = { integral = "u" }
highest = { maximum = "u" }
lowest = { minimum = "u" }
"""


class ImplicitLaws(CommandLineTest):
    def functionals(self, text, *arguments):
        self.run_case(text, "-q", *arguments)
        return self.results()["functionals"]

    def assert_near(self, found, expected, fraction):
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, delta=fraction * abs(value), msg=name)

    def test_solvers_agree_and_keep_the_sum(self):
        expected = self.functionals(LAYER)
        # The mean of what the cells begin with, by values at centroids, is what is kept.
        first = self.functionals(LAYER, "--set", "time.end=1e-9", "--set", "time.step=1e-9")
        self.assertAlmostEqual(expected["mass"], first["mass"], delta=1e-10)
        self.assertEqual(self.results()["solver"]["method"], "gmres")
        for name, setting in SOLVERS.items():
            with self.subTest(solver=name):
                found = self.functionals(replaced(LAYER, "[solver]", "[solver]\n" + setting))
                self.assert_near(found, expected, 1e-9)

    @unittest.skipUnless(MODULE.exists(), "SKIPPED: this build has no module of hypre")
    def test_hypre_gives_the_same_in_fewer_iterations(self):
        fine = replaced(LAYER, "cells = [8, 8]", "cells = [32, 32]")
        jacobi = self.functionals(fine)
        iterations = self.results()["solver"]["iterations"]
        hypre = self.functionals(replaced(fine, "[solver]", '[solver]\npreconditioner = "hypre"'))
        self.assert_near(hypre, jacobi, 1e-9)
        self.assertLess(self.results()["solver"]["iterations"], iterations / 2)

    def test_f32_is_f64_but_for_rounding(self):
        expected = self.functionals(LAYER)
        text = replaced(LAYER, "tolerance = 1e-12", "tolerance = 1e-5")
        text += '\n[device]\nprecision = "f32"\n'
        for preconditioner in ("jacobi", "multigrid"):
            with self.subTest(preconditioner=preconditioner):
                found = self.functionals(text, "--set", f"solver.preconditioner={preconditioner}")
                self.assert_near(found, expected, 1e-4)

    def test_split_sources_between_steps_of_theta(self):
        # Diffusion keeps the sum; a linear source is integrated exactly.
        found = self.functionals(DECAY)
        self.assertAlmostEqual(found["mass"], math.exp(-1.2), delta=1e-8)
        explicit = replaced(DECAY, 'reactions = "rush_larsen"', "substeps = 20\ntheta = 1")
        self.assertAlmostEqual(self.functionals(explicit)["mass"], math.exp(-1.2), delta=1e-5)

    def test_a_shock_moves_as_it_must(self):
        first = self.functionals(SHOCK, "--set", "time.end=1e-9", "--set", "time.step=1e-9")
        found = self.functionals(SHOCK)
        # 1/2 comes in at the left in a unit of time.
        self.assertAlmostEqual(found["mass"] - first["mass"], 0.2, delta=1e-8)
        self.assertLess(found["highest"], 1 + 1e-8)
        self.assertGreater(found["lowest"], -1e-8)

    def test_a_restart_between_split_steps_gives_the_same_bits(self):
        self.write("case.toml", DECAY)
        self.weft("run", "case.toml", "--out", "whole", "-q")
        self.weft("run", "case.toml", "--out", "parts", "-q", "--set", "time.end=0.2")
        self.weft("run", "case.toml", "--out", "parts", "-q", "--restart", "parts/checkpoint.h5")
        self.assertEqual(
            (self.folder / "whole" / "functionals.csv").read_bytes(),
            (self.folder / "parts" / "functionals.csv").read_bytes(),
        )

    def test_solvers_that_laws_do_not_have_are_refused(self):
        galerkin = replaced(replaced(LAYER, '"FV"', '"DG1"'), 'limiter = "none"\n', "")
        for text, setting, parts in (
            (galerkin, 'preconditioner = "multigrid"', ["above order 0", "DG1", "jacobi"]),
            (galerkin, 'preconditioner = "hypre"', ["above order 0", "DG1"]),
            (LAYER, 'preconditioner = "low_precision"', ["low precision", "aggregation"]),
            (LAYER, 'method = "defect_correction"', ["defect_correction", "gmres"]),
            (
                LAYER,
                'preconditioner = { kind = "multigrid", coarsening = "nested" }',
                ["nested", "aggregation"],
            ),
            (LAYER, 'operator = "assembled"', ["assembled"]),
        ):
            with self.subTest(setting=setting):
                done = self.run_case(
                    replaced(text, "[solver]", "[solver]\n" + setting), expect=WRONG_INPUT
                )
                self.assert_error(done, *parts)
        self.run_case(LAYER, "--export-system", "small", expect=WRONG_INPUT)

    def test_a_law_without_time_says_how_to_reach_a_steady_state(self):
        text = LAYER[: LAYER.index("[time]")] + LAYER[LAYER.index("[solver]") :]
        self.assert_error(self.run_case(text, expect=WRONG_INPUT), "[time]", "theta = 1.0")
        # As it says. Corrected fluxes keep fields that are linear in place.
        text = replaced(text, "[0.2*x*(1 - x), 0]*u - dot", "-dot")
        text = replaced(text, "flux = { u = 0 }", 'outer = { u = "1 + 2*x - 3*y" }')
        text += '\n[time]\nscheme = "theta"\ntheta = 1.0\nstep = 1e9\nend = 1e9\n'
        found = self.functionals(text)
        self.assert_near(found, {"mass": 0.5}, 1e-8)

    def test_check_prints_what_implicit_steps_and_sources_take(self):
        self.write("case.toml", DECAY)
        sources = self.weft("check", "case.toml", "--stage", "source").stdout
        costs = self.weft("check", "case.toml", "--stage", "cost").stdout
        for name in ("law_residual", "law_enter", "dg_react_"):
            self.assertIn(name, sources)
            self.assertIn(name, costs)
