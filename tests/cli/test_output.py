"""Where output goes: standard output that fails, devices, pipes and links as files."""

import json
import os
import subprocess
import unittest

from weft_cli import CASE, DONE, NUMBERS_FAILED, PROGRAM, SYSTEM_FAILED, CommandLineTest, replaced


class StandardOutput(CommandLineTest):
    def ends(self, *arguments, output, expect):
        """Runs the program with that standard output; its standard error."""
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, stdout=output, stderr=subprocess.PIPE, text=True
        )
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stderr

    def test_a_full_disk_is_an_error(self):
        self.write("case.toml", CASE)
        with open("/dev/full", "w") as full:
            for arguments in (
                ["run", "case.toml", "--json"],
                ["run", "case.toml"],
                ["check", "case.toml", "--stage", "source"],
                ["reference"],
                ["--help"],
            ):
                with self.subTest(arguments):
                    errors = self.ends(*arguments, output=full, expect=SYSTEM_FAILED)
                    self.assertIn("standard output", errors)
                    self.assertIn("No space left", errors)
            # What the numbers say comes first.
            few = replaced(CASE, "tolerance = 1e-10", "tolerance = 1e-10\nmax_iterations = 1")
            self.write("case.toml", few)
            errors = self.ends("run", "case.toml", output=full, expect=NUMBERS_FAILED)
            self.assertIn("standard output", errors)
        self.assertTrue((self.folder / "out" / "results.json").exists())

    def test_a_reader_that_has_gone_is_none(self):
        self.write("case.toml", CASE)
        for arguments in ["run", "case.toml", "--json"], ["check", "case.toml", "--stage", "source"]:
            with self.subTest(arguments):
                reader, writer = os.pipe()
                os.close(reader)
                with os.fdopen(writer, "w") as pipe:
                    self.assertNotIn("error", self.ends(*arguments, output=pipe, expect=DONE))

    def test_a_closed_one_is_an_error(self):
        self.write("case.toml", CASE)
        done = subprocess.run(
            ["sh", "-c", '"$0" run case.toml --json >&-', PROGRAM],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(done.returncode, SYSTEM_FAILED, done.stderr)
        # No other file has taken its place.
        json.loads((self.folder / "out" / "results.json").read_text())


class Files(CommandLineTest):
    def test_standard_output_may_be_a_file_of_results(self):
        self.write("case.toml", CASE + '[exact]\nu = "0"\n')
        done = self.weft("verify", "case.toml", "--levels", "2", "--json", "/dev/stdout")
        self.assertEqual(len(json.loads(done.stdout[done.stdout.index("{") :])["levels"]), 2)
        self.weft("verify", "case.toml", "--levels", "2", "--json", "/dev/null")

    def test_links_stay(self):
        self.write("case.toml", CASE)
        (self.folder / "out").mkdir()
        (self.folder / "out" / "results.json").symlink_to("../kept.json")
        self.weft("run", "case.toml")
        self.assertTrue((self.folder / "out" / "results.json").is_symlink())
        self.assertIn("functionals", json.loads((self.folder / "kept.json").read_text()))


if __name__ == "__main__":
    unittest.main()
