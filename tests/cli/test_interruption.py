"""Ctrl-C and signals end a run in order: what was solved is written, and a restart loses no bit."""

import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from weft_cli import LONGEST_RUN_S, PROGRAM, CommandLineTest, replaced

INTERRUPTED, TERMINATED, HUNG_UP = 130, 143, 129

# Many short steps; tests shorten it.
IMPLICIT = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [6, 6], cell = "triangle" }

[fields]
u = { element = "P2" }

[weak_form]
cells.all = "dt(u)*test(u) + (1 + u^2)*inner(grad(u), grad(test(u))) - (1 + x)*test(u)"

[dirichlet]
x0 = { u = "sin(5*t)" }

[time]
scheme = "bdf2"
end = 0.5
step = 0.001

[output]
every = 0.25
checkpoint_every = 100
probes = [[0.5, 0.5]]

[functionals]
mean = { average = "u" }
"""

EXPLICIT = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [12, 12], cell = "triangle" }

[fields]
u = { element = "DG2" }

[conservation_law]
flux.u = "[u, 0.5*u]"
wave_speed = "2"

[boundary.all]
outer = { u = "sin(8*(x - t))" }

[initial]
u = "sin(8*x)"

[time]
scheme = "lsrk4"
end = 0.5
cfl = 0.01

[output]
every = 0.25
checkpoint_every = 100

[functionals]
mean = { average = "u" }
"""

BOX = 'box = { origin = [0, 0], size = [1, 1], cells = [6, 6], cell = "triangle" }'

# Takes Gmsh many minutes.
FINE_CUBE = """\
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("cube") = {1};
Physical Surface("x0") = {1};
MeshSize{:} = 0.003;
"""

# Would run for hours.
ENDLESS = ["--set", "time.end=10000"]


class Interruption(CommandLineTest):
    def start(self, *arguments, env=None):
        run = subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.kill)
        return run

    def wait_for(self, run, path):
        """Until a file is there, while the run goes on."""
        while not (self.folder / path).exists():
            self.assertIsNone(run.poll(), "the run ended before it was interrupted")
            time.sleep(0.005)

    def wait_for_compiler(self, run):
        """Until the compiler of kernels has its folder of temporary files."""
        while not self.left_by(run.pid):
            self.assertIsNone(run.poll(), "the run ended before it was interrupted")
            time.sleep(0.005)

    def end(self, run, number, expect):
        """Sends a signal; the standard output and error of the run, which must end with `expect`."""
        run.send_signal(number)
        output, errors = run.communicate(timeout=LONGEST_RUN_S)
        self.assertEqual(run.returncode, expect, output + errors)
        self.assertEqual(self.left_by(run.pid), [])
        return output, errors

    def left_by(self, process):
        """Temporary files and folders of that process."""
        places = [Path("/dev/shm"), self.folder]
        if "XDG_CACHE_HOME" in os.environ:
            places.append(Path(os.environ["XDG_CACHE_HOME"]) / "weft")
        return [path for place in places for path in place.glob(f"**/*.{process}.*")]

    def interrupt(self, name, *arguments, number=signal.SIGTERM, expect=TERMINATED):
        """A run in the folder `name` that is interrupted after its first fields."""
        run = self.start("run", "case.toml", "--out", name, *arguments)
        self.wait_for(run, f"{name}/fields_0000.vtu")
        return self.end(run, number, expect)

    def contents(self, name):
        names = ("functionals.csv", "fields.pvd")
        fields = sorted((self.folder / name).glob("fields_*"))
        return {
            path.name: path.read_bytes()
            for path in [*fields, *((self.folder / name) / file for file in names)]
        }

    def assert_same_bits_after(self, text, number, expect):
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", "whole")
        _, errors = self.interrupt("out", number=number, expect=expect)
        self.assertIn("weft run case.toml --out out --restart out/checkpoint.h5", errors)
        results = self.results()
        self.assertEqual(results["outcome"]["status"], "interrupted")
        self.assertFalse(results["solver"]["converged"])
        stopped = results["time"]["end"]
        self.assertLess(stopped, 0.5)
        # Fields of the last state are written; the restart leaves them out of its series again.
        times = re.findall(r'timestep="([^"]*)"', (self.folder / "out/fields.pvd").read_text())
        self.assertEqual(float(times[-1]), stopped)
        self.weft("run", "case.toml", "--out", "out", "--restart", "out/checkpoint.h5")
        self.assertEqual(self.contents("out"), self.contents("whole"))

    def test_an_implicit_run_goes_on_with_the_same_bits(self):
        self.assert_same_bits_after(IMPLICIT, signal.SIGINT, INTERRUPTED)

    def test_an_explicit_run_goes_on_with_the_same_bits(self):
        self.assert_same_bits_after(EXPLICIT, signal.SIGTERM, TERMINATED)

    def test_without_checkpoints_it_says_how_to_get_them(self):
        self.write("case.toml", replaced(IMPLICIT, "checkpoint_every = 100\n", ""))
        _, errors = self.interrupt("out", *ENDLESS, number=signal.SIGHUP, expect=HUNG_UP)
        self.assertIn("SIGHUP", errors)
        self.assertIn("[output] checkpoint_every", errors)
        self.assertFalse((self.folder / "out" / "checkpoint.h5").exists())
        self.assertTrue((self.folder / "out" / "results.json").exists())

    def test_an_ignored_signal_stays_ignored(self):
        """nohup."""
        self.write("case.toml", IMPLICIT)
        ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            run = self.start("run", "case.toml", "--out", "out")
        finally:
            signal.signal(signal.SIGHUP, ignored)
        self.wait_for(run, "out/fields_0000.vtu")
        self.end(run, signal.SIGHUP, 0)

    def test_while_kernels_are_compiled(self):
        self.write("case.toml", replaced(IMPLICIT, '"P2"', '"P4"'))
        env = {"XDG_CACHE_HOME": str(self.folder / "cache"), "POCL_CACHE_DIR": ""}
        run = self.start("run", "case.toml", "--out", "out", *ENDLESS, env=env)
        self.wait_for_compiler(run)
        _, errors = self.end(run, signal.SIGINT, INTERRUPTED)
        self.assertIn("interrupted by SIGINT", errors)

    def test_while_gmsh_runs(self):
        self.write("cube.geo", FINE_CUBE)
        self.write("case.toml", replaced(IMPLICIT, BOX, 'file = "cube.geo"'))
        run = self.start("run", "case.toml", "--out", "out")
        self.assertIn("meshing", run.stderr.readline())
        _, errors = self.end(run, signal.SIGINT, INTERRUPTED)
        self.assertIn("interrupted by SIGINT", errors)
        commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
        self.assertEqual([c for c in commands if str(self.folder).encode() in c], [])

    def test_a_second_signal_ends_it_at_once(self):
        self.write("case.toml", IMPLICIT)
        env = {"XDG_CACHE_HOME": str(self.folder / "cache"), "POCL_CACHE_DIR": ""}
        run = self.start("run", "case.toml", "--out", "out", *ENDLESS, env=env)
        self.wait_for_compiler(run)
        run.send_signal(signal.SIGTERM)
        time.sleep(0.3)  # so that it is no echo of the first
        self.end(run, signal.SIGINT, INTERRUPTED)

    def test_verify(self):
        self.write("case.toml", IMPLICIT + '\n[exact]\nu = "0"\n')
        run = self.start("verify", "case.toml", *ENDLESS)
        self.assertIn("cells", run.stdout.readline())
        _, errors = self.end(run, signal.SIGINT, INTERRUPTED)
        self.assertIn("interrupted by SIGINT", errors)


if __name__ == "__main__":
    unittest.main()
