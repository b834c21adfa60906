"""Gradients of functionals beside central differences of runs."""

from square_mesh import squares, triangles_of
from weft_cli import WRONG_INPUT, CommandLineTest, extended

# Heat in a plate of two materials, heated on one side and cooled by exchange, as in a heat sink.
LINEAR = """\
[mesh]
file = "mesh.msh"
[parameters]
k = { left = 2.0, right = 0.5 }
h = { cooled = 3.0, warm = 1.5 }
outside = 1.25
flux = 2.5
source = 0.75
held = 0.5
steep = 0.3
speed = 0.8
[fields]
T = { element = "P2" }
[auxiliary]
extra = { element = "P1", value = "exp(steep*x)" }
[definitions]
loss = "h*(T - outside)"
load = "source*extra"
[weak_form]
cells.all = "k*inner(grad(T), grad(test(T))) + speed*grad(T)[1]*test(T) - load*test(T)"
facets.cooled = "loss*test(T)"
facets.warm = "loss*test(T) - flux*test(T)"
[dirichlet]
held = { T = "held*(1 + x^2)" }
[solver]
method = "direct"
[functionals]
mean = { average = "T", gradient = GRADIENT }
largest = { maximum = "T", gradient = GRADIENT }
place = { value = "[T, k*grad(T)[0]]", point = [0.3, 0.4], gradient = GRADIENT }
lost = { integral = "loss", facets = ["cooled", "warm"], gradient = GRADIENT }
energy = { integral = "k*inner(grad(T), grad(T))*extra", gradient = GRADIENT }
held_back = { reaction = "T", facets = "held", gradient = GRADIENT }
"""
LINEAR_PARAMETERS = {
    "k.left": 2.0,
    "k.right": 0.5,
    "h.cooled": 3.0,
    "h.warm": 1.5,
    "outside": 1.25,
    "flux": 2.5,
    "source": 0.75,
    "held": 0.5,
    "steep": 0.3,
    "speed": 0.8,
}

# Conduction that grows with the temperature, and radiation; two fields that depend on one another.
NONLINEAR = """\
[mesh]
box = { cells = [4, 4], cell = "triangle" }
[parameters]
a = 0.4
power = 2.5
sigma = 0.3
coupling = 0.6
hot = 2.0
[fields]
T = { element = "P2" }
c = { element = "P1" }
[definitions]
k = "1 + a*T^power"
[weak_form]
cells.all = '''k*inner(grad(T), grad(test(T))) + coupling*c*T*test(T)
            + (1 + T^2)*inner(grad(c), grad(test(c))) - coupling*T*test(c)'''
facets.x1 = "sigma*(T^4 - 1)*test(T)"
[dirichlet]
x0 = { T = "hot*(1 + 0.1*y)", c = 0 }
x1 = { c = 1 }
[initial]
T = 1
[solver]
method = "direct"
[solver.newton]
tolerance = 1e-14
[functionals]
mean = { average = "[T, c]", gradient = GRADIENT }
radiated = { integral = "sigma*(T^4 - 1)", facets = "x1", gradient = GRADIENT }
smallest = { minimum = "T*c + T", gradient = GRADIENT }
inflow = { reaction = "T", facets = "x0", gradient = GRADIENT }
"""
NONLINEAR_PARAMETERS = {"a": 0.4, "power": 2.5, "sigma": 0.3, "coupling": 0.6, "hot": 2.0}

# The mean of u stays what [mean] says.
OPEN = """\
[mesh]
box = { cells = [4, 4], cell = "triangle" }
[parameters]
k = 1.5
load = 0.8
[fields]
u = { element = "P2" }
[weak_form]
cells.all = "k*(1 + x)*inner(grad(u), grad(test(u))) - load*sin(pi*(x - 1/2))*test(u)"
[mean]
u = 2
[solver]
method = "direct"
[functionals]
place = { value = "k*u", point = [0.3, 0.4], gradient = GRADIENT }
square = { integral = "u^2", gradient = GRADIENT }
"""

NAMES = """\
[mesh]
box = { cells = [2, 2] }
[parameters]
k = 1.0
b = { x0 = 1.0, x1 = 2.0 }
place = "1 + x"
direction = [1, 2]
unused = 3
[fields]
u = { element = "P1" }
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) + direction[0]*place*u*test(u)"
facets = { x0 = "b*u*test(u)", x1 = "b*(u - 1)*test(u)" }
[functionals]
mean = { average = "u", gradient = "NAME" }
"""


class GradientTest(CommandLineTest):
    def functionals(self, text, *arguments):
        self.run_case(text, *arguments)
        return {
            name: value if isinstance(value, list) else [value] for name, value in self.results()["functionals"].items()
        }

    def check(self, text, parameters):
        names = "[" + ", ".join(f'"{name}"' for name in parameters) + "]"
        text = text.replace("GRADIENT", names)  # the same kernels for all values of the parameters
        values = self.functionals(text)
        gradients = self.results()["gradients"]
        self.assertEqual(set(gradients), set(values))
        for parameter, at in parameters.items():
            self.assert_differences(text, parameter, at, values, gradients)

    def assert_differences(self, text, parameter, at, values, gradients):
        step = 1e-4 * at
        more = self.functionals(text, "--set", f"parameters.{parameter}={at + step!r}")
        less = self.functionals(text, "--set", f"parameters.{parameter}={at - step!r}")
        for name, value in values.items():
            found = gradients[name][parameter]
            for k, derivative in enumerate(found if isinstance(found, list) else [found]):
                difference = (more[name][k] - less[name][k]) / (2 * step)
                # A derivative of 0 has no digits to compare.
                scale = max(abs(difference), 1e-4 * abs(value[k] / at))
                self.assertAlmostEqual(
                    derivative / scale, difference / scale, delta=1e-6, msg=f"d {name}[{k}] / d {parameter}"
                )

    @extended
    def test_linear(self):
        self.write(
            "mesh.msh",
            triangles_of(
                squares(3, lambda x, y: True),
                lambda x, y: {1: "cooled", -1: "warm"}.get(x, "held" if y == -1 else "free"),
                lambda x, y: "left" if x < 0 else "right",
            ),
        )
        self.check(LINEAR, LINEAR_PARAMETERS)

    @extended
    def test_nonlinear(self):
        self.check(NONLINEAR, NONLINEAR_PARAMETERS)

    def test_open_constant(self):
        self.check(OPEN, {"k": 1.5, "load": 0.8})

    def test_names(self):
        """What a gradient can't be by is named, with what it can be by."""
        cases = {
            "kk": ["a gradient by what is no parameter", 'did you mean "k"?'],
            "b": ["a gradient by a parameter that has several values", "b.x0, b.x1"],
            "b.x2": ["a gradient by a parameter in a group that it has no value for", "b.x0, b.x1"],
            "k.x0": ["a gradient by a parameter in a group, which has none"],
            "place": ["a gradient by a parameter that is no number", "place = 1 + x"],
            "direction": ["a gradient by a parameter that is no number"],
        }
        for name, parts in cases.items():
            with self.subTest(name):
                done = self.run_case(NAMES.replace("NAME", name), expect=WRONG_INPUT)
                self.assert_error(done, "case.toml:15: [functionals] mean.gradient", *parts)

    def test_unused(self):
        """By a parameter that nothing uses it is 0."""
        done = self.run_case(NAMES.replace("NAME", "unused"))
        self.assertEqual(self.results()["gradients"], {"mean": {"unused": 0}})
        self.assertIn("  d mean / d unused = 0\n", done.stdout)
