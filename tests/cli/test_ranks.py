"""Several processes of a launcher: messages through MPI, and what weft says to them."""

import os
import shutil
import subprocess
import unittest

from weft_cli import BUILD_DIR, CASE, PROGRAM, SYSTEM_FAILED, WRONG_INPUT, CommandLineTest

LONGEST_S = 60  # mpirun starts and ends in a second or two


def mpirun(ranks, *command, **more):
    as_root = ["--allow-run-as-root"] if os.getuid() == 0 else []
    return subprocess.run(["mpirun", "--oversubscribe", *as_root, "-n", str(ranks), *command],
                          capture_output=True, text=True, timeout=LONGEST_S, **more)  # fmt: skip


@unittest.skipUnless(shutil.which("mpirun"), "SKIPPED: mpirun is not installed")
class Ranks(CommandLineTest):
    def test_agree_through_mpi(self):
        program = BUILD_DIR / "tests" / "mpi_ranks"
        if not program.exists():
            self.skipTest("SKIPPED: the module of MPI was not built")
        for ranks in (2, 3, 5):
            done = mpirun(ranks, program, env={**os.environ, "WEFT_MODULE_DIR": str(BUILD_DIR)})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, f"{ranks} ranks agree\n")

    def refused(self, code, *parts, **more):
        """On all ranks with one message, and nothing is run."""
        case = self.write("case.toml", CASE)
        done = mpirun(3, PROGRAM, "run", case, "--out", self.folder / "out", **more)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_copies_of_a_run_do_not_start(self):
        if not (BUILD_DIR / "libweft_mpi.so").exists():
            self.skipTest("SKIPPED: the module of MPI was not built")
        self.refused(WRONG_INPUT, "work shared by several processes", "3 processes of a launcher",
                     "without the launcher")  # fmt: skip

    def test_without_the_module_they_do_not_either(self):
        self.refused(SYSTEM_FAILED, "a launcher started 3 processes", "libweft_mpi.so", "libopenmpi-dev",
                     env={**os.environ, "WEFT_MODULE_DIR": str(self.folder)})  # fmt: skip

    def test_a_launcher_of_one_is_none(self):
        done = mpirun(1, PROGRAM, "run", self.write("case.toml", CASE), "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "out" / "results.json").exists())

    def test_a_serial_program_has_no_mpi_in_it(self):
        done = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True)
        self.assertNotIn("libmpi", done.stdout)


if __name__ == "__main__":
    unittest.main()
