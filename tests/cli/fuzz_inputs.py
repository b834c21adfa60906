"""Damaged and made-up inputs of every kind that the program reads, and what it may do with them.

A family makes one input from a random generator, in a folder of its own, and says with which arguments
the program is run on it. `scripts/fuzz` runs many of them, `test_fuzz.py` some of each.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Only a program that hangs takes longer, on a busy machine and under the sanitizers too.
HANG_S = 240

# Done, the numbers failed, wrong input, the device or the system failed.
EXIT_CODES = (0, 1, 2, 3)

# What no message may hold: errors that nobody thought of, and what sanitizers and libraries say last.
UNEXPECTED = re.compile(r"internal error|Sanitizer|runtime error:|terminate called|LLVM ERROR|Segmentation")

SMALL_CASE = """\
title = "Small"

[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [3, 2], cell = "triangle" }

[parameters]
f = 1.0
k = { box = "1 + x^2" }

[definitions]
flux = "k*grad(u)"

[fields]
u = { element = "P1" }

[weak_form]
cells.all = "inner(flux, grad(test(u))) - f*test(u)"
facets.x1 = "0.5*(u - 2)*test(u)"

[dirichlet]
x0 = { u = "sin(y)" }

[solver]
tolerance = 1e-10

[functionals]
mean = { average = "u" }
top = { maximum = "u" }
here = { point = [0.5, 0.5], value = "u" }
"""

TRANSIENT_CASE = SMALL_CASE.replace("- f*test(u)", "- f*test(u) + dt(u)*test(u)") + """
[time]
scheme = "bdf2"
end = 0.4
step = 0.1

[output]
checkpoint_every = 0.2
probes = [[0.5, 0.5]]
"""

C_TEXT_CASE = """\
[mesh]
box = { size = [1, 1], cells = [2, 2], cell = "triangle" }
[parameters]
k = 2.0
[fields]
u = { element = "P1" }
[pointwise.u]
language = "c"
f0 = '''
real a[3];
for (int i = 0; i < 3; ++i)
  a[i] = i*u + sqrt(fabs(u) + 1.0);
if (u > 1.0 && k < 3.0)
  a[1] += 2.0;
else
  a[1] = -a[2];
f0 = a[0] + a[1]/(1.0 + a[2]*a[2]);'''
f1 = "for (int d = 0; d < dim; ++d) f1[d] = (u > 0 ? k : 1.0)*grad_u[d];"
[dirichlet]
boundary = { u = 0 }
"""

# With groups by place, an edge and a point.
PLACES_CASE = """\
[mesh]
box = { cells = [2, 2, 2], cell = "hexahedron" }
groups.hot = { cells = "x > w - 1e-6" }
groups.cold = { cells = "x < w + 1e-6" }
groups.glue = { between = ["hot", "cold"] }
groups.side = { facets = "y < 1e-6 and (x < w or not z > 1)" }
groups.rail = { edges = "abs(y - 1) < 1e-6 and z < 1e-6" }
groups.tip = { point = [1, 0, 1] }

[parameters]
w = 0.5
c = { tip = 3, rail = "1 + x" }

[fields]
u = { element = "P1", shape = "vector" }

[weak_form]
cells.all = "inner(grad(u), grad(test(u)))"
edges.rail = "c*u[1]^2*test(u[1])"
points.tip = "(c - u[0])*test(u[0])"

[dirichlet]
side = { u = [0, 0, 1] }

[functionals]
push = { reaction = "u[2]", facets = "side" }
along = { integral = "u", edges = "rail" }
there = { point = "tip", value = "u[0]" }
"""

STAGES_CASE = """\
[mesh]
box = { cells = [2, 2], cell = "triangle" }

[[stage]]
name = "heat"
[stage.fields]
u = { element = "P2" }
[stage.weak_form]
cells.all = "inner(grad(u), grad(test(u))) - test(u)"
[stage.dirichlet]
boundary = { u = 0 }

[[stage]]
name = "sum"
[stage.fields]
w = { element = "P1" }
[stage.initial]
w = "1 + x"
[stage.weak_form]
cells.all = "w*test(w) - u*norm(grad(u))*test(w)"
[stage.functionals]
sum = { integral = "w - u" }
"""

LAW_CASE = """\
physics = ["acoustics"]
[mesh]
box = { size = [1, 1], cells = [2, 2], cell = "triangle" }
[parameters]
c = 1.0
rho = 1.0
[fields]
p = { element = "DG2" }
v = { element = "DG2", shape = "vector" }
[conservation_law]
numerical_flux = "upwind"
[boundary.boundary]
outer = { p = "-p", v = "v" }
[initial]
p = "exp(-x^2)"
[time]
end = 0.01
cfl = 0.5
"""

GEOMETRY = """\
SetFactory("Built-in");
h = 0.5; n = 2;
Function Corner
  p = newp; Point(p) = {x, y, 0, h};
Return
x = 0; y = 0;
Call Corner;
a = p;
x = 1; y = 0;
Call Corner;
b = p;
x = 1; y = 1;
Call Corner;
c = p;
x = 0; y = 1;
Call Corner;
d = p;
Line(1) = {a, b}; Line(2) = {b, c}; Line(3) = {c, d}; Line(4) = {d, a};
Curve Loop(1) = {1:4}; Plane Surface(1) = {1};
For i In {1:n}
  Printf("side %g", i);
EndFor
If (n > 1)
  Transfinite Curve {1, 3} = 3;
EndIf
Physical Curve("x0") = {4}; Physical Surface("box") = {1};
Mesh.ElementOrder = 1;
"""

EXPECTATIONS = """\
source = "an exact solution"
[functionals.mean]
value = 0.5
relative = 10
[functionals.top]
below = 100.0
"""


def case_of_file(name):
    """The small case on the mesh of a file, which has the facets x0 and the region `box` only."""
    text = re.sub("(?m)^box = .*", f'file = "{name}"', SMALL_CASE)
    return text.replace("facets.x1", "facets.x0")


# What mutations put in.
TEXT_PIECES = ["[", "]", "{", "}", "(", ")", '"', "'", '"""', "=", "\n", ",", ".", "#", "-", "^", "*", "1e999",
               "-1", "0", "nan", "inf", "1e-320", "99999999999999999999", "2000000000", "\x00", "\xff", "\xc3",
               "\u202e", "\t", "\r", "\\", "\\u0000", "true", "[[", "]]", "a.b.c", " "]
EXPRESSION_PIECES = ["grad(", "div(", "test(u)", "u", "x", "z", "t", "n", "X[", "u[0]", "u[9]", "inner(", "dot(",
                     "where(", "min(", "sqrt(", "log(-1)", "/0", "^2", "^0.5", "^-3", "^100000000", "identity",
                     "cell_size", "transpose(", "[1, 2]", "<", "and", "dt(u)", "k", "f", "flux", "pi", "avg(u)",
                     "exp(exp(exp(x)))", "((((", "))))", "---", "+", "1.", ".5", "1e", "0x1"]
C_PIECES = ["for (;;)", "while (1)", "int", "real", "float *", "&u", "*", "asm(\"nop\");", "#include </etc/passwd>\n",
            "#define a b\n", "??=", "%:", "\\\n", "}", "{", "goto l;", "return;", "a[", "a[i + 1]", "i", "i %", "<<",
            "sizeof(a)", "barrier(0);", "__asm", "/*", "*/", "//", ";", "?", ":", "1/0", "1 % 0", "2147483647 + 1",
            "weft_in[0]", "WEFT_LANES", "f0", "f1[d]", "dim", "(real)", "const", "static", "volatile", "++", "+="]
GEOMETRY_PIECES = ["SystemCall \"touch x\";", "Save \"x.msh\";", "Include \"x\";", "Merge Sprintf(\"%g\", 1);",
                   "Printf(\"a\") > \"x\";", "For", "EndFor", "If (1)", "EndIf", "Call", "Return", "{", "}", "(", ")",
                   ";", "\"", "//", "/*", "Mesh.", "1e99", "-1", "newp", "#", "~{", "Physical Surface(\"\") = {1};",
                   "Delete All;", "Exit;", "Abort;", "OnelabRun(\"x\")", "\n"]
BINARY_PIECES = ["\x00" * 4, "\xff" * 4, "\xff\xff\xff\x7f", "\x01\x00\x00\x00", "\x00" * 64, "\x80", "HDF", "TREE",
                 "SNOD", "OHDR"]


def mutated(text, pieces, rng):
    """`text` after one to four cuts, doublings, moves, insertions and changed characters."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 4])):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 2, 5, 20, 80]))
        kind = rng.randrange(7)
        if kind == 0 and rng.random() < 0.2:
            text = text[:start]
        elif kind == 1:
            text = text[:start] + text[end:]
        elif kind == 2:
            text = text[:start] + text[start:end] * rng.choice([2, 2, 3, 50]) + text[end:]
        elif kind == 3:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + text[start:end] + text[at:]
        elif kind == 4:
            text = text[:start] + chr(rng.randrange(256)) + text[start + 1 :]
        else:
            text = text[:start] + rng.choice(pieces) + text[end:]
    return text


# What a token may become: numbers at the edges for numbers, pieces of expressions for text in quotes.
NUMBERS = ["0", "-1", "1", "2", "3", "7", "1e308", "1e-308", "-0.0", "nan", "inf", "-inf", "2147483647", "2147483648",
           "-2147483649", "9223372036854775807", "1e5", "0.1", "true", '"1"', "[]", "{}", "[1, 2]", '"nan"', "[nan]"]
TOKEN = re.compile(r'"[^"\n]*"|-?\b\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\b|\b[A-Za-z_]\w*\b')


def with_tokens_changed(text, rng, pieces=EXPRESSION_PIECES):
    """`text` with one to three of its numbers, names and quoted texts changed, so that its syntax holds."""
    for _ in range(rng.randint(1, 3)):
        tokens = list(TOKEN.finditer(text))
        if not tokens:
            return text
        token = rng.choice(tokens)
        old = token.group()
        if old.startswith('"'):
            inside = old[1:-1]
            inside = rng.choice([mutated(inside, pieces, rng), random_expression(rng), inside + rng.choice(pieces), ""])
            new = '"' + re.sub(r'[\x00-\x1f\x7f"\\]', " ", inside) + '"'
        elif old[0].isdigit() or old[0] == "-":
            new = rng.choice(NUMBERS)
        else:
            new = rng.choice(tokens).group().strip('"') if rng.random() < 0.7 else old + old
        text = text[: token.start()] + new + text[token.end() :]
    return text


def damaged(text, pieces, rng):
    """`text` mostly with changed tokens, now and then with changed characters."""
    return with_tokens_changed(text, rng) if rng.random() < 0.7 else mutated(text, pieces, rng)


def mutated_bytes(data, rng):
    """`data` after one to eight changed bits, bytes and pieces; now and then cut or longer."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(8)
        if kind < 4 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 4 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 5:
            piece = rng.choice(BINARY_PIECES).encode("latin-1")
            data[at : at + len(piece)] = piece
        elif kind == 6 and rng.random() < 0.3:
            del data[at:]
        elif kind == 7 and rng.random() < 0.3:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 8, 500])))
    return bytes(data)


def random_expression(rng, depth=0):
    """An expression of the case language, mostly well formed."""
    if depth > 5 or rng.random() < 0.25:
        return rng.choice(["u", "x", "y", "z", "f", "k", "t", "pi", "1", "0", "2.5", "1e-300", "-3", "n", "X", "flux",
                           "grad(u)", "test(u)", "grad(test(u))", "cell_size", "identity", "u[0]", "[x, y]", "dt(u)"])
    a, b = random_expression(rng, depth + 1), random_expression(rng, depth + 1)
    return rng.choice([f"({a} + {b})", f"{a}*{b}", f"{a} - {b}", f"({a})/({b})", f"({a})^{b}", f"-{a}", f"sqrt({a})",
                       f"sin({a})", f"exp({a})", f"log({a})", f"inner({a}, {b})", f"dot({a}, {b})", f"max({a}, {b})",
                       f"where({a} < {b}, {a}, {b})", f"div({a})", f"grad({a})", f"transpose({a})", f"[{a}, {b}]",
                       f"abs({a})", f"tr({a})", f"norm({a})", f"({a})[{rng.randrange(4)}]", f"atan2({a}, {b})",
                       f"sym({a})", f"outer({a}, {b})", f"cross({a}, {b})", f"det({a})", f"inv({a})"])


@dataclass
class Input:
    """What the program is run on."""

    arguments: list  # after the program's name
    environment: dict  # beside that of the caller


class Families:
    """The kinds of inputs. `prepared`: what Prepared made once."""

    def __init__(self, prepared):
        self.prepared = prepared
        self.texts = [SMALL_CASE, TRANSIENT_CASE, PLACES_CASE, STAGES_CASE, LAW_CASE]
        for path in sorted((ROOT / "cases").glob("*/case.toml")):
            text = path.read_text()
            if "box = {" in text and not re.search(r"cells = \[\s*\d{3}", text):
                self.texts.append(text)

    def cases(self, rng, folder):
        text = damaged(rng.choice(self.texts), TEXT_PIECES + EXPRESSION_PIECES, rng)
        (folder / "case.toml").write_bytes(text.encode("latin-1", "replace"))
        return Input(["check", "case.toml", "--stage", rng.choice(["form", "form", "space"])], {})

    def physics(self, rng, folder):
        users = [(name, text) for text in self.texts for name in re.findall(r'physics = \["(\w+)"\]', text)]
        name, text = rng.choice(users)
        source = damaged((ROOT / "physics" / f"{name}.toml").read_text(), TEXT_PIECES + EXPRESSION_PIECES, rng)
        (folder / "mine.toml").write_bytes(source.encode("latin-1", "replace"))
        (folder / "case.toml").write_text(text.replace(f'"{name}"', '"./mine.toml"'))
        return Input(["check", "case.toml", "--stage", "form"], {})

    def expressions(self, rng, folder):
        expression = random_expression(rng)
        if rng.random() < 0.5:
            expression = mutated(expression, EXPRESSION_PIECES, rng)
        key = rng.choice(["cells.all", "facets.x1", "definitions", "dirichlet", "functionals"])
        text = SMALL_CASE
        # A literal string of TOML takes anything but its own end.
        quoted = "'''" + re.sub(r"[\x00-\x08\x0b-\x1f\x7f]|'", " ", expression) + "'''"
        if key == "cells.all":
            text = re.sub('cells.all = ".*"', lambda _: f"cells.all = {quoted}", text)
        elif key == "facets.x1":
            text = re.sub('facets.x1 = ".*"', lambda _: f"facets.x1 = {quoted}", text)
        elif key == "definitions":
            text = text.replace('flux = "k*grad(u)"', f"flux = {quoted}")
        elif key == "dirichlet":
            text = text.replace('"sin(y)"', quoted)
        else:
            text = text.replace('average = "u"', f"average = {quoted}")
        (folder / "case.toml").write_bytes(text.encode("utf-8"))
        return Input(["check", "case.toml", "--stage", "form"], {})

    def c_text(self, rng, folder):
        head, c_text, tail = C_TEXT_CASE.split("'''")
        inside = re.sub("[\x00-\x08\x0b-\x1f\x7f]|'", " ", mutated(c_text, C_PIECES, rng))
        (folder / "case.toml").write_bytes(f"{head}'''{inside}'''{tail}".encode())
        return Input(["check", "case.toml", "--stage", "form"], {})

    def settings(self, rng, folder):
        (folder / "case.toml").write_text(SMALL_CASE)
        sets = ["parameters.f=2", "solver.method=cg", "mesh.box.cells=[2, 2]", "device.threads=1", "output.directory=o",
                'functionals.a={ integral = "u" }', "solver.preconditioner={ kind = \"jacobi\" }", "title=x",
                "time.end=1", "fields.u={ element = \"P2\" }", "parameters.k={ box = 1.0 }", "mesh.refine=1"]
        arguments = ["check", "case.toml", "--stage", "form"]
        for _ in range(rng.choice([1, 1, 2])):
            text = rng.choice(sets)
            if rng.random() < 0.8:
                text = damaged(text, TEXT_PIECES, rng).replace("\x00", "")
            arguments += ["--set", text]
        if rng.random() < 0.3:
            option, value = rng.choice([("--threads", "2"), ("--device", "opencl:0"), ("--stage", "form"),
                                        ("--out", "o")])
            arguments += [option, mutated(value, TEXT_PIECES, rng).replace("\x00", "")]
        return Input(arguments, {})

    def meshes(self, rng, folder):
        name = rng.choice(sorted(self.prepared.meshes))
        data = (self.prepared.meshes[name]).read_bytes()
        if rng.random() < 0.5:
            data = mutated_bytes(data, rng)
        else:
            data = damaged(data.decode("latin-1"), TEXT_PIECES, rng).encode("latin-1", "replace")
        (folder / "part.msh").write_bytes(data)
        (folder / "case.toml").write_text(case_of_file("part.msh"))
        return Input(rng.choice([["mesh", "info", "part.msh"], ["check", "case.toml", "--stage", "space"],
                                 ["mesh", "blocks", "part.msh"]]), {})

    def geometries(self, rng, folder):
        (folder / "part.geo").write_bytes(mutated(GEOMETRY, GEOMETRY_PIECES, rng).encode("latin-1", "replace"))
        return Input(["mesh", "info", "part.geo", "--mesh-timeout", "20"],
                     {"XDG_CACHE_HOME": str(folder / "cache")})

    def checkpoints(self, rng, folder):
        (folder / "checkpoint.h5").write_bytes(mutated_bytes(self.prepared.checkpoint.read_bytes(), rng))
        (folder / "case.toml").write_text(TRANSIENT_CASE)
        return Input(["run", "case.toml", "--restart", "checkpoint.h5", "--out", "out"], {})

    def variants(self, rng, folder):
        text = self.prepared.results.read_text()
        (folder / "results.json").write_bytes(damaged(text, TEXT_PIECES, rng).encode("latin-1", "replace"))
        (folder / "case.toml").write_text(SMALL_CASE)
        return Input(["run", "case.toml", "--variants", "results.json", "--out", "out"], {})

    def expectations(self, rng, folder):
        (folder / "case.toml").write_text(SMALL_CASE)
        (folder / "expect.toml").write_bytes(damaged(EXPECTATIONS, TEXT_PIECES, rng).encode("latin-1", "replace"))
        return Input(["run", "case.toml", "--expect", "--out", "out"], {})

    def tuning_files(self, rng, folder):
        text = self.prepared.tuning_export.read_text()
        (folder / "tuned.json").write_bytes(damaged(text, TEXT_PIECES, rng).encode("latin-1", "replace"))
        return Input(["tuned", "import", "tuned.json"], {"XDG_DATA_HOME": str(folder / "data")})

    def reports(self, rng, folder):
        """A run's folder with some of its files damaged."""
        shutil.copytree(self.prepared.transient, folder / "run")
        files = sorted(path for path in (folder / "run").iterdir() if path.suffix != ".h5")
        for path in rng.sample(files, rng.randint(1, 2)):
            data = path.read_bytes()
            if rng.random() < 0.5:
                data = mutated_bytes(data, rng)
            else:
                data = damaged(data.decode("latin-1"), TEXT_PIECES, rng).encode("latin-1", "replace")
            path.write_bytes(data)
        return Input(["report", "run"], {})

    def field_files(self, rng, folder):
        """A known field and initial values out of files of fields, one of which is damaged."""
        for path in self.prepared.transient.glob("fields*"):
            shutil.copy(path, folder)
        path = rng.choice(sorted(folder.glob("fields*")))
        path.write_bytes(mutated_bytes(path.read_bytes(), rng))
        file = rng.choice(["fields.pvd", path.name])
        known = f'[auxiliary]\na = {{ element = "P2", file = "{file}", field = "u" }}\n'
        (folder / "case.toml").write_text(f'{SMALL_CASE}{known}[initial]\nu = {{ file = "{file}" }}\n')
        return Input(["check", "case.toml"], {})

    def stored(self, rng, folder):
        """Kept kernels, meshes, tuning results and figures of the machine, damaged."""
        cache, data = folder / "cache", folder / "data"
        shutil.copytree(self.prepared.cache, cache)
        shutil.copytree(self.prepared.data, data)
        files = [path for path in (*cache.rglob("*"), *data.rglob("*")) if path.is_file()]
        for path in rng.sample(files, min(len(files), rng.randint(1, 4))):
            path.write_bytes(mutated_bytes(path.read_bytes(), rng))
        shutil.copy(self.prepared.geometry, folder / "part.geo")
        text = case_of_file("part.geo")
        (folder / "case.toml").write_text(text)
        # Where PoCL keeps its kernels itself ours are not used.
        environment = {"XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(data), "POCL_CACHE_DIR": ""}
        return Input(rng.choice([["run", "case.toml", "--out", "out"], ["tuned", "ls"], ["cache", "ls"]]), environment)


# How many of a hundred inputs each family makes; those that run a case cost the most.
SHARES = {"cases": 16, "physics": 8, "expressions": 20, "c_text": 10, "settings": 10, "meshes": 14, "geometries": 2,
          "checkpoints": 4, "variants": 3, "expectations": 2, "tuning_files": 3, "reports": 4, "stored": 2,
          "field_files": 2}


class Prepared:
    """Files that families damage, made once by the program itself in `folder`."""

    def __init__(self, program, folder):
        self.program, self.folder = str(program), Path(folder)
        self.cache, self.data = self.folder / "cache", self.folder / "data"
        self.geometry = self.write("part.geo", GEOMETRY)
        own = {"XDG_CACHE_HOME": str(self.cache), "XDG_DATA_HOME": str(self.data), "POCL_CACHE_DIR": ""}
        self.write("case.toml", TRANSIENT_CASE)
        self.run(["run", "case.toml", "--out", "transient"])
        self.transient = self.folder / "transient"
        self.checkpoint = self.transient / "checkpoint.h5"
        self.write("case.toml", SMALL_CASE)
        self.run(["run", "case.toml", "--out", "small"])
        self.results = self.folder / "small" / "results.json"
        text = case_of_file("part.geo")
        self.write("case.toml", text)
        self.run(["run", "case.toml", "--out", "stored", "--tune", "--budget", "0.2"], own)
        self.run(["tuned", "export", "tuned.json"], own)
        self.tuning_export = self.folder / "tuned.json"
        self.meshes = {}
        for cell, dims in (("triangle", 2), ("hexahedron", 3), ("prism", 3), ("pyramid", 3)):
            for binary in (False, True):
                name = f"{cell}_{binary}.msh"
                self.run(["mesh", "box", "-o", name, "--cell", cell, "--cells", *["2"] * dims]
                         + ([] if binary else ["--ascii"]))
                self.meshes[name] = self.folder / name
        for version in ("2.2", "4.1"):
            for binary in (0, 1):
                path = self.folder / f"gmsh_{version}_{binary}.msh"
                subprocess.run(["gmsh", "-2", "part.geo", "-o", path, "-format", "msh" + version.replace(".", ""),
                                "-v", "0", *(["-bin"] if binary else [])], cwd=self.folder, check=True)
                self.meshes[path.name] = path

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def run(self, arguments, environment=None):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env={**os.environ, **(environment or {})},
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"weft {' '.join(arguments)}: {done.stdout}{done.stderr}")


def run_one(program, families, family, seed, keep=None):
    """Makes the input of that seed and runs the program on it.

    Returns (exit code or None, fault): the fault is empty where the program did what it may. The folder of an
    input with a fault is kept under `keep`, with the command.
    """
    rng = random.Random(f"{family} {seed}")
    with tempfile.TemporaryDirectory(prefix="weft_fuzz_") as name:
        folder = Path(name)
        made = getattr(families, family)(rng, folder)
        environment = {**os.environ, **made.environment}
        command = [str(program), *made.arguments]
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            output, errors = process.communicate(timeout=HANG_S)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            code = None
        message = errors.decode("utf-8", "replace")
        fault = fault_of(code, message)
        if fault and keep:
            kept = Path(keep) / f"{family}_{seed}"
            shutil.copytree(folder, kept, dirs_exist_ok=True, symlinks=True)
            (kept / "command.txt").write_text(f"{command!r}\n{made.environment!r}\n{fault}\n{message}")
    return code, f"{family} {seed}: {fault}\n{message[-2000:]}" if fault else ""


def fault_of(code, message):
    """What is wrong with an end of the program; empty where nothing is."""
    if code is None:
        return f"no end within {HANG_S} s"
    if code < 0:
        return f"ended by signal {-code}"
    if code not in EXIT_CODES:
        return f"exit code {code}"
    if UNEXPECTED.search(message):
        return "an error that nobody thought of"
    if code != 0 and not message.strip():
        return f"exit code {code} without a message"
    return ""
