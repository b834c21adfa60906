"""Pages that are made from the tree and the program are what they would be made as now; the README is short."""

import shutil
import subprocess
import unittest

from weft_cli import PROGRAM, ROOT, CommandLineTest

# What scripts/generate_docs reads and writes.
READ = ["cases", "physics", "bench/results", "tests/coverage", "docs/gallery", "docs/performance", "docs/reference"]


def generate_docs(*arguments):
    return subprocess.run([ROOT / "scripts" / "generate_docs", "--program", PROGRAM, *map(str, arguments)],
                          capture_output=True, text=True)


class Documentation(CommandLineTest):
    def test_generated_pages_are_up_to_date(self):
        done = generate_docs("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_pages_that_are_not_are_found_and_written(self):
        root = self.folder / "tree"
        for path in READ:
            shutil.copytree(ROOT / path, root / path, ignore=shutil.ignore_patterns("out"))
        shutil.copy(ROOT / "docs" / "coverage.md", root / "docs")
        self.assertEqual(generate_docs("--check", "--root", root).stdout, "")
        heat = root / "physics" / "heat.toml"
        heat.write_text(heat.read_text().replace("# Steady heat", "# Very steady heat", 1))
        (root / "docs/reference/command_line.md").unlink()
        changed = ["docs/reference/command_line.md", "docs/reference/physics.md"]
        done = generate_docs("--check", "--root", root)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sorted(line.split()[0] for line in done.stdout.splitlines()), changed)
        self.assertEqual(sorted(generate_docs("--root", root).stdout.split()), changed)
        self.assertIn("Very steady heat", (root / "docs/reference/physics.md").read_text())
        self.assertEqual(generate_docs("--check", "--root", root).returncode, 0)

    def test_the_readme_is_short_and_pictures_are_small(self):
        self.assertLess(len((ROOT / "README.md").read_text().split()), 900)
        pictures = sorted(ROOT.glob("cases/*/*.png"))
        self.assertTrue(pictures)
        for picture in pictures:
            with self.subTest(picture=picture):
                self.assertLess(picture.stat().st_size, 200e3)


if __name__ == "__main__":
    unittest.main()
