"""scripts/bundle: what it makes runs elsewhere, without an environment and without this build."""

import subprocess
import unittest

from weft_cli import BUILD_DIR, ROOT, CommandLineTest, extended

LIMIT_BYTES = 56e6  # it is carried to other machines: 64 MiB is much


class Bundle(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.dist = self.folder / "dist"
        done = subprocess.run(
            [ROOT / "scripts" / "bundle", "--build", BUILD_DIR, self.dist], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def scrubbed(self, *command):
        """Runs a command in the root folder with the barest environment: PoCL needs to find ld."""
        return subprocess.run(
            [self.dist / command[0], *command[1:]],
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": str(self.folder / "cache")},
            capture_output=True,
            text=True,
        )

    def test_runs_elsewhere(self):
        moved = self.folder / "moved here"
        self.dist.rename(moved)
        self.dist = moved
        done = self.scrubbed("bin/weft", "devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("opencl:0", done.stdout)

        case = moved / "share" / "weft" / "cases" / "poisson_mms" / "case.toml"
        done = self.scrubbed("bin/weft", "run", case, "--expect", "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @extended
    def test_reports_a_device(self):
        out = self.folder / "report"
        chosen = ["devices", "spmv"]
        done = self.scrubbed("gpu_report", "--device", "opencl:0", "--out", out, "--share", "0.001", *chosen)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = (out / "report.md").read_text()
        self.assertIn("# Report of opencl:0", report)
        self.assertEqual([line[3:] for line in report.splitlines() if line.startswith("## ")], chosen)
        self.assertEqual(report.count("exit code 0"), 2)
        self.assertGreater(len((out / "spmv.csv").read_text().splitlines()), 5)

        done = self.scrubbed("gpu_report", "--device", "opencl:0", "--out", out, "--seconds", "0", "devices")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Not run", (out / "report.md").read_text())

        done = self.scrubbed("gpu_report", "--device", "cuda:99", "--out", out, "spmv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: spmv", done.stderr)

        done = self.scrubbed("gpu_report", "--out", out, "smpv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no step 'smpv'", done.stderr)

    def test_is_complete_and_small(self):
        size = sum(path.stat().st_size for path in self.dist.rglob("*") if not path.is_symlink())
        self.assertLess(size, LIMIT_BYTES)
        for part in ("bin/weft", "tests/device_kernels", "lib/libOpenCL.so.1", "share/weft/kernels",
                     "share/weft/physics", "share/weft/cases/heat_sink/case.toml"):
            with self.subTest(part=part):
                self.assertTrue((self.dist / part).exists())
        self.assertEqual([p.name for p in self.dist.rglob("*pocl*")], [])

        needed = subprocess.run(["ldd", self.dist / "bin" / "weft"], capture_output=True, text=True).stdout
        self.assertNotIn("not found", needed)
        for line in needed.splitlines():
            self.assertNotIn(str(BUILD_DIR), line)


if __name__ == "__main__":
    unittest.main()
