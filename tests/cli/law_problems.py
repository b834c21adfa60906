"""Conservation laws with known solutions, for orders of convergence by `weft verify`.

WEFT_TEST_ALL takes every order on every type of cell.
"""

import json

from weft_cli import ALL, CommandLineTest

DIMENSIONS = {"triangle": 2, "quadrilateral": 2, "tetrahedron": 3, "hexahedron": 3, "prism": 3}
# Orders that are verified in every run.
ORDERS = {
    "triangle": (1, 3, 6),
    "quadrilateral": (5,),
    "tetrahedron": (2, 4),
    "hexahedron": (3,),
    "prism": (2,),
}
# Cells along an edge of the coarser mesh, [dimension][order - 1]: enough for a wave.
COUNTS = {2: (16, 8, 6, 4, 3, 3), 3: (8, 6, 8, 4, 3, 3)}
# Mostly along the gradient of a wave that depends on x + y (+ z), and mostly across it.
ALONG = ("1", "0.5", "0.75")
ACROSS = ("1", "0.5", "-0.75")
SLACK = 0.2


def box(cell, count, distort=0.0, periodic=True):
    dim = DIMENSIONS[cell]
    joined = ["x", "y", "z"][:dim] if periodic else ["x", "z"][: dim - 1]
    return (
        f"box = {{ origin = {[0] * dim}, size = {[1] * dim}, cells = {[count] * dim}, "
        f'cell = "{cell}", distort = {distort}, periodic = {json.dumps(joined)} }}'
    )


def velocity(cell, flow=ALONG):
    return json.dumps(flow[: DIMENSIONS[cell]])


def phase(cell, flow=ALONG):
    dim = DIMENSIONS[cell]
    speed = sum(map(float, flow[:dim]))
    return f"2*pi*({' + '.join(['x', 'y', 'z'][:dim])} - {speed}*t)"


def table(name, values):
    return f"[{name}]\n" + "".join(f'{field} = "{value}"\n' for field, value in values.items())


def case(mesh, order, fields, exact, body, end):
    """A case that starts from the exact solution, as `fields` {name: shape}."""
    elements = "".join(
        f'{name} = {{ element = "DG{order}", shape = {json.dumps(shape)} }}\n'
        for name, shape in fields.items()
    )
    return (
        f"{body[0]}\n[mesh]\n{mesh}\n[fields]\n{elements}\n{body[1]}\n"
        + table("initial", exact)
        + table("exact", exact)
        + f"[time]\nend = {end}\ncfl = 0.5\n[verify]\nrefine = 2\n"
    )


def advection(cell, order, count, distort=0.0, flux="upwind", diffusion=0.0, flow=ALONG):
    """A sine that is carried, and that decays where it diffuses as well."""
    law = "a*q" if diffusion == 0 else "a*q - nu*grad(q)"
    body = f"""\
[parameters]
a = {velocity(cell, flow)}
nu = {diffusion}
wave = "exp(-{4 * DIMENSIONS[cell]}*pi^2*nu*t)*sin({phase(cell, flow)})"
[conservation_law]
flux.q = "{law}"
numerical_flux = "{flux}"
wave_speed = "norm(a)"
"""
    mesh = box(cell, count, distort)
    return case(mesh, order, {"q": "scalar"}, {"q": "wave"}, ("", body), 0.1)


def euler(cell, order, count, flux="hllc"):
    """A wave of density that is carried by a flow of constant velocity and pressure."""
    body = f"""\
[parameters]
r = "1 + 0.2*sin({phase(cell)})"
v = {velocity(cell)}
[conservation_law]
numerical_flux = "{flux}"
"""
    exact = {"rho": "r", "m": "r*v", "E": "1/(gamma - 1) + 0.5*r*dot(v, v)"}
    fields = {"rho": "scalar", "m": "vector", "E": "scalar"}
    return case(box(cell, count), order, fields, exact, ('physics = ["euler"]', body), 0.2)


def couette(cell, order, count):
    """A gas between walls of one temperature that slide past each other: friction heats the middle.

    mu u'' = 0 and kappa theta'' = -mu u'^2 with kappa = mu gamma/((gamma - 1) Pr), constant pressure.
    """
    dim = DIMENSIONS[cell]
    body = f"""\
[parameters]
mu = 0.05
speed = 2.0
hot = "1 + (gamma - 1)*Pr*speed^2/(2*gamma)*y*(1 - y)"
r = "1/hot"
v = {json.dumps(["speed*y", "0", "0"][:dim])}
e = "1/(gamma - 1) + 0.5*r*dot(v, v)"
[boundary]
all = {{ outer = {{ rho = "r", m = "r*v", E = "e" }} }}
"""
    exact = {"rho": "r", "m": "r*v", "E": "e"}
    fields = {"rho": "scalar", "m": "vector", "E": "scalar"}
    mesh = box(cell, count, periodic=False)
    return case(mesh, order, fields, exact, ('physics = ["navier_stokes"]', body), 0.2)


def problems():
    """(cell, order, cells along an edge) of this run."""
    for cell, orders in ORDERS.items():
        for order in range(1, 7) if ALL else orders:
            yield cell, order, COUNTS[DIMENSIONS[cell]][order - 1]


class LawOrderTest(CommandLineTest):
    def levels(self, text):
        self.write("case.toml", text)
        self.weft("verify", "case.toml", "--json", "verify.json")
        return json.loads((self.folder / "verify.json").read_text())["levels"]

    def assert_order(self, text, least):
        for field, order in self.levels(text)[-1]["orders"].items():
            self.assertGreaterEqual(order["L2"], least, field)
