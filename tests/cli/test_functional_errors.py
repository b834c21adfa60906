"""Estimated errors of functionals beside exact values."""

import math
import struct
import unittest
from math import cos, cosh, e, exp, pi, sin, sinh

from square_mesh import squares, triangles_of
from vtu_cells import cells_of
from weft_cli import WRONG_INPUT, CommandLineTest, extended, replaced

# Estimated over true error: what is asked for everywhere.
LEAST, MOST = 0.5, 2.0
PRINTS = __name__ == "__main__"

SINES = """\
[mesh]
box = { cells = [8, 8], cell = "triangle" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - 2*pi^2*sin(pi*x)*sin(pi*y)*test(u)"
[dirichlet]
boundary = { u = 0 }
[functionals]
mean = { average = "u", error = true }
square = { integral = "u^2", error = true }
energy = { integral = "inner(grad(u), grad(u))", error = true }
top = { maximum = "u", error = true }
bottom = { minimum = "-u", error = true }
place = { value = "u", point = [0.3, 0.4], error = true }
slope = { value = "grad(u)[0]", point = [0.3, 0.4], error = true }
part = { integral = "grad(u)[0]*y", facets = "x0", error = true }
inflow = { reaction = "u", facets = "x0", error = true }
"""
# u = sin(pi x) sin(pi y), whose largest value is at a node.
SINES_EXACT = {
    "mean": 4 / pi**2,
    "square": 0.25,
    "energy": pi**2 / 2,
    "top": 1,
    "bottom": -1,
    "place": sin(0.3 * pi) * sin(0.4 * pi),
    "slope": pi * cos(0.3 * pi) * sin(0.4 * pi),
    "part": 1,  # pi times the integral of y sin(pi y)
    "inflow": -2,
}

# u = exp(x) sin(y) is harmonic: prescribed values that no polynomial has.
HARMONIC = """\
[mesh]
box = { cells = [3, 3], cell = "quadrilateral", distort = 0.2 }
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u)))"
[dirichlet]
boundary = { u = "exp(x)*sin(y)" }
[functionals]
mean = { average = "u", error = true }
edge = { integral = "u", facets = "x1", error = true }
"""
HARMONIC_EXACT = {
    "mean": (e - 1) * (1 - cos(1)),
    "edge": e * (1 - cos(1)),
}

# -u''/5 + u' = 1 with u = x - (exp(5x) - 1)/(exp(5) - 1): not symmetric.
CARRIED = """\
[mesh]
box = { cells = [10, 2], cell = "triangle" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "0.2*inner(grad(u), grad(test(u))) + (grad(u)[0] - 1)*test(u)"
[dirichlet]
x0 = { u = 0 }
x1 = { u = 0 }
[functionals]
mean = { average = "u", error = true }
place = { value = "u", point = [0.55, 0.5], error = true }
weighted = { integral = "x*u", error = true }
energy = { integral = "inner(grad(u), grad(u))", error = true }
"""


def carried(x):
    return x - (exp(5 * x) - 1) / (exp(5) - 1)


def integral(f, a, b, pieces=2000):
    """By Simpson's rule."""
    h = (b - a) / pieces
    inner = sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, pieces))
    return h / 3 * (f(a) + f(b) + inner)


CARRIED_EXACT = {
    "mean": integral(carried, 0, 1),
    "place": carried(0.55),
    "weighted": integral(lambda x: x * carried(x), 0, 1),
    "energy": integral(lambda x: (1 - 5 * exp(5 * x) / (exp(5) - 1)) ** 2, 0, 1),
}

# ((1 + u) u')' = 0 with u(0) = 0 and u(1) = 1: (1 + u)^2 = 1 + 3x.
NONLINEAR = """\
[mesh]
box = { cells = [6, 2], cell = "triangle" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "(1 + u)*inner(grad(u), grad(test(u)))"
[dirichlet]
x0 = { u = 0 }
x1 = { u = 1 }
[functionals]
mean = { average = "u", error = true }
square = { integral = "u^2", error = true }
place = { value = "u", point = [0.3, 0.4], error = true }
flow = { integral = "(1 + u)*grad(u)[0]", error = true }
inflow = { reaction = "u", facets = "x0", error = true }
"""
NONLINEAR_EXACT = {
    "mean": 5 / 9,
    "square": 2.5 - 2 * 14 / 9 + 1,
    "place": math.sqrt(1.9) - 1,
}

# Elasticity with the displacement (sin(pi x) sin(pi y), 0) and both constants of Lame 1.
ELASTIC = """\
[mesh]
box = { cells = [6, 6], cell = "quadrilateral" }
[fields]
u = { element = "P1", shape = "vector" }
[definitions]
strain = "sym(grad(u))"
stress = "tr(strain)*identity + 2*strain"
f = "[4*pi^2*sin(pi*x)*sin(pi*y), -2*pi^2*cos(pi*x)*cos(pi*y)]"
[weak_form]
cells.all = "inner(stress, sym(grad(test(u)))) - dot(f, test(u))"
[dirichlet]
boundary = { u = [0, 0] }
[functionals]
mean = { average = "u[0]", error = true }
energy = { integral = "inner(stress, strain)", error = true }
both = { average = "[u[0], u[0] + 1]", error = true }
"""
ELASTIC_EXACT = {"mean": 4 / pi**2, "energy": pi**2, "both": [4 / pi**2, 4 / pi**2 + 1]}

# -lap(u) + u = 0 with u = cosh(x), by exchange with the outside at x = 1.
EXCHANGE = """\
[mesh]
box = { cells = [3, 2, 2], cell = "tetrahedron" }
[parameters]
outside = "(sinh(1) + 2*cosh(1))/2"
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + u*test(u)"
facets.x1 = "2*(u - outside)*test(u)"
[functionals]
mean = { average = "u", error = true }
edge = { average = "u", facets = "x1", error = true }
lost = { integral = "2*(u - outside)", facets = "x1", error = true }
largest = { maximum = "u", facets = "x1", error = true }
"""
EXCHANGE_EXACT = {"mean": sinh(1), "edge": cosh(1), "lost": -sinh(1), "largest": cosh(1)}

# Stokes flow with the velocity exp(x) [sin(y), cos(y)] and no pressure; two fields of two orders.
STOKES = """\
[mesh]
box = { cells = [3, 3], cell = "triangle" }
[fields]
v = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = "inner(grad(v), grad(test(v))) - p*div(test(v)) - div(v)*test(p)"
facets.x1 = "-dot(exp(x)*[sin(y), cos(y)], test(v))"
[dirichlet]
x0 = { v = "exp(x)*[sin(y), cos(y)]" }
y0 = { v = "exp(x)*[sin(y), cos(y)]" }
y1 = { v = "exp(x)*[sin(y), cos(y)]" }
[functionals]
mean = { average = "v[0]", error = true }
outflow = { integral = "dot(v, n)", facets = "x1", error = true }
pressure = { average = "p", error = true }
"""
STOKES_EXACT = {"mean": (e - 1) * (1 - cos(1)), "outflow": e * (1 - cos(1)), "pressure": 0}


SINGULAR = """\
[mesh]
file = "mesh.msh"
[fields]
u = { element = "P1" }
[definitions]
r = "sqrt(x^2 + y^2)"
angle = "ANGLE"
u0 = "where(r > 0, r^(POWER)*sin(POWER*angle), 0)"
[weak_form]
cells.all = "inner(grad(u), grad(test(u)))"
[dirichlet]
GROUP = { u = "u0" }
[functionals]
mean = { average = "u", error = true }
place = { value = "u", point = [-0.3, 0.4], error = true }
"""

POLYNOMIAL = """\
[mesh]
box = { cells = [2, 2, 2], cell = "CELL", distort = 0.2 }
[fields]
u = { element = "P1" }
[definitions]
exact = "x^2 + y*z"
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) + 2*test(u)"
[dirichlet]
boundary = { u = "exact" }
[functionals]
mean = { average = "u - exact", error = true }
place = { value = "u - exact", point = [0.3, 0.6, 0.7], error = true }
"""

LAW = """\
[mesh]
box = { cells = [2, 2] }
[fields]
u = { element = "DG1" }
[conservation_law]
flux.u = "[u, 0]"
[boundary.all]
outer = { u = 0 }
[time]
end = 0.1
[functionals]
mean = { average = "u", error = true }
"""

C_TEXT = """\
[mesh]
box = { cells = [2, 2] }
[fields]
u = { element = "P1" }
[pointwise.u]
language = "c"
f0 = "f0 = u - 1;"
[functionals]
mean = { average = "u", error = true }
"""


def average_of(u, inside, area):
    """Over the unit squares of [-1, 1]^2 that are inside: a sum by angles of what is exact along
    rays, u = r^power f(angle) being all there is."""
    power, f = u
    total, pieces = 0.0, 200000
    for i in range(pieces):
        angle = 2 * pi * (i + 0.5) / pieces - pi
        if inside(0.5 * cos(angle), 0.5 * sin(angle)):
            reach = 1 / max(abs(cos(angle)), abs(sin(angle)))
            total += f(angle) * reach ** (power + 2) / (power + 2) * 2 * pi / pieces
    return total / area


# u = 0.3 + cos(pi x), by its flux alone.
OPEN = """\
[mesh]
box = { cells = [8, 3], cell = "triangle" }
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - pi^2*cos(pi*x)*test(u)"
[mean]
u = 0.3
[functionals]
place = { value = "u", point = [0.3, 0.4], error = true }
square = { integral = "u^2", error = true }
"""
OPEN_EXACT = {"place": 0.3 + cos(0.3 * pi), "square": 0.09 + 0.5}

# The velocity of STOKES everywhere, and the pressure cos(pi x).
OPEN_STOKES = """\
[mesh]
box = { cells = [4, 4], cell = "triangle" }
[fields]
v = { element = "P2", shape = "vector" }
p = { element = "P1" }
[weak_form]
cells.all = '''inner(grad(v), grad(test(v))) - p*div(test(v)) - div(v)*test(p)
            + pi*sin(pi*x)*test(v)[0]'''
[dirichlet]
boundary = { v = "exp(x)*[sin(y), cos(y)]" }
[functionals]
pressure = { value = "p", point = [0.3, 0.4], error = true }
half = { integral = "where(x < 0.5, p, 0)", error = true }
"""
OPEN_STOKES_EXACT = {"pressure": cos(0.3 * pi), "half": 1 / pi}


class FunctionalErrorTest(CommandLineTest):
    def check(self, text, exact):
        self.run_case(text)
        results = self.results()
        self.assertEqual(results["outcome"]["status"], "done")
        self.assertGreater(len(exact), 0)
        for name, value in exact.items():
            found = results["functional_errors"][name]
            self.assertEqual(found["value"], results["functionals"][name])
            columns = (value, found["value"], found["signed"], found["error"])
            for true, computed, signed, size in zip(
                *(column if isinstance(column, list) else [column] for column in columns)
            ):
                self.assertEqual(size, abs(signed), name)
                ratio = signed / (true - computed)
                if PRINTS:
                    print(f"{self.id().split('.')[-1]} {name}: {ratio:.3f}")
                self.assertTrue(LEAST <= ratio <= MOST, f"{name}: {ratio:.3f} of {true - computed}")

    def test_sines(self):
        self.check(SINES, SINES_EXACT)

    def test_prescribed_values(self):
        self.check(HARMONIC, HARMONIC_EXACT)

    def test_convection(self):
        self.check(CARRIED, CARRIED_EXACT)

    def test_nonlinear(self):
        self.check(NONLINEAR, NONLINEAR_EXACT)

    def test_elasticity(self):
        self.check(ELASTIC, ELASTIC_EXACT)

    @extended
    def test_exchange(self):
        self.check(EXCHANGE, EXCHANGE_EXACT)

    def test_mixed_elements(self):
        self.check(STOKES, STOKES_EXACT)

    def test_reentrant_corner(self):
        """The L, u = r^(2/3) sin(2/3 angle)."""

        def inside(x, y):
            return x < 0 or y > 0

        self.write("mesh.msh", triangles_of(squares(8, inside), lambda x, y: "edge"))
        text = SINGULAR.replace("ANGLE", "where(y < 0, 2*pi, 0) + atan2(y, x)")
        text = text.replace("POWER", "2/3").replace("GROUP", "edge")

        def u(angle):
            return sin(2 / 3 * (angle if angle >= 0 else angle + 2 * pi))

        self.check(
            text,
            {
                "mean": average_of((2 / 3, u), inside, 3),
                "place": 0.5 ** (2 / 3) * u(math.atan2(0.4, -0.3)),
            },
        )

        self.assert_finest_at_the_corner()

    def assert_finest_at_the_corner(self):
        """The density of the error is largest in a cell that touches the corner, and most cells have
        less than a tenth of it."""
        densities = {}
        for place, values in cells_of(self.folder / "out" / "fields.vtu").items():
            corners = struct.unpack(f"={len(place) // 8}d", place)
            distance = min(math.hypot(*corners[i : i + 2]) for i in range(0, len(corners), 3))
            densities.setdefault(distance, []).append(struct.unpack("=d", values["error_mean"])[0])
        self.assertEqual(min(densities), 0)
        largest = max(densities[0])
        others = [value for distance in densities if distance > 0 for value in densities[distance]]
        self.assertGreater(largest, max(others))
        self.assertGreater(min(others), 0)
        self.assertLess(sorted(others)[len(others) // 2], largest / 10)

    def test_crack(self):
        """A slit along x < 0, of which symmetry leaves the upper half: u = r^(1/2) sin(angle/2)."""

        def inside(x, y):
            return y > 0

        def group(x, y):
            return "free" if y == 0 and x < 0 else "edge"

        self.write("mesh.msh", triangles_of(squares(8, inside), group))
        text = SINGULAR.replace("ANGLE", "atan2(y, x)").replace("POWER", "1/2")
        self.check(
            text.replace("GROUP", "edge"),
            {
                "mean": average_of((0.5, lambda angle: sin(angle / 2)), inside, 2),
                "place": 0.5**0.5 * sin(math.atan2(0.4, -0.3) / 2),
            },
        )

    def test_highest_order(self):
        """Elements that have no next order: on cells of half the size."""
        text = replaced(SINES, "[8, 8]", "[2, 2]").replace('"P1"', '"P6"')
        exact = ("mean", "square", "energy", "place", "slope", "inflow")
        self.check(text, {name: SINES_EXACT[name] for name in exact})
        densities = cells_of(self.folder / "out" / "fields.vtu").values()
        self.assertEqual(len(densities), 8)
        for values in densities:
            self.assertGreater(struct.unpack("=d", values["error_mean"])[0], 0)

    def test_extreme_on_facets_of_the_highest_order(self):
        text = replaced(EXCHANGE, '"P1"', '"P4"')
        done = self.run_case(text, expect=WRONG_INPUT)
        self.assert_error(done, "an extreme on facets by a refined mesh", "P4 of `u` on a tetrahedron")

    def test_text(self):
        """An error of one digit, or two that begin with 1, and the value as far."""
        done = self.run_case(SINES)
        lines = dict(line.split(" = ") for line in done.stdout.splitlines() if "+-" in line)
        lines = {name.strip(): value for name, value in lines.items()}
        self.assertEqual(lines["square"], "0.232 +- 0.018")
        self.assertEqual(lines["place"], "0.74 +- 0.03")
        self.assertEqual(len(lines), len(SINES_EXACT))

    @extended
    def test_polynomials(self):
        """Where the next order has the solution, the estimate is the error, on all cells in space."""
        for cell in ("tetrahedron", "pyramid", "prism", "hexahedron"):
            with self.subTest(cell):
                self.run_case(POLYNOMIAL.replace("CELL", cell))
                for name, found in self.results()["functional_errors"].items():
                    self.assertGreater(found["error"], 1e-4, name)
                    self.assertAlmostEqual(found["signed"], -found["value"], delta=1e-9, msg=name)

    def test_refusals(self):
        """What has no estimate says what it is, and what to do."""
        cases = {
            "a case with [time]": CARRIED.replace('cells.all = "', 'cells.all = "dt(u)*test(u) + ')
            + "[time]\nend = 1\nstep = 0.5\n",
            "a case with [load]": replaced(SINES, "[fields]", "[parameters]\nf = 1\n[fields]")
            + '[load]\nparameter = "f"\n',
            "a conservation law": LAW,
            "pointwise functions in C text": C_TEXT,
        }
        for found, text in cases.items():
            with self.subTest(found):
                done = self.run_case(text, expect=WRONG_INPUT)
                self.assert_error(done, "an error estimate of the functional `mean`", found)

    def test_open_constant(self):
        """Nothing is prescribed: the mean is that of [mean], and so are those of all that is added."""
        self.check(OPEN, OPEN_EXACT)

    def test_open_pressure(self):
        self.check(OPEN_STOKES, OPEN_STOKES_EXACT)

    def test_open_turns(self):
        """Where a body may turn, the solution is written and the estimate refused."""
        text = replaced(ELASTIC, "[dirichlet]\nboundary = { u = [0, 0] }\n", "")
        text = replaced(text, "4*pi^2*sin(pi*x)*sin(pi*y), -2*pi^2*cos(pi*x)*cos(pi*y)", "x - 1/2, 0")
        done = self.run_case(text, expect=WRONG_INPUT)
        self.assert_error(done, "of a body that may turn", "open: turns of u", "prescribe values")
        self.assertIn("mean", self.results()["functionals"])


if PRINTS:
    unittest.main()
