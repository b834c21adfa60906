"""The list of other packages' examples, from which docs/coverage.md is made; each case is run by a test of its own."""

import csv
import tomllib
import unittest
from collections import Counter

from weft_cli import ROOT

LIST = ROOT / "tests" / "coverage" / "examples.csv"


def examples():
    with LIST.open(newline="") as file:
        return list(csv.DictReader(file))


def folder_of(case):
    return ROOT / case if case.startswith("cases/") else LIST.parent / case


class Coverage(unittest.TestCase):
    def test_rows_are_whole(self):
        for example in examples():
            with self.subTest(example):
                self.assertNotIn(None, example)  # a comma too many
                self.assertTrue(example["package"] and example["example"] and example["problem"])
                self.assertIn(example["status"], ("runs", "detour", "lacks"))
                self.assertEqual(bool(example["note"]), example["status"] != "runs")
                if example["status"] == "lacks":
                    self.assertEqual(example["case"], "")

    def test_no_example_comes_twice(self):
        names = Counter((example["package"], example["example"]) for example in examples())
        self.assertEqual([name for name, times in names.items() if times > 1], [])

    def test_each_case_is_there_and_judged_by_numbers(self):
        for case in {example["case"] for example in examples() if example["case"]}:
            with self.subTest(case):
                self.assertTrue((folder_of(case) / "case.toml").is_file())
                expected = tomllib.loads((folder_of(case) / "expect.toml").read_text())
                bounds = [bound for kind, quantities in expected.items() if kind != "source"
                          for quantity in quantities.values() for bound in quantity]
                self.assertTrue(bounds)
                self.assertTrue(expected.get("source"))

    def test_each_case_of_the_list_belongs_to_an_example(self):
        there = {str(path.parent.relative_to(LIST.parent)) for path in LIST.parent.glob("*/*/case.toml")}
        named = {example["case"] for example in examples()}
        self.assertEqual(there - named, set())


if __name__ == "__main__":
    unittest.main()
