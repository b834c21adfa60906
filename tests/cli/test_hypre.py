"""The preconditioner hypre, and exported systems."""

import json
import os
import shutil
import subprocess
import unittest

from weft_cli import BUILD_DIR, CASE, SYSTEM_FAILED, WRONG_INPUT, CommandLineTest

ASSEMBLED = CASE.replace("[solver]", '[solver]\noperator = "assembled"')
HYPRE = ASSEMBLED.replace("[solver]", '[solver]\npreconditioner = "hypre"')
MODULE = BUILD_DIR / "libweft_hypre.so"


class Hypre(CommandLineTest):
    @unittest.skipUnless(MODULE.exists(), "SKIPPED: this build has no module of hypre")
    def test_same_solution_in_fewer_iterations(self):
        found = []
        for text in (ASSEMBLED, HYPRE):
            done = self.run_case(text, "-q", "--set", "mesh.box.cells=[24, 24]")
            self.assertEqual(done.stdout, "")
            found.append(self.results())
        jacobi, hypre = found
        self.assertLess(hypre["solver"]["iterations"], 20)
        self.assertLess(hypre["solver"]["iterations"], jacobi["solver"]["iterations"])
        self.assertAlmostEqual(hypre["functionals"]["mean"], jacobi["functionals"]["mean"], delta=1e-10)
        self.assertGreater(hypre["timings"]["preconditioner_s"], 0)

    def test_missing_module_names_the_packages(self):
        done = self.run_case(HYPRE, expect=SYSTEM_FAILED, env={"WEFT_MODULE_DIR": "nowhere"})
        self.assert_error(done, "nowhere/libweft_hypre.so", "libhypre-dev", "libopenmpi-dev")

    def test_needs_the_assembled_operator(self):
        done = self.run_case(HYPRE, "--set", "solver.operator=matrix_free", expect=WRONG_INPUT)
        self.assert_error(done, 'operator = "assembled"')


class ExportedSystem(CommandLineTest):
    def test_files_hold_the_system(self):
        self.run_case(ASSEMBLED, "--export-system", "small")
        lines = (self.folder / "small.mtx").read_text().splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix coordinate real symmetric")
        self.assertTrue(lines[1].startswith("% F'(u)"))
        rows, columns, entries = map(int, lines[2].split())
        self.assertEqual((rows, columns, entries), (25, 25, len(lines) - 3))
        diagonal, sums = [0.0] * rows, [0.0] * rows
        for line in lines[3:]:
            i, j, value = line.split()
            i, j, value = int(i) - 1, int(j) - 1, float(value)
            self.assertLessEqual(j, i)
            sums[i] += value
            if i == j:
                diagonal[i] = value
            else:
                sums[j] += value
        # 16 prescribed dofs with rows of the identity; inside, the five-point stencil of right
        # triangles.
        self.assertEqual(sorted(round(value, 12) for value in diagonal), [1] * 16 + [4] * 9)
        self.assertAlmostEqual(sum(sums), 16 + 12, places=12)  # 12 neighbours are prescribed

        lines = (self.folder / "small_rhs.mtx").read_text().splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix array real general")
        self.assertEqual(lines[2], "25 1")
        self.assertAlmostEqual(sum(map(float, lines[3:])), 9 / 16, places=12)  # f = 1, h = 1/4

    def test_needs_the_assembled_operator(self):
        done = self.run_case(CASE, "--export-system", "small", expect=WRONG_INPUT)
        self.assert_error(done, "--set solver.operator=assembled")
        self.assertFalse((self.folder / "small.mtx").exists())

    @unittest.skipUnless(shutil.which("mpirun"), "SKIPPED: mpirun is not installed")
    def test_hypre_alone_solves_it(self):
        alone = BUILD_DIR / "bench" / "peers" / "hypre_alone"
        if not alone.exists():
            self.skipTest("SKIPPED: the target hypre_alone was not built")
        self.run_case(ASSEMBLED, "--export-system", "small")
        as_root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        done = subprocess.run(
            ["mpirun", "--oversubscribe", *as_root, "-n", "2", alone, self.folder / "small", "--repeat", "1"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["processes"], found["rows"]), (2, 25))
        self.assertLess(found["residual"], 1.1e-8)


if __name__ == "__main__":
    unittest.main()
