"""What the tests of the command line share: running the program on case and mesh files of their own."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from json_schema import faults

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ["WEFT_PROGRAM"])
BUILD_DIR = Path(os.environ["WEFT_BUILD_DIR"])
RESULTS_SCHEMA = json.loads((ROOT / "docs" / "reference" / "results.schema.json").read_text())

# Only a program that hangs takes longer, on a slow and busy machine too.
LONGEST_RUN_S = 450

# Everything is tried, and not only what stands for the rest.
ALL = "WEFT_TEST_ALL" in os.environ

# Which tests run: "usual" ones, "extended" ones, or by default both; see extended().
CHOSEN = os.environ.get("WEFT_TEST_CHOSEN")

# Exit codes.
DONE, NUMBERS_FAILED, WRONG_INPUT, SYSTEM_FAILED = 0, 1, 2, 3


def extended(test):
    """A method, or a class of them, for scripts/test --extended: it takes long, and others test most of it."""
    test.is_extended = True
    return test


def with_others(usual, others):
    """What a test goes through: what stands for all of it, and with WEFT_TEST_ALL the others."""
    return [*usual, *(others if ALL else ())]


# Solves -lap(u) = 1 on a small box; tests replace a line of it.
CASE = """\
title = "Small"

[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }

[parameters]
f = 1.0

[fields]
u = { element = "P1" }

[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - f*test(u)"

[dirichlet]
boundary = { u = 0 }

[solver]
tolerance = 1e-10

[functionals]
mean = { average = "u" }
"""

# The unit square in two triangles, Gmsh's format 2.2.
MESH = """\
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "left"
1 2 "right"
2 3 "plate"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
4
1 1 2 1 1 4 1
2 1 2 2 1 2 3
3 2 2 3 1 1 2 3
4 2 2 3 1 1 3 4
$EndElements
"""

MESH_CASE = CASE.replace(
    'box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }',
    'file = "square.msh"',
).replace("boundary = {", "left = {")


class CommandLineTest(unittest.TestCase):
    """A test with an empty folder of its own, removed afterwards."""

    def setUp(self):
        method = getattr(self, self._testMethodName)
        is_extended = hasattr(method, "is_extended") or hasattr(self, "is_extended")
        if CHOSEN and is_extended != (CHOSEN == "extended"):
            self.skipTest(f"the {CHOSEN} tests were chosen")
        folder = tempfile.TemporaryDirectory(prefix="weft_cli_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def weft(self, *arguments, env=None, expect=DONE):
        """Runs the program in the test's folder; fails unless its exit code is `expect` (None: any)."""
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            cwd=self.folder,
            # Settings of the test's own: there are none, unless it writes config/weft/config.toml.
            env={**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config"), **(env or {})},
            capture_output=True,
            text=True,
            timeout=LONGEST_RUN_S,
        )
        if expect is not None:
            self.assertEqual(
                done.returncode, expect, f"weft {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}"
            )
        return done

    def run_case(self, text=CASE, *arguments, expect=DONE, **options):
        """`weft run` on a case of this text, with output in <folder>/out."""
        self.write("case.toml", text)
        return self.weft("run", "case.toml", "--out", "out", *arguments, expect=expect, **options)

    def results(self, folder="out"):
        """results.json of a folder, which must be as its schema says."""
        results = json.loads((self.folder / folder / "results.json").read_text())
        self.assertEqual(faults(results, RESULTS_SCHEMA), [])
        return results

    def assert_error(self, done, *parts):
        """The message, on the error stream, holds all of these parts."""
        for part in parts:
            self.assertIn(part, done.stderr)


def replaced(text, old, new):
    """`text` with `old`, which must be there once, replaced."""
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)


def line_of(text, part):
    """Number of the line, from 1, that holds `part`."""
    return text[: text.index(part)].count("\n") + 1
