"""Damaged case and mesh files: whatever is in them, the program ends by itself with a message.

WEFT_TEST_ALL=1 tries many more. A failing input is named by its seed, which makes it again.
"""

import os
import random
import subprocess
import unittest

from weft_cli import CASE, MESH, MESH_CASE, PROGRAM, CommandLineTest

TRIALS = 2000 if os.environ.get("WEFT_TEST_ALL") else 80
HANG_S = 30

# What mutations put in: numbers at the edges, brackets, words of the languages, bytes that are no text.
CASE_PIECES = ["[", "]", "{", "}", "(", ")", '"', "=", "\n", ",", "-", "^", "1e999", "-1", "0", "nan",
               "99999999999999999999", "grad(", "test(u)", "u", "test(", "where(", "inner(", "\x00", "\xff"]
MESH_PIECES = ["\n", " ", "-1", "0", "5", "1e999", "nan", "2147483648", "99999999999999999999", "$",
               "$EndNodes\n", "$Elements\n", "$Periodic\n", "4.1 1 8", "4.1 0 8", "\x00", "\xff"]


def mutated(text, pieces, rng):
    """`text` after one to four cuts, doublings and insertions."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 2, 5, 40]))
        middle = rng.choice(["", text[start:end] * 2, rng.choice(pieces), rng.choice(pieces)])
        text = text[:start] + middle + text[end:]
    return text.encode("latin-1")


class Fuzz(CommandLineTest):
    def survive(self, seed, stage):
        """Checks the files as they are now; returns whether they were accepted."""
        command = [PROGRAM, "check", "case.toml", "--stage", stage]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=HANG_S)
        message = done.stderr.decode("utf-8", "replace")
        self.assertIn(done.returncode, (0, 2), f"seed {seed}: {message}")
        self.assertNotIn("Sanitizer", message, f"seed {seed}")
        if done.returncode != 0:
            self.assertTrue(message.strip(), f"seed {seed}: refused without a message")
        return done.returncode == 0

    def test_case_files(self):
        self.write("case.toml", CASE)
        self.assertTrue(self.survive("none", "form"))
        for seed in range(TRIALS):
            with self.subTest(seed=seed):
                self.write("case.toml", mutated(CASE, CASE_PIECES, random.Random(seed)))
                self.survive(seed, "form")

    def test_mesh_files(self):
        self.write("case.toml", MESH_CASE)
        self.write("square.msh", MESH)
        self.assertTrue(self.survive("none", "mesh"))
        for seed in range(TRIALS):
            with self.subTest(seed=seed):
                self.write("square.msh", mutated(MESH, MESH_PIECES, random.Random(seed)))
                self.survive(seed, "mesh")


if __name__ == "__main__":
    unittest.main()
