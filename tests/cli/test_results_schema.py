"""results.json of every kind of run is as docs/reference/results.schema.json says, and what is not is refused.

Every other test that reads results.json compares it with the schema too (weft_cli.py).
"""

import copy
import os
import unittest
from pathlib import Path

from json_schema import faults
from test_interruption import EXPLICIT, IMPLICIT
from test_load import FOLD
from weft_cli import CASE, NUMBERS_FAILED, RESULTS_SCHEMA, ROOT, CommandLineTest

OUTPUT = Path(os.environ.get("WEFT_CASE_OUTPUT", ""))
SHORT = ["--set", "time.end=0.002", "--set", "output.every=0.001"]


class Runs(CommandLineTest):
    def results_of(self, text, *arguments, **options):
        self.run_case(text, *arguments, **options)
        return self.results()

    def test_of_a_linear_problem(self):
        results = self.results_of(CASE + 'slope = { average = "grad(u)" }\n[exact]\nu = "x"\n')
        self.assertEqual(len(results["functionals"]["slope"]), 2)
        self.assertIn("L2", results["errors"]["u"])
        self.assertNotIn("time", results)
        self.assertNotIn("newton", results["solver"])

    def test_of_runs_that_failed(self):
        results = self.results_of(CASE, "--set", "solver.max_iterations=1", expect=NUMBERS_FAILED)
        self.assertEqual(results["outcome"]["status"], "not_converged")
        results = self.results_of(CASE + 'ratio = { average = "u/0" }\n', expect=NUMBERS_FAILED)
        self.assertEqual(results["outcome"]["status"], "not_finite")
        self.assertIsNone(results["functionals"]["ratio"])
        self.write("expect.toml", 'source = "none"\n[functionals]\nmean = { value = 9.0, relative = 0.01 }\n')
        results = self.results_of(CASE, "--expect", expect=NUMBERS_FAILED)
        self.assertEqual(results["outcome"]["status"], "failed")
        self.assertFalse(results["expected"]["values"][0]["met"])

    def test_of_steps_of_a_load(self):
        results = self.results_of(FOLD)
        self.assertEqual(results["time"]["parameter"], "s")
        self.assertTrue(results["solver"]["newton"])

    def test_of_implicit_steps(self):
        results = self.results_of(IMPLICIT, *SHORT)
        self.assertGreater(results["time"]["newton_steps"], 0)
        self.assertNotIn("parameter", results["time"])

    def test_of_explicit_steps(self):
        results = self.results_of(EXPLICIT, *SHORT)
        self.assertGreater(results["time"]["stages"], 0)
        self.assertNotIn("operator", results["solver"])

    def test_of_cases(self):
        """With Gmsh, multigrid and adaptive steps."""
        for case in ("heat_sink", "nonlinear_heat", "cahn_hilliard"):
            with self.subTest(case=case):
                self.results(OUTPUT / case)


class WrongFiles(CommandLineTest):
    def test_are_refused(self):
        self.run_case()
        right = self.results()
        changes = {
            "$: 'outcome' is missing": lambda r: r.pop("outcome"),
            "$.remarks: must not be there": lambda r: r.update(remarks=[]),
            "$.dofs: '25' is not of type integer": lambda r: r.update(dofs="25"),
            "$.mesh.cells: -1 is below 0": lambda r: r["mesh"].update(cells=-1),
            "$.outcome.exit_code: 1 is not one of [0]": lambda r: r["outcome"].update(exit_code=1),
            "$.functionals.mean: 'nan' is not of type number or null": lambda r: r["functionals"].update(
                mean="nan"),
            "$.solver: 'method' is missing": lambda r: r["solver"].pop("method"),
            "$.solver.history[0]: True is not of type number or null": lambda r: r["solver"].update(
                history=[True]),
            "$.timings.solve: must not be there": lambda r: r["timings"].update(solve=1.0),
            "$.kernels[0]: 'seconds' is missing": lambda r: r["kernels"][0].pop("seconds"),
            "$.variants_from.fem_integrate: 'guessed' is not one of": lambda r: r["variants_from"].update(
                fem_integrate="guessed"),
        }
        for fault, change in changes.items():
            with self.subTest(fault=fault):
                wrong = copy.deepcopy(right)
                change(wrong)
                found = faults(wrong, RESULTS_SCHEMA)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(fault), found)


class Schema(unittest.TestCase):
    def test_every_key_is_described(self):
        def look_at(schema, place):
            for name, key in schema.get("properties", {}).items():
                if isinstance(key, bool):
                    continue
                target = RESULTS_SCHEMA["$defs"].get(key.get("$ref", "").rpartition("/")[2], {})
                self.assertTrue(key.get("description") or target.get("description"), f"{place}.{name}")
                self.assertTrue({"type", "enum", "$ref"} & key.keys(), f"{place}.{name}")
                look_at(key, f"{place}.{name}")
            if isinstance(schema.get("items"), dict):
                look_at(schema["items"], f"{place}[]")

        look_at(RESULTS_SCHEMA, "$")
        for name, schema in RESULTS_SCHEMA["$defs"].items():
            look_at(schema, name)

    def test_the_page_names_every_key_of_the_file(self):
        page = (ROOT / "docs" / "reference" / "results.md").read_text()
        for name in RESULTS_SCHEMA["properties"]:
            self.assertTrue(f"| `{name}` |" in page, name)


class Validator(unittest.TestCase):
    def assert_takes(self, schema, right, wrong):
        for value in right:
            self.assertEqual(faults(value, schema), [], value)
        for value in wrong:
            self.assertEqual(len(faults(value, schema)), 1, value)

    def test_types(self):
        self.assert_takes({"type": "object"}, [{}], [[], "", 0, None])
        self.assert_takes({"type": "array"}, [[]], [{}, "", 0, None])
        self.assert_takes({"type": "string"}, [""], [{}, [], 0, None])
        self.assert_takes({"type": "boolean"}, [True, False], [0, 1, None])
        self.assert_takes({"type": "number"}, [1, 0.5], [True, "1", None])
        self.assert_takes({"type": "integer"}, [1], [0.5, True, None])
        self.assert_takes({"type": ["integer", "null"]}, [1, None], [0.5, "", False])

    def test_values(self):
        self.assert_takes({"enum": ["a", 1, None]}, ["a", 1, None], ["b", 0, True])
        self.assert_takes({"minimum": 2}, [2, 3.5, "text"], [1, -2.5])

    def test_objects_and_arrays(self):
        schema = {"properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
        self.assert_takes(schema, [{"a": 1}, []], [{}, {"a": ""}, {"a": 1, "b": 1}])
        self.assert_takes({"additionalProperties": {"type": "null"}}, [{}, {"b": None}], [{"b": 1}])
        self.assert_takes({"properties": {"a": False}}, [{}, {"b": 1}], [{"a": 1}])
        self.assert_takes({"items": {"type": "string"}}, [[], ["a", "b"], {}], [["a", 1]])

    def test_alternatives_and_references(self):
        self.assert_takes({"anyOf": [{"type": "string"}, {"minimum": 0}]}, ["", 1], [-1])
        schema = {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
        self.assert_takes(schema, [[], [[], [[]]]], [1, [[1]]])

    def test_a_keyword_that_it_does_not_know_is_refused(self):
        for schema in ({"pattern": "a"}, {"items": {"maxLength": 1}}):
            with self.assertRaisesRegex(ValueError, "pattern|maxLength"):
                faults(["a"], schema)


if __name__ == "__main__":
    unittest.main()
