"""Runs of several processes: mpirun, and results that are compared with those of one."""

import os
import re
import shutil
import subprocess
import unittest
from math import isnan

from vtu_cells import cells_of
from weft_cli import BUILD_DIR, DONE, PROGRAM, CommandLineTest

LONGEST_S = 240  # of a run, on a busy machine
HAS_MPI = shutil.which("mpirun") is not None and (BUILD_DIR / "libweft_mpi.so").exists()
# A body for multigrid.
LOADED_CUBE = """
[mesh]
box = { cells = [14, 13, 12], cell = "tetrahedron", distort = 0.1 }
[fields]
u = { element = "P1" }
[parameters]
k = "1 + x*y"
[weak_form]
cells.all = "k*inner(grad(u), grad(test(u))) - test(u)"
[dirichlet]
x0 = { u = 0 }
[functionals]
mean = { average = "u" }
outflow = { reaction = "u", facets = "x0" }
"""


def last_field_file(folder):
    return re.findall('file="([^"]+)"', (folder / "fields.pvd").read_text())[-1]


def numbers_in(values):
    """All numbers of nested tables and lists."""
    if isinstance(values, (int, float)):
        yield values
    elif isinstance(values, (dict, list)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from numbers_in(value)


def mpirun_command(*per_process):
    """mpirun of command lines, (number of processes, command) each."""
    # Processes that wait leave the cores to others: tests run beside one another.
    command = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    command += ["--allow-run-as-root"] if os.getuid() == 0 else []
    for i, (ranks, words) in enumerate(per_process):
        command += [":"] * (i > 0) + ["-n", str(ranks), *map(str, words)]
    return command


@unittest.skipUnless(shutil.which("mpirun"), "SKIPPED: mpirun is not installed")
class RanksTest(CommandLineTest):
    def mpirun(self, *per_process, expect=DONE, env=None):
        done = subprocess.run(mpirun_command(*per_process), cwd=self.folder, capture_output=True, text=True,
                              timeout=LONGEST_S, env={**os.environ, **(env or {})})  # fmt: skip
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def weft_on(self, ranks, *arguments, **options):
        return self.mpirun((ranks, [PROGRAM, *arguments]), **options)

    def assert_one_message(self, done, *parts):
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assert_error(done, *parts)


class SystemsTest(RanksTest):
    def assert_near(self, one, other, least=1e-6):
        """All functionals and errors, to what the tolerance of solvers leaves; smaller ones as if of `least`."""
        one, other = self.results(one), self.results(other)
        for key in ("functionals", "errors"):
            a, b = (list(numbers_in(results.get(key))) for results in (one, other))
            self.assertEqual(len(a), len(b), key)
            for x, y in zip(a, b, strict=True):
                self.assertAlmostEqual(x, y, delta=1e-8 * max(abs(x), least), msg=key)
        self.assertEqual(one["dofs"], other["dofs"])
        self.assertEqual(one["mesh"], other["mesh"])

    def assert_near_fields(self, one, other):
        """Values at the points of all cells."""
        one, other = (cells_of(self.folder / folder / last_field_file(self.folder / folder)) for folder in (one, other))
        self.assertEqual(one.keys(), other.keys())
        names = {name for name in next(iter(one.values())) if name != "region"}
        for name in names:
            a, b = ([x for place in one for x in memoryview(cells[place][name]).cast("d")] for cells in (one, other))
            self.assertEqual([isnan(x) for x in a], [isnan(x) for x in b], name)  # what has not happened yet
            size = max((abs(x) for x in a if not isnan(x)), default=0)
            apart = max((abs(x - y) for x, y in zip(a, b, strict=True) if not isnan(x)), default=0)
            self.assertLessEqual(apart, 1e-7 * size, name)
