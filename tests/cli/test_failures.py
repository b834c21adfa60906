"""The numbers fail (exit code 1), or the machine does (exit code 3)."""

import os
import resource
import subprocess
import unittest

from weft_cli import CASE, DONE, LONGEST_RUN_S, NUMBERS_FAILED, PROGRAM, SYSTEM_FAILED, CommandLineTest, replaced

GEOMETRY = """\
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {0, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 1};
Curve Loop(1) = {1, 2, 3};
Plane Surface(1) = {1};
"""


class NumbersFail(CommandLineTest):
    def test_not_converged_keeps_the_history(self):
        done = self.run_case(CASE, "--set", "solver.max_iterations=1", expect=NUMBERS_FAILED)
        self.assert_error(done, "converge")
        solver = self.results()["solver"]
        self.assertFalse(solver["converged"])
        self.assertGreaterEqual(len(solver["history"]), 1)

    def test_not_a_number(self):
        text = replaced(CASE, "f = 1.0", 'f = "sqrt(x - 2)"')
        done = self.run_case(text, expect=NUMBERS_FAILED)
        self.assert_error(done, "NaN", "the residual of u is nan in the cell at (", "of region box")

    def test_indefinite_matrix_in_cg(self):
        text = replaced(CASE, "- f*test(u)", "- 300*u*test(u) - f*test(u)")
        text = replaced(text, "tolerance = 1e-10", 'tolerance = 1e-10\nmethod = "cg"')
        self.assert_error(self.run_case(text, expect=NUMBERS_FAILED), "positive definite")

    def test_below_expectation_shows_the_line(self):
        self.write("expect.toml", 'source = "none"\n[functionals]\nmean = { value = 9.0, relative = 0.01 }\n')
        done = self.run_case(CASE, "--expect", expect=NUMBERS_FAILED)
        self.assertIn("mean", done.stdout + done.stderr)
        self.assertIn("9", done.stdout + done.stderr)

    def test_order_below_expectation(self):
        text = CASE + '\n[exact]\nu = "sin(x)"\n\n[verify]\nrefine = 3\nexpect = { u = 2.0 }\n'
        self.write("case.toml", text)
        self.weft("verify", "case.toml", expect=NUMBERS_FAILED)


class SystemFails(CommandLineTest):
    def test_no_such_device_lists_those_there_are(self):
        done = self.run_case(CASE, "--device", "abacus", expect=SYSTEM_FAILED)
        self.assert_error(done, "abacus", "opencl:0")

    def test_output_not_writable(self):
        self.write("case.toml", CASE)
        self.write("file", "")
        done = self.weft("run", "case.toml", "--out", "file/out", expect=SYSTEM_FAILED)
        self.assert_error(done, "file/out")

    def limited(self, limit, megabytes, *arguments):
        """Runs the program under a limit of the system's; fails unless that is said, with exit code 3."""
        done = subprocess.run(
            [PROGRAM, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=LONGEST_RUN_S,
            preexec_fn=lambda: resource.setrlimit(limit, (megabytes << 20, megabytes << 20)),
        )
        self.assertEqual(done.returncode, SYSTEM_FAILED, done.stderr)
        self.assertNotIn("internal error", done.stderr)
        return done

    def test_files_may_not_be_large(self):
        self.write("case.toml", CASE)
        done = self.limited(resource.RLIMIT_FSIZE, 1, "run", "case.toml", "--out", "out")
        self.assert_error(done, "1 MB left by the limit of a file's size (ulimit -f)", "2 MB or more")
        box = ["mesh", "box", "--cell", "triangle", "--cells", "150", "150", "-o", "box.msh"]
        done = self.limited(resource.RLIMIT_FSIZE, 1, *box)
        self.assert_error(done, "box.msh", "File too large")

    @unittest.skipIf(b"__asan_report" in PROGRAM.read_bytes(), "SKIPPED: the sanitizers take all address space")
    def test_little_address_space(self):
        self.write("case.toml", CASE)
        for megabytes in (100, 500, 800):
            done = self.limited(resource.RLIMIT_AS, megabytes, "run", "case.toml", "--out", "out")
            self.assert_error(done, "not enough memory to compile kernels", "(ulimit -v)", "1024 MB or more")
        box = ["mesh", "box", "--cell", "triangle", "--cells", "1500", "1500", "-o", "box.msh"]
        self.assert_error(self.limited(resource.RLIMIT_AS, 100, *box), "not enough memory on this machine")

    def test_scratch_disk_is_full(self):
        """Small file systems in memory stand for it, which only this test's processes see."""
        self.write("case.toml", CASE)
        (self.folder / "small").mkdir()
        script = (
            'mount -t tmpfs -o size=1m none /dev/shm && mount -t tmpfs -o size=1m none small && exec "$0" '
            "run case.toml --out out"
        )
        env = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "small"), "TMPDIR": str(self.folder / "small")}
        env.pop("POCL_CACHE_DIR", None)
        apart = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
        try:
            command = [*apart, "mount -t tmpfs none small"]
            subprocess.run(command, cwd=self.folder, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as refused:
            self.skipTest(f"SKIPPED: file systems can't be mounted apart here: {refused}")
        command = [*apart, script, PROGRAM]

        def run(env):
            return subprocess.run(
                command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=LONGEST_RUN_S
            )

        done = run({**env, "TMPDIR": str(self.folder)})  # there is room elsewhere
        self.assertEqual(done.returncode, DONE, done.stderr)
        done = run(env)
        self.assertEqual(done.returncode, SYSTEM_FAILED, done.stderr)
        self.assert_error(done, "not enough room for the files of compiled kernels", "1 MB left", "TMPDIR")

    def test_gmsh_not_installed(self):
        self.write("corner.geo", GEOMETRY)
        text = replaced(
            CASE,
            'box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }',
            'file = "corner.geo"',
        )
        env = {"PATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = self.run_case(text, expect=SYSTEM_FAILED, env=env)
        self.assert_error(done, "gmsh is not installed", "apt-get install gmsh")


if __name__ == "__main__":
    unittest.main()
