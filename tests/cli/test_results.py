"""A run leaves results.json, fields that can be opened, and numbers that do not change."""

import json
import unittest
import xml.etree.ElementTree as ET

from weft_cli import CASE, MESH, ROOT, WRONG_INPUT, CommandLineTest, replaced


class Results(CommandLineTest):
    def test_results_hold_what_is_promised(self):
        self.run_case()
        results = self.results()
        self.assertEqual(results["mesh"]["cells"], 32)
        self.assertEqual(results["mesh"]["nodes"], 25)
        self.assertEqual(results["dofs"], 25)
        self.assertTrue(results["solver"]["converged"])
        self.assertLess(results["solver"]["residual"], 1e-10)
        self.assertGreater(results["solver"]["iterations"], 0)
        for key in ("version", "device", "case", "functionals", "timings", "kernels"):
            self.assertIn(key, results)
        self.assertGreater(results["timings"]["first_kernel_s"], 0)
        self.assertGreaterEqual(len(results["kernels"]), 1)
        for kernel in results["kernels"]:
            for key in ("kernel", "strategy", "geometry", "device", "precision", "cells"):
                self.assertIn(key, kernel)

    def test_functional_is_right(self):
        """The mean of -lap(u) = 1 on the unit square is 0.035144 (series); P1 comes from below."""
        self.run_case(replaced(CASE, "cells = [4, 4]", "cells = [32, 32]"))
        mean = self.results()["functionals"]["mean"]
        self.assertAlmostEqual(mean, 0.035144, delta=2e-4)
        self.assertLess(mean, 0.035144)

    def test_fields_are_listed_and_there(self):
        self.run_case()
        collection = ET.parse(self.folder / "out" / "fields.pvd").getroot()
        files = [data.get("file") for data in collection.iter("DataSet")]
        self.assertEqual(len(files), 1)
        self.assertGreater((self.folder / "out" / files[0]).stat().st_size, 0)

    def test_same_run_same_bits(self):
        self.run_case(replaced(CASE, "cells = [4, 4]", "cells = [32, 32]"))
        first = self.results()["functionals"]
        self.weft("run", "case.toml", "--out", "out")
        self.assertEqual(self.results()["functionals"], first)

    def test_set_changes_the_case(self):
        self.run_case(CASE, "--set", "parameters.f=2.0")
        doubled = self.results()["functionals"]["mean"]
        self.run_case(CASE)
        self.assertAlmostEqual(doubled, 2 * self.results()["functionals"]["mean"], delta=1e-10)

    def test_single_precision_and_one_thread(self):
        self.run_case(CASE)
        exact = self.results()["functionals"]["mean"]
        self.run_case(CASE, "--set", 'device.precision="f32"', "--set", "solver.tolerance=1e-5",
                      "--threads", "1")
        self.assertAlmostEqual(self.results()["functionals"]["mean"], exact, delta=1e-4 * exact)

    def test_json_on_standard_output(self):
        done = self.run_case(CASE, "--json")
        self.assertEqual(json.loads(done.stdout)["functionals"], self.results()["functionals"])

    def test_quiet_says_nothing(self):
        self.assertEqual(self.run_case(CASE, "-q").stdout, "")

    def test_output_lies_beside_the_case(self):
        self.write("case.toml", CASE)
        self.weft("run", self.folder / "case.toml")
        self.assertTrue((self.folder / "out" / "results.json").exists())


class Commands(CommandLineTest):
    def test_devices(self):
        self.assertIn("opencl:0", self.weft("devices").stdout)

    def test_devices_refuses_what_it_cannot_draw_before_it_measures(self):
        done = self.weft("devices", "--measure", "--plot", "roofline.gif", expect=WRONG_INPUT)
        self.assert_error(done, ".svg")
        self.assertIn("--measure", self.weft("devices", "--again", expect=WRONG_INPUT).stderr)

    def test_check_stages(self):
        self.write("case.toml", CASE)
        for stage in ("mesh", "space", "form", "source", "cost"):
            with self.subTest(stage=stage):
                self.assertTrue(self.weft("check", "case.toml", "--stage", stage).stdout.strip())
        self.assertFalse((self.folder / "out").exists(), "a check wrote output")

    def test_check_prints_the_generated_kernel(self):
        self.write("case.toml", CASE)
        source = self.weft("check", "case.toml", "--stage", "source").stdout
        for name in ("residual_case_triangle_p1q1", "weft_load_cell", "weft_point", "weft_test_add"):
            self.assertIn(name, source)

    def test_cache_is_listed_and_cleared(self):
        env = {"XDG_CACHE_HOME": str(self.folder / "cache"), "POCL_CACHE_DIR": ""}
        self.run_case(CASE, env=env)
        compiled = self.results()
        self.run_case(CASE, env=env)
        self.assertEqual(self.results()["functionals"], compiled["functionals"])
        self.assertIn("residual", self.weft("cache", "ls", env=env).stdout)
        self.weft("cache", "clear", env=env)
        self.assertNotIn("residual", self.weft("cache", "ls", env=env).stdout)

    def test_mesh_info(self):
        self.write("square.msh", MESH)
        text = self.weft("mesh", "info", "square.msh").stdout
        for part in ("2", "plate", "left", "right"):
            self.assertIn(part, text)

    def test_version(self):
        version = next(
            line.split("VERSION ")[1].split()[0]
            for line in (ROOT / "CMakeLists.txt").read_text().splitlines()
            if line.startswith("project(weft")
        )
        self.assertIn(version, self.weft("--version").stdout)


if __name__ == "__main__":
    unittest.main()
