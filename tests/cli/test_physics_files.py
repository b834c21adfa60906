"""Equation files of physics/ on small problems whose solutions are known.

Where the solution is a polynomial of the elements, the discrete one is that polynomial: a term with
a wrong sign or factor changes it. Solutions linear in time have no error of BDF2.
"""

import csv
import math
import unittest

from weft_cli import CommandLineTest, extended

SQUARE = 'box = { cells = [2, 2], cell = "triangle" }'
CUBE = 'box = { size = [1, 1, 1], cells = [1, 1, 1], cell = "tetrahedron" }'

# Texts end in [parameters], to which tests add.

# Without divergence; the traction on x1 tells the constant of the pressure.
FLOW = """
[weak_form]
facets.x1 = "-dot([4*mu*speed*x - p_exact, -2*mu*speed*y], test(u))"

[dirichlet]
x0 = { u = "u_exact" }
y0 = { u = "u_exact" }
y1 = { u = "u_exact" }

[exact]
u = "u_exact"
p = "p_exact"

[parameters]
mu = 3.0
u_exact = ["speed*x^2", "-2*speed*x*y"]
p_exact = "x + 2*y"
"""

INERTIA = """
rho = 2.0
f = ["1 - 2*mu*speed + rho*(2*speed^2*x^3 + rate*x^2)", "2 + rho*(2*speed^2*x^2*y - 2*rate*x*y)"]
"""

IN_TIME = """
[time]
end = 1
step = 0.25
"""


class PhysicsFile(CommandLineTest):
    def solve(self, physics, mesh, text, *arguments):
        """Results of a case of this physics file, mesh and text."""
        self.run_case(f'physics = ["{physics}"]\n[mesh]\n{mesh}\n{text}', *arguments)
        return self.results()

    def assert_exact(self, physics, mesh, text, fields):
        errors = self.solve(physics, mesh, text)["errors"]
        for field in fields:
            self.assertLess(errors[field]["L2"], 1e-9, field)


class Flows(PhysicsFile):
    def test_stokes(self):
        self.assert_exact("stokes", SQUARE, FLOW + 'speed = 1\nf = ["1 - 2*mu", "2"]', ["u", "p"])

    def test_navier_stokes_at_rest(self):
        flow = FLOW + "speed = 1\nrate = 0" + INERTIA
        self.assert_exact("navier_stokes_incompressible", SQUARE, flow, ["u", "p"])

    def test_navier_stokes_in_time(self):
        flow = FLOW + 'rate = 1\nspeed = "1 + rate*t"' + INERTIA + IN_TIME
        flow += '[definitions]\nacceleration = "dt(u)"\n[initial]\nu = "u_exact"'
        self.assert_exact("navier_stokes_incompressible", SQUARE, flow, ["u", "p"])

    def test_darcy(self):
        text = """
[weak_form]
facets.x1 = "dot(v_exact, n)*test(p)"
facets.y1 = "dot(v_exact, n)*test(p)"

[dirichlet]
x0 = { p = "p_exact" }
y0 = { p = "p_exact" }

[functionals]
outflow = { integral = "dot(velocity, n)", facets = "x1" }

[exact]
p = "p_exact"

[parameters]
K = [[2, 1], [1, 3]]
mu = 2.0
f = [1, 2]
q = -3.0
p_exact = "x^2 + x*y"
v_exact = ["-(2*(2*x + y - 1) + x - 2)/2", "-(2*x + y - 1 + 3*(x - 2))/2"]

[fields]
p = { element = "P2" }
"""
        self.assert_exact("darcy", SQUARE, text, ["p"])
        self.assertAlmostEqual(self.results()["functionals"]["outflow"], -1, delta=1e-9)

    @extended
    def test_darcy_mixed(self):
        """Linear elements for both, which without stabilisation have no limit."""
        text = """
[weak_form]
facets.x1 = "p_exact*dot(n, test(v))"

[dirichlet]
x0 = { "v[0]" = "v_exact[0]" }
y0 = { "v[1]" = "v_exact[1]" }
y1 = { "v[1]" = "v_exact[1]" }

[exact]
v = "v_exact"
p = "p_exact"

[parameters]
K = 3.0
mu = 2.0
f = ["y", "2*x"]
q = "3/2*(2*sin(x)*cos(y))"
p_exact = "sin(x)*cos(y)"
v_exact = ["3/2*(y - cos(x)*cos(y))", "3/2*(2*x + sin(x)*sin(y))"]
"""
        errors = []
        for cells in (8, 16):
            mesh = f'box = {{ cells = [{cells}, {cells}], cell = "triangle" }}'
            errors.append(self.solve("darcy_mixed", mesh, text)["errors"])
        for field, order in (("v", 1.5), ("p", 1.8)):
            coarse, fine = (error[field]["L2"] for error in errors)
            self.assertGreater(math.log2(coarse / fine), order, field)

    def test_balance_of_darcy_mixed(self):
        """The weak form with the solution as the test function: what p div(v) gives and takes is the same."""
        text = """
[parameters]
K = 3.0
mu = 2.0
q = "1 + x"

[functionals]
lost = { integral = "(mu/K*dot(v, v) + K/mu*dot(grad(p), grad(p)))/2" }
given = { integral = "q*p" }
"""
        functionals = self.solve("darcy_mixed", SQUARE, text)["functionals"]
        self.assertAlmostEqual(functionals["lost"] / functionals["given"], 1, delta=1e-9)


class Solids(PhysicsFile):
    def test_stresses_of_hyperelastic(self):
        """P is the derivative of the energy per volume with respect to F, which is the same everywhere."""
        text = """
[parameters]
E = 3.0
gradient = [[0.1, 0.2, 0.0], [0.0, -0.1, 0.3], [0.05, 0.0, 0.1]]

[dirichlet]
boundary = { u = "dot(gradient, X)" }

[functionals]
neo_hooke = { average = "P_neo_hooke" }
mooney_rivlin = { average = "P_mooney_rivlin" }
saint_venant_kirchhoff = { average = "P_saint_venant_kirchhoff" }
"""
        stresses = self.solve("hyperelastic", CUBE, text)["functionals"]
        mu, lam = 3 / 2.6, 3 * 0.3 / (1.3 * 0.4)
        c1, c2, bulk = 1.0, 0.1, 100.0

        def det(F):
            (a, b, c), (d, e, f), (g, h, i) = F
            return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

        def invariants(F):
            C = [[sum(F[k][i] * F[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
            first = sum(C[i][i] for i in range(3))
            square = sum(C[i][j] ** 2 for i in range(3) for j in range(3))
            return first, square, (first**2 - square) / 2, det(F)

        def neo_hooke(F):
            first, _, _, J = invariants(F)
            return mu / 2 * (first - 3) - mu * math.log(J) + lam / 2 * math.log(J) ** 2

        def mooney_rivlin(F):
            first, _, second, J = invariants(F)
            return (
                c1 * (J ** (-2 / 3) * first - 3)
                + c2 * (J ** (-4 / 3) * second - 3)
                + bulk / 2 * (J - 1) ** 2
            )

        def saint_venant_kirchhoff(F):
            first, square, _, _ = invariants(F)
            return lam / 2 * ((first - 3) / 2) ** 2 + mu / 4 * (square - 2 * first + 3)

        at = [[1.1, 0.2, 0.0], [0.0, 0.9, 0.3], [0.05, 0.0, 1.1]]
        for energy in (neo_hooke, mooney_rivlin, saint_venant_kirchhoff):
            for k in range(9):
                ends = []
                for step in (1e-5, -1e-5):
                    F = [row[:] for row in at]
                    F[k // 3][k % 3] += step
                    ends.append(energy(F))
                difference = (ends[0] - ends[1]) / 2e-5
                self.assertAlmostEqual(stresses[energy.__name__][k], difference, delta=1e-7)

    def test_hyperelastic_in_equilibrium(self):
        """Plane strain under a force and a traction, with a material of the case's choice."""
        text = """
[definitions]
P = "P_saint_venant_kirchhoff"

[weak_form]
facets.x1 = "-dot([stretch*(lam + 2*mu)*strain, 0], test(u))"

[dirichlet]
x0 = { u = [0, 0] }
y0 = { "u[1]" = 0 }
y1 = { "u[1]" = 0 }

[exact]
u = ["0.1*x^2", "0"]

[parameters]
stretch = "1 + 0.2*x"
strain = "(stretch^2 - 1)/2"
f = ["-(lam + 2*mu)*(0.2*strain + 0.2*stretch^2)", "0"]
mu = "E/(2*(1 + nu))"
lam = "E*nu/((1 + nu)*(1 - 2*nu))"

[fields]
u = { element = "P2", shape = "vector" }
"""
        self.assert_exact("hyperelastic", SQUARE, text, ["u"])

    def test_follower_pressure_of_hyperelastic(self):
        """A block under pressure from all sides shrinks as one equation says."""
        text = """
[weak_form]
facets.x1 = "p*J*dot(dot(F_inv_T, n), test(u))"
facets.y1 = "p*J*dot(dot(F_inv_T, n), test(u))"
facets.z1 = "p*J*dot(dot(F_inv_T, n), test(u))"

[parameters]
p = 0.3

[dirichlet]
x0 = { "u[0]" = 0 }
y0 = { "u[1]" = 0 }
z0 = { "u[2]" = 0 }

[functionals]
sigma = { average = "sigma" }
u_1 = { point = [1, 1, 1], value = "u" }
"""
        functionals = self.solve("hyperelastic", CUBE, text)["functionals"]
        mu, lam = 1 / 2.6, 0.3 / (1.3 * 0.4)
        low, high = 0.5, 1.0
        while high - low > 1e-14:
            stretch = (low + high) / 2
            stress = (mu * (stretch**2 - 1) + 3 * lam * math.log(stretch)) / stretch**3
            low, high = (stretch, high) if stress < -0.3 else (low, stretch)
        for k in range(3):
            self.assertAlmostEqual(functionals["u_1"][k], stretch - 1, delta=1e-9)
            self.assertAlmostEqual(functionals["sigma"][4 * k], -0.3, delta=1e-9)

    def test_elasticity_mixed(self):
        text = """
[weak_form]
facets.x1 = "-dot([4*mu*x + 2*lam*x, 0], test(u))"

[dirichlet]
x0 = { u = [0, 0] }
y0 = { "u[1]" = 0 }
y1 = { "u[1]" = 0 }

[exact]
u = ["x^2", "0"]
p = "-2*lam*x"

[parameters]
E = 2.6
nu = 0.3
lam = "E*nu/((1 + nu)*(1 - 2*nu))"
f = ["-2.6/1.3*2 - 2*lam", "0"]
"""
        self.assert_exact("elasticity_mixed", SQUARE, text, ["u", "p"])

    def test_elasticity_mixed_without_compression(self):
        text = """
[weak_form]
facets.x1 = "-dot([4*mu*x - p_exact, -2*mu*y, 0], test(u))"

[dirichlet]
x0 = { u = "u_exact" }
y0 = { u = "u_exact" }
y1 = { u = "u_exact" }
z0 = { u = "u_exact" }
z1 = { u = "u_exact" }

[exact]
u = "u_exact"
p = "p_exact"

[parameters]
E = 3.0
nu = 0.5
u_exact = ["x^2", "-2*x*y", "0"]
p_exact = "x + 2*y + 3*z"
f = [-1, 2, 3]
"""
        mesh = CUBE.replace("[1, 1, 1], cell", "[2, 2, 2], cell")  # not so many pressures for the displacements
        self.assert_exact("elasticity_mixed", mesh, text, ["u", "p"])

    def warm_bar(self, physics, mesh, strain="alpha", modulus="E", ratio="nu"):
        """A bar whose temperature is linear, which alone makes no stress, hangs under its own weight."""
        dimension = 3 if mesh == CUBE else 2
        across = "(y^2 + z^2)" if dimension == 3 else "y^2"
        components = [
            f"strain*(x^2 - {across})/2 + weight*(x - x^2/2 - ratio*{across}/2)",
            "strain*x*y - ratio*weight*(1 - x)*y",
            "strain*x*z - ratio*weight*(1 - x)*z",
        ]
        text = f"""
[definitions]
thermal_strain = "alpha*(T - T_0)"

[dirichlet]
x0 = {{ u = "u_exact" }}

[exact]
u = "u_exact"

[parameters]
E = 3.0
f = {[0.02, 0, 0][:dimension]}
alpha = 0.01
T_0 = 20.0
T = "20 + x"
strain = "{strain}"
ratio = "{ratio}"
weight = "f[0]/({modulus})"
u_exact = {components[:dimension]}

[fields]
u = {{ element = "P2", shape = "vector" }}
"""
        self.assert_exact(physics, mesh, text, ["u"])

    def test_elasticity(self):
        self.warm_bar("elasticity", CUBE)

    def test_elasticity_plane_strain(self):
        """Poisson's effect of what the planes hold back comes on top."""
        self.warm_bar(
            "elasticity_plane_strain", SQUARE, "(1 + nu)*alpha", "E/(1 - nu^2)", "nu/(1 - nu)"
        )

    def test_elasticity_plane_stress(self):
        self.warm_bar("elasticity_plane_stress", SQUARE)


class Coupled(PhysicsFile):
    def test_thermoelastic(self):
        """A strip between walls, heated all over and cooled at one end, is pulled and expands."""
        text = """
[weak_form]
facets.x1 = "flux*test(T)"

[dirichlet]
x0 = { T = "T_0 + 3", u = [0, 0] }
y0 = { "u[1]" = 0 }
y1 = { "u[1]" = 0 }

[exact]
T = "T_0 + 3 + 4*x - x^2"
u = ["((3*lam + 2*mu)*alpha*(3*x + 2*x^2 - x^3/3) + f[0]*(x - x^2/2))/(lam + 2*mu)", "0"]

[parameters]
k = 5.0
q = 10.0
flux = "-2*k"                  # outward
alpha = 0.01
T_0 = 20.0
f = [0.02, 0]

[fields]
T = { element = "P2" }
u = { element = "P3", shape = "vector" }
"""
        self.assert_exact("thermoelastic", SQUARE, text, ["T", "u"])

    def test_joule(self):
        text = """
[dirichlet]
x0 = { V = 0, T = 0 }
x1 = { T = 0 }

[weak_form]
facets.x1 = "-6*test(V)"       # current density

[exact]
V = "2*x"
T = "3*2^2/(2*4)*x*(1 - x)"

[parameters]
sigma = 3.0
k = 4.0

[fields]
T = { element = "P2" }
"""
        self.assert_exact("joule", SQUARE, text, ["V", "T"])

    def test_biot(self):
        text = """
[weak_form]
facets.x1 = "-dot([5.6*t*x - alpha*p_exact, 0.8*t*y], test(u)) - 3*kappa*t*test(p)"   # mu = lam = 0.8

[dirichlet]
x0 = { u = "u_exact", p = "p_exact" }
y0 = { u = "u_exact", p = "p_exact" }
y1 = { u = "u_exact", p = "p_exact" }

[exact]
u = "u_exact"
p = "p_exact"

[parameters]
u_exact = ["t*x^2", "t*x*y"]
p_exact = "t*(3*x + 2*y)"
E = 2.0
nu = 0.25
alpha = 0.7
S = 0.5
kappa = 2.0
f = ["-t*(6.4 - 3*alpha)", "2*alpha*t"]
q = "S*(3*x + 2*y) + 3*alpha*x"
"""
        self.assert_exact("biot", SQUARE, text + IN_TIME, ["u", "p"])


class Phases(PhysicsFile):
    def rows(self):
        with open(self.folder / "out" / "functionals.csv", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_cahn_hilliard(self):
        """A small wave on the unstable mixture grows at the rate of the linearised equation."""
        text = """
[parameters]
M = 0.5
lambda = 2.0

[initial]
c = "0.5 + 1e-5*cos(pi*x)"
mu = "1e-5*(lambda*pi^2 - 100)*cos(pi*x)"

[functionals]
wave = { integral = "(c - 0.5)*cos(pi*x)" }
mass = { integral = "c" }
energy = { integral = "energy" }

[fields]
c = { element = "P3" }
mu = { element = "P3" }

[time]
end = 2e-3
step = 5e-5
"""
        mesh = 'box = { cells = [4, 1], cell = "quadrilateral" }'
        self.solve("cahn_hilliard", mesh, text)
        rows = self.rows()
        rate = 0.5 * math.pi**2 * (100 - 2 * math.pi**2)
        growth = rows[-1]["wave"] / rows[0]["wave"]
        self.assertAlmostEqual(math.log(growth) / (rate * 2e-3), 1, delta=2e-3)
        self.assertAlmostEqual(rows[-1]["mass"], 0.5, delta=1e-13)
        # The density is 100/16 - 100/4 d^2 + lambda/2 (d')^2 for c = 1/2 + d.
        amplitude = 2 * rows[-1]["wave"]
        energy = 6.25 + amplitude**2 * (math.pi**2 * 2 / 2 - 25 * 2) / 2
        self.assertAlmostEqual((rows[-1]["energy"] - 6.25) / (energy - 6.25), 1, delta=1e-2)

    def test_allen_cahn(self):
        """The front between the unstable state 0 and the phase 1 keeps its shape and speed."""
        text = """
[parameters]
M = 2.0
epsilon = 0.1
front = "1/(1 + exp((x/epsilon - 3*M*t/sqrt(2))/sqrt(2)))"

[initial]
u = "front"

[dirichlet]
x0 = { u = "front" }
x1 = { u = "front" }

[exact]
u = "front"

[functionals]
energy = { integral = "energy" }
energy_of_front = { integral = "(front^2*(1 - front)^2 + (front^2 - 1)^2)/4" }

[fields]
u = { element = "P3" }

[time]
end = 1
step = 0.02
"""
        mesh = 'box = { origin = [-1, 0], size = [3, 1], cells = [30, 1], cell = "quadrilateral" }'
        results = self.solve("allen_cahn", mesh, text)
        self.assertLess(results["errors"]["u"]["L2"], 2e-3)
        found = results["functionals"]
        self.assertAlmostEqual(found["energy"] / found["energy_of_front"], 1, delta=1e-2)


class Potentials(PhysicsFile):
    def test_helmholtz(self):
        text = """
[dirichlet]
boundary = { u_re = "x^2 + y", u_im = "x*y - y^2" }

[exact]
u_re = "x^2 + y"
u_im = "x*y - y^2"

[parameters]
k = 3.0
f_re = "-2 - k^2*(x^2 + y)"
f_im = "2 - k^2*(x*y - y^2)"
"""
        self.assert_exact("helmholtz", SQUARE, text, ["u_re", "u_im"])

    def test_helmholtz_let_in_and_absorbed(self):
        """A wave comes in through x0 and leaves through x1."""
        text = """
[weak_form]
facets.x0 = "k*u_im*test(u_re) - k*u_re*test(u_im) + 2*k*(a_re*test(u_im) - a_im*test(u_re))"
facets.x1 = "k*u_im*test(u_re) - k*u_re*test(u_im)"

[exact]
u_re = "a_re*cos(k*x) - a_im*sin(k*x)"
u_im = "a_im*cos(k*x) + a_re*sin(k*x)"

[parameters]
k = 5.0
a_re = 1.0
a_im = 0.5

[fields]
u_re = { element = "P4" }
u_im = { element = "P4" }
"""
        mesh = 'box = { cells = [4, 1], cell = "quadrilateral" }'
        errors = self.solve("helmholtz", mesh, text)["errors"]
        for field in ("u_re", "u_im"):
            self.assertLess(errors[field]["L2"], 1e-4)

    def test_poisson_boltzmann(self):
        """The charges that make psi a polynomial."""
        text = """
[dirichlet]
x0 = { psi = 1 }

[weak_form]
facets.x1 = "-2*epsilon*test(psi)"

[exact]
psi = "1 + x^2"

[parameters]
epsilon = 3.0
kappa = 2.0
rho = "-2*epsilon + epsilon*kappa^2*sinh(1 + x^2)"

[fields]
psi = { element = "P2" }
"""
        self.assert_exact("poisson_boltzmann", SQUARE, text, ["psi"])


if __name__ == "__main__":
    unittest.main()
