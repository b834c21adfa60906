"""Cards that are not there: weft devices --model, weft explain --device model:NAME."""

import json
import unittest

from weft_cli import CASE, SYSTEM_FAILED, WRONG_INPUT, CommandLineTest


class Cards(CommandLineTest):
    def card(self, name):
        return json.loads(self.weft("devices", "--model", name, "--json").stdout)

    def explained(self, name):
        self.write("case.toml", CASE)
        return json.loads(self.weft("explain", "case.toml", "--device", f"model:{name}", "--json").stdout)

    def refused(self, text, *words):
        self.write("mine.json", text)
        message = self.weft("devices", "--model", "mine.json", expect=WRONG_INPUT).stderr
        for word in ("mine.json", *words):
            self.assertIn(word, message)

    def test_figures_are_shown_with_their_sources(self):
        text = self.weft("devices", "--model", "a100").stdout
        for words in ("a model, by published figures", "2039 GB/s", "9700 GFlop/s", "white paper"):
            self.assertIn(words, text)

    def test_a_file_gives_figures_of_ones_own(self):
        self.write("mine.json", '{"like": "k20m", "memory_gbps": 104, "limits.warps": 32}')
        mine, like = self.card("mine.json"), self.card("k20m")
        self.assertEqual(mine, {**like, "memory_gbps": 104, "limits.warps": 32})
        self.write("whole.json", json.dumps(mine))
        self.assertEqual(self.card("whole.json"), mine)

    def test_wrong_files_are_told(self):
        self.refused("[1]", "no JSON object", '"like"')
        self.refused('{"like": "h101"}', "h101", "h100, a100")
        self.refused('{"like": 3}', "no text", "number")
        self.refused('{"like": "h100", "bandwidth": 3}', "bandwidth", "memory_gbps")
        self.refused('{"like": "h100", "memory_gbps": "fast"}', "memory_gbps", '"fast"', "a number")
        self.refused('{"like": "h100", "memory_gbps": -1}', "-1", "0 or more")
        self.refused('{"like": "h100", "units": 1.5}', "units", "a whole number")
        self.refused('{"like": "h100", "architecture": "gfx90a"}', "gfx90a", "sm_90")
        self.refused('{"like": "h100", "max_work_group": 0}', "max_work_group", "is missing")
        self.refused('{"memory_gbps": 100}', "is missing", "units")
        message = self.weft("devices", "--model", "none.json", expect=WRONG_INPUT).stderr
        self.assertIn("none.json", message)
        self.assertIn("gtx280", self.weft("devices", "--model", "x", expect=WRONG_INPUT).stderr)

    def test_a_run_is_predicted_kernel_by_kernel(self):
        explained = self.explained("h100")
        card = self.card("h100")
        self.assertTrue(explained["predicted"])
        self.assertEqual(explained["device"], "model:h100")
        self.assertIn("iterations", explained["solved"])
        total = 0
        for kernel in explained["kernels"]:
            parts = kernel["parts_s"]
            launch = parts.pop("launch")
            self.assertAlmostEqual(kernel["predicted_s"], launch + max(parts.values()), delta=1e-15)
            self.assertLessEqual(parts["memory"], kernel["bytes"] / (1e9 * card["memory_gbps"]) * 1.001)
            if warps := kernel["warps"]:
                sectors = 32 * (warps["sectors_read"] + warps["sectors_written"])
                self.assertAlmostEqual(parts["cache"], sectors / (1e9 * card["cache_gbps"]), delta=1e-15)
                self.assertGreater(warps["requests"], 0)
            total += kernel["launches"] * kernel["predicted_s"]
        self.assertAlmostEqual(explained["kernels_s"], total, delta=1e-12)
        names = {kernel["kernel"]: kernel for kernel in explained["kernels"]}
        residual = next(kernel for name, kernel in names.items() if name.startswith("residual_"))
        self.assertEqual(residual["precision"], "f64")
        self.assertIsNotNone(residual["warps"])
        self.assertTrue(residual["counted"])

    def test_check_counts_what_warps_do(self):
        self.write("case.toml", CASE)
        text = self.weft("check", "case.toml", "--stage", "cost", "--device", "model:a100").stdout
        by_formulas, of_warps = text.split("\n\n")
        self.assertIn("what it does by our formulas", by_formulas)
        self.assertIn("NVIDIA A100", of_warps)
        rows = {line.split()[0]: line.split() for line in of_warps.splitlines()[2:] if "_f64" in line}
        name = next(name for name in rows if name.startswith("residual_"))
        read, read_by_sectors, written, written_by_sectors, sectors, diverge = rows[name][1:7]
        self.assertGreater(float(read_by_sectors), float(read))
        self.assertGreaterEqual(float(written_by_sectors), float(written))
        moved = float(read_by_sectors) + float(written_by_sectors)
        self.assertAlmostEqual(float(sectors), moved / (float(read) + float(written)), delta=0.02)
        self.assertTrue(diverge.endswith("%"))
        for refused in ((), ("--stage", "source")):
            message = self.weft("check", "case.toml", *refused, "--device", "model:a100", expect=SYSTEM_FAILED)
            self.assertIn("weft explain predicts with it", message.stderr)

    def test_nothing_but_a_prediction_is_made_on_a_model(self):
        message = self.run_case(CASE, "--device", "model:h100", expect=SYSTEM_FAILED).stderr
        self.assertIn("weft explain predicts with it", message)
        for refused, words in (
            (("--device", "model:h100", "--ablate", "memory"), "ablations are measured"),
            (("--device", "model:h99"), "no such model"),
        ):
            done = self.weft("explain", "case.toml", *refused, expect=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)
        message = self.weft("devices", "--model", "h100", "--measure", expect=WRONG_INPUT).stderr
        self.assertIn("cannot be measured", message)


if __name__ == "__main__":
    unittest.main()
