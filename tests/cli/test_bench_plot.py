"""weft bench plot: the figures kept in bench/results are those of the tables beside them."""

import csv
import unittest
from pathlib import Path

from weft_cli import WRONG_INPUT, CommandLineTest

RESULTS = Path(__file__).resolve().parents[2] / "bench" / "results"
# Folder, tables, and the figures drawn from them.
PANELS = [f"{figure}_{dim}_{precision}" for figure in ("figure4", "figure5")
          for dim in ("2d", "3d") for precision in ("f32", "f64")]
KEPT = [
    ("paper_xeon_2_cores", ["figure4.csv", "figure5.csv"], PANELS),
    ("integration_epyc_2_cores", ["integration.csv", "integration_qss.csv"],
     ["figure3", "figure4a", "figure4b", "figure5"]),
    ("fv_epyc_zen4_2_cores", [f"ideal_{run}.csv" for run in range(1, 7)] + ["meshes.csv"],
     ["fv_time_f64", "fv_time_f32", "fv_bandwidth_f64", "fv_bandwidth_f32"]),
    ("fv_epyc_2_cores", ["ideal.csv", "meshes.csv"],
     ["fv_time_f64", "fv_time_f32", "fv_bandwidth_f64", "fv_bandwidth_f32"]),
]


def rows(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


class BenchPlot(CommandLineTest):
    def test_kept_figures_are_those_of_the_kept_tables(self):
        for folder, tables, figures in KEPT:
            out = self.folder / folder
            self.weft("bench", "plot", *(RESULTS / folder / name for name in tables), "--out", out)
            self.assertEqual({path.name for path in out.iterdir()},
                             {figure + end for figure in figures for end in (".csv", ".svg")})
            for figure in figures:
                with self.subTest(folder=folder, figure=figure):
                    for end in (".csv", ".svg"):
                        self.assertEqual((out / (figure + end)).read_text(),
                                         (RESULTS / folder / (figure + end)).read_text())

    def test_bars_of_integration(self):
        self.weft("bench", "plot", RESULTS / "integration_epyc_2_cores" / "integration.csv")
        bars = {(row["series"], row["x"]): float(row["y"]) for row in rows(self.folder / "figure3.csv")}
        # This machine's fastest, and table 7 of Banas, Kruzel, Bielanski 2015.
        fastest = min(float(row["ns_a_cell"])
                      for row in rows(RESULTS / "integration_epyc_2_cores" / "integration.csv")
                      if (row["form"], row["cell"]) == ("poisson", "prism"))
        own = next(series for series, _ in bars if "paper" not in series)
        self.assertAlmostEqual(bars[own, "poisson, prism"], fastest)
        self.assertEqual(bars["Tesla K20m (paper)", "conv_diff, tetrahedron"], 4.46)
        fraction = {(row["series"], row["x"]): float(row["y"]) for row in rows(self.folder / "figure5.csv")}
        # 36 accesses of 8 bytes in 2.02 ns, of 144 GB/s.
        self.assertAlmostEqual(fraction["Tesla K20m (paper)", "poisson, tetrahedron"],
                               100 * 36 * 8 / 2.02 / 144)

    def test_finite_volumes_by_the_bytes_that_kernels_move(self):
        table = RESULTS / "fv_epyc_2_cores" / "meshes.csv"
        self.weft("bench", "plot", table)
        drawn = {row["series"]: [] for row in rows(self.folder / "fv_bandwidth_f64.csv")}
        for row in rows(self.folder / "fv_bandwidth_f64.csv"):
            drawn[row["series"]].append(float(row["y"]))
        for row in rows(table):
            if row["precision"] == "f64":
                fraction = float(row["fraction"]) * float(row["moved_bytes"]) / float(row["bytes"])
                nearest = min(abs(y - fraction) for y in drawn[f"{row['matrix']}, {row['kernel']}"])
                self.assertLess(nearest, 1e-12)

    def test_other_tables_are_refused(self):
        self.write("other.csv", "a,b\n1,2\n")
        done = self.weft("bench", "plot", "other.csv", expect=WRONG_INPUT)
        self.assert_error(done, "other.csv", "weft bench fv")
        self.write("ragged.csv", "a,b\n1\n")
        done = self.weft("bench", "plot", "ragged.csv", expect=WRONG_INPUT)
        self.assert_error(done, "ragged.csv:2")
        lines = (RESULTS / "integration_epyc_2_cores" / "integration.csv").read_text().splitlines(True)
        self.write("part.csv", "".join(lines[:3]))
        done = self.weft("bench", "plot", "part.csv", expect=WRONG_INPUT)
        self.assert_error(done, "lacks a problem")


if __name__ == "__main__":
    unittest.main()
