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
    "dirk3": 'scheme = "dirk3"',
    "generalised_alpha": 'scheme = "generalised_alpha"',
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

    def refused(self, text, *parts, restart="out/checkpoint.h5", options=()):
        self.write("other.toml", text)
        done = self.weft("run", "other.toml", "--restart", restart, *options, expect=WRONG_INPUT)
        self.assert_error(done, *parts)

    def test_what_it_does_not_belong_to(self):
        other = "checkpoint.h5", "remedy", "--restart"
        for options in [], ["--force"]:
            self.refused(
                replaced(self.text, "[6, 6]", "[6, 7]"), "another mesh", *other, options=options
            )
            self.refused(
                replaced(self.text, 'scheme = "bdf2"', 'scheme = "theta"'),
                "another scheme",
                "bdf2",
                options=options,
            )
        self.refused(CASE, "does not depend on time", "[time]")

    def test_a_run_that_has_ended(self):
        done = self.weft(
            "run", "case.toml", "--restart", "out/checkpoint.h5", expect=WRONG_INPUT
        )
        self.assert_error(done, "at the end", "0.05", "[time] end")

    def test_what_is_no_checkpoint(self):
        self.refused(self.text, "none.h5", "does not exist", restart="none.h5")
        self.refused(self.text, "not an HDF5 file", restart="case.toml")
        whole = (self.folder / "out" / "checkpoint.h5").read_bytes()
        self.write("cut.h5", whole[: len(whole) // 2])
        self.refused(self.text, "cut.h5", "truncated", restart="cut.h5")

    def test_another_problem_needs_force(self):
        text = replaced(self.text, '"sin(5*t)"', '"sin(6*t)"')
        text = replaced(text, "1 + u^2", "2 + u^2")
        text = replaced(text, "size = [1, 1]", "size = [2, 2]")
        text = replaced(text, "step = 0.025", "step = 0.0125")
        differing = (
            "[mesh]: box, 72 cells then",
            "[dirichlet] x0.u: sin(5*t) then, sin(6*t) now",
            "[weak_form] cells.all",
            "[time] step: 0.025 then, 0.0125 now",
        )
        self.refused(text, *differing, "--force")
        self.assertFalse((self.folder / "other").exists())
        done = self.weft(
            "run", "other.toml", "--out", "b", "--restart", "out/checkpoint.h5", "--force"
        )
        for part in ("notice", *differing):
            self.assertIn(part, done.stderr)

    def test_what_may_differ(self):
        text = replaced(self.text, "checkpoint_every = 0.2", "checkpoint_every = 0.1\nrows_every = 0.05")
        text = replaced(text, "newton = { tolerance = 1e-9 }", "newton = { tolerance = 1e-8 }")
        text = replaced(text, 'mean = { average = "u" }', 'largest = { maximum = "u" }')
        self.write("other.toml", text + "[device]\nthreads = 1\n")
        done = self.weft("run", "other.toml", "--out", "b", "--restart", "out/checkpoint.h5")
        self.assertNotIn("then,", done.stderr)


class EarlierResults(CommandLineTest):
    """What an earlier run left in the folder of a new one."""

    def names(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir() if path.is_file())

    def test_are_set_aside(self):
        text = replaced(TRANSIENT, "end = 0.4", "end = 0.2")
        self.write("case.toml", text)
        self.weft("run", "case.toml", "--out", "out")
        self.write("out/notes.txt", "mine")
        first = self.names("out")
        results = (self.folder / "out" / "results.json").read_bytes()
        done = self.weft("run", "case.toml", "--out", "out", "--set", "time.end=0.1")
        self.assertIn("out/previous", done.stderr)
        self.assertEqual(self.names("out/previous"), [n for n in first if n != "notes.txt"])
        self.assertEqual(
            (self.folder / "out" / "previous" / "results.json").read_bytes(), results
        )
        self.assertEqual((self.folder / "out" / "notes.txt").read_bytes(), b"mine")
        self.assertEqual(len([n for n in self.names("out") if n.startswith("fields_")]), 2)

        # A run that does not begin leaves everything where it is.
        now = self.names("out")
        self.weft("run", "case.toml", "--out", "out", "--set", "fields.u.element=P9", expect=WRONG_INPUT)
        self.assertEqual(self.names("out"), now)

    def test_a_restart_keeps_its_series(self):
        self.write("case.toml", replaced(TRANSIENT, "checkpoint_every = 0.2", "checkpoint_every = 1"))
        self.weft("run", "case.toml", "--out", "out", "--set", "time.end=0.2")
        # A later run in that folder leaves more fields than the checkpoint's series has.
        series = self.names("out")
        self.write("out/fields_0007.vtu", "of another run")
        self.weft("run", "case.toml", "--out", "out", "--restart", "out/checkpoint.h5")
        self.assertEqual(self.names("out/previous"), ["fields_0007.vtu", "results.json"])
        self.assertEqual(self.names("out"), sorted({*series, "fields_0003.vtu", "fields_0004.vtu"}))

    def test_a_restart_does_not_take_the_fields_of_another_series(self):
        self.write("case.toml", TRANSIENT)
        self.weft("run", "case.toml", "--out", "first", "--set", "time.end=0.2")
        self.weft("run", "case.toml", "--out", "second", "--set", "time.end=0.2")
        self.weft("run", "case.toml", "--out", "second", "--restart", "first/checkpoint.h5")
        pvd = (self.folder / "second" / "fields.pvd").read_text()
        self.assertEqual(pvd.count('vtu"'), 2)
        self.assertIn("fields_0002.vtu", self.names("second/previous"))


if __name__ == "__main__":
    unittest.main()
