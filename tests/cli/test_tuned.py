"""weft tuned: what tuning has found, listed, exported, imported, forgotten."""

import json
import os
import sqlite3
import subprocess

from weft_cli import DONE, PROGRAM, SYSTEM_FAILED, WRONG_INPUT, CommandLineTest

HEADER = {"weft_tuning": 1, "program": "0.1.0"}
RESULT = {
    "kernel": "fem_integrate",
    "problem": "poisson P1 tetrahedron f64",
    "size_class": "17",
    "device": "1234",
    "architecture": "x86_64 avx512",
    "vendor": "AMD",
    "driver": "PoCL 3.1",
    "generator": "abcd",
    "variant": "strategy=block lanes=8",
    "seconds": 0.00125,
    "predicted_s": 0.001,
    "time": "2026-11-21T12:00:00.123456Z",
    "program": "0.1.0",
}


def text_of(*records):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in (HEADER, *records))


class Tuned(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.database = self.folder / "data" / "weft" / "tuning.sqlite"

    def tuned(self, *arguments, text=None):
        return subprocess.run(
            [PROGRAM, "tuned", *map(str, arguments)],
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "XDG_DATA_HOME": str(self.folder / "data")},
        )

    def test_what_is_imported_is_listed_exported_and_forgotten(self):
        shared, again = self.folder / "shared.txt", self.folder / "again.txt"
        shared.write_text(text_of({"result": RESULT}))
        done = self.tuned("import", shared)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(f"took 1 results and devices' figures into {self.database}", done.stdout)

        listed = self.tuned("ls").stdout.splitlines()
        self.assertEqual(len(listed), 2, listed)
        for part in ("fem_integrate", "2^17", "1.25 ms", "strategy=block lanes=8", "imported"):
            self.assertIn(part, listed[0])
        self.assertIn("1 results of 0 searches with 0 timings, figures of 0 devices", listed[1])

        self.assertEqual(self.tuned("export", again).returncode, DONE)
        self.assertEqual(again.read_text(), shared.read_text())
        self.assertEqual(self.tuned("export", "-").stdout, shared.read_text())

        self.assertIn("forgot 1 results", self.tuned("clear").stdout)
        self.assertEqual(self.tuned("export", "-").stdout, text_of())
        done = self.tuned("import", "-", text=again.read_text())
        self.assertIn("took 1 results", done.stdout)

    def test_nothing_is_made_by_looking(self):
        self.assertIn("0 results", self.tuned("ls").stdout)
        self.assertIn("forgot 0 results", self.tuned("clear").stdout)
        self.assertFalse(self.database.exists())

    def test_a_wrong_line_is_named_and_nothing_taken(self):
        wrong = {**RESULT, "seconds": "fast"}
        done = self.tuned("import", "-", text=text_of({"result": RESULT}, {"result": wrong}))
        self.assertEqual(done.returncode, WRONG_INPUT)
        self.assertIn('standard input:3: "seconds" is no number above 0', done.stderr)
        self.assertIn('"fast"', done.stderr)
        self.assertFalse(self.database.exists())

    def test_a_file_that_is_not_there_is_named(self):
        done = self.tuned("import", self.folder / "missing.txt")
        self.assertEqual(done.returncode, WRONG_INPUT)
        self.assertIn("missing.txt: the file of tuning results does not exist", done.stderr)
        self.assertIn("No such file", done.stderr)
        done = self.tuned("import", self.folder)
        self.assertEqual(done.returncode, WRONG_INPUT)
        self.assertIn("is not a file", done.stderr)

    def test_a_damaged_database_is_set_aside_with_a_notice(self):
        self.database.parent.mkdir(parents=True)
        self.database.write_text("no database " * 1000)
        done = self.tuned("ls")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(f"notice: the tuning database {self.database} can't be used", done.stderr)
        (aside,) = self.database.parent.glob("*.damaged-*")
        self.assertIn(str(aside), done.stderr)

    def test_a_database_of_a_later_version_is_left_alone(self):
        self.tuned("import", "-", text=text_of({"result": RESULT}))
        with sqlite3.connect(self.database) as connection:
            connection.execute("PRAGMA user_version = 1000")
        connection.close()
        for verb in (["ls"], ["export", "-"], ["clear"], ["import", "-"]):
            done = self.tuned(*verb, text=text_of({"result": RESULT}))
            self.assertEqual(done.returncode, SYSTEM_FAILED, verb)
            self.assertIn("later version of Weft", done.stderr)
