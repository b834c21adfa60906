"""weft bench linalg: its options and files; what they hold is tested in tests/unit/app."""

import csv
import json
import unittest

from weft_cli import WRONG_INPUT, CommandLineTest


class BenchLinalg(CommandLineTest):
    def test_jacobi(self):
        done = self.weft("bench", "linalg", "--part", "jacobi", "--width", 17, "--repeats", 3,
                         "--json", "linalg.json", "--csv", "linalg.csv", "--plot", "plots")
        self.assertIn("f16 Jacobi, f64 update on the device", done.stdout)
        rows = json.loads((self.folder / "linalg.json").read_text())["rows"]
        self.assertIn("f64 Jacobi", [row["method"] for row in rows])
        with open(self.folder / "linalg_jacobi.csv", newline="") as stream:
            problems = [row["problem"] for row in csv.DictReader(stream)]
        self.assertEqual(problems, ["stencil as it stands"] * 8 +
                         ["stencil as it stands, one wave"] * 8 + ["shifted diagonal (5%)"] * 8)
        self.assertIn("Jacobi, shifted diagonal (5%)", done.stdout)
        self.assertIn("diagonal times 1.05", done.stdout)
        for plot in ("jacobi", "jacobi_wave", "jacobi_shifted"):
            self.assertTrue((self.folder / "plots" / f"{plot}.csv").exists())

    def test_an_unknown_block(self):
        done = self.weft("bench", "linalg", "--block", "saxpy", expect=WRONG_INPUT)
        self.assertIn("axpy", done.stderr)


if __name__ == "__main__":
    unittest.main()
