#!/usr/bin/env python3
"""Writes cases/poisson_mms_<cell>_<element>/, one for every cell type and order.

    scripts/make_mms_cases.py           write the files
    scripts/make_mms_cases.py --check   exit code 1 if a file differs from what would be written

All solve -div(a grad u) = f on the unit square or cube with a = 1 + x and the plane wave
u = cos(s), s = K . x. By hand: grad u = -K sin(s), so with K = (2, 1) or (2, 1, -1)

    f = -a lap(u) - grad(a) . grad(u) = |K|^2 a cos(s) + 2 sin(s),

the flux through x = 1 is a du/dn = -2 a sin(s), and u is given on the other sides.
"""

import argparse
import math
import sys
from pathlib import Path

CASES = Path(__file__).resolve().parent.parent / "cases"
# cell type: dimension, highest order
CELLS = {
    "triangle": (2, 4),
    "quadrilateral": (2, 4),
    "tetrahedron": (3, 4),
    "hexahedron": (3, 4),
    "prism": (3, 2),
    "pyramid": (3, 2),
}
DISTORT = {"triangle": 0.15, "tetrahedron": 0.15}
WAVE = {2: (2, 1), 3: (2, 1, -1)}
PHASE = {2: "2*x + y", 3: "2*x + y - z"}
SIDES = {2: ("x0", "y0", "y1"), 3: ("x0", "y0", "y1", "z0", "z1")}
# cells along an edge, [dimension][order - 1]; `weft verify` doubles them twice
COUNTS = {2: (8, 8, 4, 4), 3: (4, 4, 2, 2)}


def case_text(cell, order):
    dim = CELLS[cell][0]
    count = COUNTS[dim][order - 1]
    distort = f", distort = {DISTORT[cell]}" if cell in DISTORT else ""
    dirichlet = "\n".join(f'{side} = {{ u = "cos(s)" }}' for side in SIDES[dim])
    squared = sum(k * k for k in WAVE[dim])
    return f"""\
# Written by scripts/make_mms_cases.py; edit that.
title = "Manufactured Poisson problem, {cell}, P{order}"

[mesh]
box = {{ origin = {[0] * dim}, size = {[1] * dim}, cells = {[count] * dim}, cell = "{cell}"{distort} }}

[parameters]
s = "{PHASE[dim]}"
a = "1 + x"
f = "{squared}*a*cos(s) + 2*sin(s)"

[fields]
u = {{ element = "P{order}" }}

[weak_form]
cells.all = "a*inner(grad(u), grad(test(u))) - f*test(u)"
facets.x1 = "2*a*sin(s)*test(u)"

[dirichlet]
{dirichlet}

[solver]
tolerance = 1e-11

[exact]
u = "cos(s)"

[verify]
refine = 3
expect = {{ u = {order + 1}.0 }}
"""


def error_bound(cell, order):
    """Twice the best approximation of a plane wave on a cell, in the maximum norm.

    Along K the wave is a function of one variable, so Chebyshev's bound on an interval of
    half-width r, (|K| r)^(p+1) / (2^p (p+1)!), holds with r half the diameter of the cell.
    """
    dim = CELLS[cell][0]
    diameter = math.sqrt(dim) / COUNTS[dim][order - 1] * (1 + 2 * DISTORT.get(cell, 0))
    wave = math.hypot(*WAVE[dim])
    return 2 * (wave * diameter / 2) ** (order + 1) / (2**order * math.factorial(order + 1))


def expect_text(cell, order):
    return f"""\
# Written by scripts/make_mms_cases.py; edit that.
source = "manufactured solution; twice the best approximation error, see error_bound() of the script"

[errors]
"u.L2" = {{ below = {error_bound(cell, order):.2g} }}
"""


def readme_text(cell, order):
    dim = CELLS[cell][0]
    domain = "square" if dim == 2 else "cube"
    squared = sum(k * k for k in WAVE[dim])
    name = f"poisson_mms_{cell}_P{order}"
    distorted = ", inner nodes moved at random" if cell in DISTORT else ""
    return f"""\
<!-- Written by scripts/make_mms_cases.py; edit that. -->
# Manufactured Poisson problem: {cell}, P{order}

On the unit {domain}, cut into cells of type {cell}{distorted}:

    -div(a grad u) = f,   a = 1 + x,   f = {squared} a cos(s) + 2 sin(s),   s = {PHASE[dim]}
     a du/dn = -2 a sin(s)   on x1
     u = cos(s)              on the other sides

The exact solution is u = cos(s). The error in L2 must fall with order {order + 1}:

    weft verify cases/{name}/case.toml
"""


def files():
    """Yields (path, text) for every file."""
    for cell, (_, highest) in CELLS.items():
        for order in range(1, highest + 1):
            folder = CASES / f"poisson_mms_{cell}_P{order}"
            yield folder / "case.toml", case_text(cell, order)
            yield folder / "expect.toml", expect_text(cell, order)
            yield folder / "README.md", readme_text(cell, order)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    differing = 0
    for path, text in files():
        if check:
            if not path.exists() or path.read_text() != text:
                print(f"{path} differs; run scripts/make_mms_cases.py", file=sys.stderr)
                differing += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
