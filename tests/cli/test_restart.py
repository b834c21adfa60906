"""A run that goes on from a checkpoint gives the bits of the one that was never interrupted."""

import os
import signal
import subprocess
import time
import unittest

from weft_cli import CASE, PROGRAM, WRONG_INPUT, CommandLineTest, replaced

# Non-linear, with a boundary value that changes over time.
TRANSIENT = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [6, 6], cell = "triangle", distort = 0.2 }

[fields]
u = { element = "P2" }

[weak_form]
cells.all = "dt(u)*test(u) + (1 + u^2)*inner(grad(u), grad(test(u))) - (1 + x)*test(u)"

[dirichlet]
x0 = { u = "sin(5*t)" }

[time]
scheme = "bdf2"
end = 0.4
step = 0.025

[solver]
tolerance = 1e-8
newton = { tolerance = 1e-9 }

[output]
every = 0.1
checkpoint_every = 0.2
probes = [[0.5, 0.5], [1, 1]]

[functionals]
mean = { average = "u" }
"""

SCHEMES = {
    "bdf2": 'scheme = "bdf2"',
    "midpoint": 'scheme = "theta"',
    "euler": 'scheme = "theta"\ntheta = 1.0',
    "bdf2_adaptive": 'scheme = "bdf2"\nadaptive = { tolerance = 1e-3 }',
    "midpoint_adaptive": 'scheme = "theta"\nadaptive = { tolerance = 1e-3 }',
}


class Restart(CommandLineTest):
    def contents(self, folder):
        """Of the files of an output folder that a reader opens, by their names."""
        paths = sorted((self.folder / folder).glob("fields*"))
        paths += [self.folder / folder / name for name in ("functionals.csv", "probes.csv")]
        return {path.name: path.read_bytes() for path in paths}

    def assert_same_output(self, one, other):
        one, other = self.contents(one), self.contents(other)
        self.assertEqual(one.keys(), other.keys())
        for name in one:
            self.assertEqual(one[name], other[name], name)

    def assert_same_bits_after_restart(self, name, text):
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", f"{name}_whole")
        self.weft("run", "case.toml", "--out", name, "--set", "time.end=0.2")
        self.weft("run", "case.toml", "--out", name, "--restart", f"{name}/checkpoint.h5")
        self.assert_same_output(f"{name}_whole", name)

    def test_same_bits_with_every_scheme(self):
        for name, scheme in SCHEMES.items():
            with self.subTest(scheme=name):
                self.assert_same_bits_after_restart(
                    name, replaced(TRANSIENT, 'scheme = "bdf2"', scheme)
                )

    def test_same_bits_with_an_assembled_matrix_in_f32(self):
        text = replaced(TRANSIENT, "[solver]", '[solver]\noperator = "assembled"')
        text = replaced(text, "tolerance = 1e-9", "tolerance = 1e-4")
        text = replaced(text, "tolerance = 1e-8", "tolerance = 1e-5")
        self.assert_same_bits_after_restart("f32", text + '\n[device]\nprecision = "f32"\n')

    def test_a_killed_run_goes_on(self):
        text = replaced(TRANSIENT, "step = 0.025", "step = 0.001")
        text = replaced(text, "checkpoint_every = 0.2", "checkpoint_every = 0.002")
        text = replaced(text, "end = 0.4", "end = 0.2")
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", "whole")
        checkpoint = self.folder / "out" / "checkpoint.h5"
        restart = []
        for _ in range(3):
            before = checkpoint.stat().st_ino if checkpoint.exists() else None
            run = subprocess.Popen(
                [PROGRAM, "run", "case.toml", "--out", "out", "-q", *restart],
                cwd=self.folder,
                env=os.environ,
            )
            while run.poll() is None and (
                not checkpoint.exists() or checkpoint.stat().st_ino == before
            ):
                time.sleep(0.001)
            time.sleep(0.02)
            run.send_signal(signal.SIGKILL)
            self.assertEqual(run.wait(), -signal.SIGKILL, "the run ended before it was killed")
            restart = ["--restart", checkpoint]
        self.weft("run", "case.toml", "--out", "out", *restart)
        self.assert_same_output("whole", "out")
        self.assertEqual(list((self.folder / "out").glob("*.part")), [])

    def test_into_another_folder(self):
        self.write("case.toml", TRANSIENT)
        self.weft("run", "case.toml", "--out", "first", "--set", "time.end=0.2")
        self.weft("run", "case.toml", "--out", "second", "--restart", "first/checkpoint.h5")
        self.weft("run", "case.toml", "--out", "whole")
        second, whole = self.contents("second"), self.contents("whole")
        for name in ("functionals.csv", "probes.csv"):
            self.assertEqual(second[name], whole[name])
        # Its fields.pvd lists what is there.
        self.assertEqual(second["fields_0000.vtu"], whole["fields_0003.vtu"])
        self.assertEqual(second["fields.pvd"].count(b"vtu\""), 2)


class RestartErrors(CommandLineTest):
    def setUp(self):
        super().setUp()
        text = replaced(TRANSIENT, "end = 0.4", "end = 0.05")
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", "out")
        self.text = replaced(text, "end = 0.05", "end = 0.1")

    def refused(self, text, *parts, restart="out/checkpoint.h5"):
        self.write("other.toml", text)
        done = self.weft("run", "other.toml", "--restart", restart, expect=WRONG_INPUT)
        self.assert_error(done, *parts)

    def test_what_it_does_not_belong_to(self):
        other = "checkpoint.h5", "remedy", "--restart"
        self.refused(replaced(self.text, "[6, 6]", "[6, 7]"), "another mesh", *other)
        self.refused(replaced(self.text, "1 + u^2", "2 + u^2"), "other equations", *other)
        self.refused(
            replaced(self.text, 'scheme = "bdf2"', 'scheme = "theta"'), "another scheme", "bdf2"
        )
        self.refused(CASE, "does not depend on time", "[time]")

    def test_a_run_that_has_ended(self):
        done = self.weft(
            "run", "case.toml", "--restart", "out/checkpoint.h5", expect=WRONG_INPUT
        )
        self.assert_error(done, "at the end", "0.05", "[time] end")

    def test_what_is_no_checkpoint(self):
        self.refused(self.text, "none.h5", "not there", restart="none.h5")
        self.refused(self.text, "not an HDF5 file", restart="case.toml")
        whole = (self.folder / "out" / "checkpoint.h5").read_bytes()
        self.write("cut.h5", whole[: len(whole) // 2])
        self.refused(self.text, "cut.h5", "truncated", restart="cut.h5")

    def test_other_parameters_are_noticed(self):
        text = replaced(self.text, '"sin(5*t)"', '"sin(6*t)"')
        self.write("other.toml", text)
        done = self.weft("run", "other.toml", "--out", "b", "--restart", "out/checkpoint.h5")
        self.assertIn("prescribed values differ", done.stderr)


if __name__ == "__main__":
    unittest.main()
