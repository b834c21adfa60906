"""Cases on --device cuda, with what stands in for NVIDIA's driver and compiler: tests/stand_in/."""

import json
import os
import unittest

from weft_cli import CASE, SYSTEM_FAILED, CommandLineTest

LAW_CASE = """\
title = "A wave"
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [6, 6], cell = "triangle", periodic = ["x", "y"] }
[fields]
u = { element = "DG2" }
[conservation_law]
flux.u = "[u, 0.5*u]"
numerical_flux = "lax_friedrichs"
wave_speed = "2"
[initial]
u = "sin(2*pi*x)"
[time]
end = 0.05
[functionals]
square = { integral = "u^2" }
"""


class Cuda(CommandLineTest):
    def setUp(self):
        super().setUp()
        # No kernels of other tests.
        self.environment = {
            "LD_LIBRARY_PATH": os.environ["WEFT_STAND_IN_DIR"],
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }

    def run_on(self, device, case, **environment):
        """The results."""
        self.weft("run", case, "--device", device, "--out", "out", env=self.environment | environment)
        return json.loads((self.folder / "out" / "results.json").read_text())

    def kept_kernels(self):
        return {(path.name, path.stat().st_ino) for path in (self.folder / "cache" / "weft").rglob("*.bin")}

    def test_devices_are_listed(self):
        done = self.weft("devices", env=self.environment | {"WEFT_STAND_IN_DEVICES": "2"})
        self.assertIn("opencl:0", done.stdout)
        self.assertRegex(done.stdout, r"cuda:0 +stand-in for a GPU")
        self.assertRegex(done.stdout, r"cuda:1 +stand-in for a GPU")

    def test_values_are_those_of_the_cpu_and_kernels_are_kept(self):
        for text, name in (CASE, "mean"), (LAW_CASE, "square"):
            case = self.write("case.toml", text)
            first = self.run_on("cuda:0", case)
            cpu = self.run_on("opencl", case)
            kept = self.kept_kernels()
            self.assertAlmostEqual(first["functionals"][name], cpu["functionals"][name], delta=1e-10)
            self.assertGreater(len(kept), 0)
            self.assertEqual(self.run_on("cuda:0", case)["functionals"], first["functionals"])
            self.assertEqual(self.kept_kernels(), kept)

    def test_a_gpu_newer_than_the_compiler_gets_ptx(self):
        case = self.write("case.toml", CASE)
        newest = self.run_on("cuda:0", case, WEFT_STAND_IN_CAPABILITY="120")
        self.assertEqual(newest["functionals"], self.run_on("cuda:0", case)["functionals"])

    def test_too_little_memory_is_said(self):
        case = self.write("case.toml", CASE.replace("[4, 4]", "[200, 200]"))
        environment = self.environment | {"WEFT_STAND_IN_MEMORY": "1000000"}
        done = self.weft("run", case, "--device", "cuda:0", env=environment, expect=SYSTEM_FAILED)
        self.assert_error(done, "does not fit on stand-in for a GPU")


if __name__ == "__main__":
    unittest.main()
