"""Notebooks of python/examples run and print what they show."""

import ast
import contextlib
import io
import json
import os
import unittest
from pathlib import Path

from shown_output import check_shown, lines_shown

FOLDER = Path(__file__).resolve().parent.parent.parent / "python" / "examples"


def run_cell(source, names):
    """What a code cell prints, and the value of its last line as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        if value is not None:
            print(repr(value))
    return printed.getvalue()


def text_of(output):
    return "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


class Notebooks(unittest.TestCase):
    def test_heat_sink(self):
        self.follow("heat_sink.ipynb")

    def test_each_has_a_test(self):
        self.assertEqual([file.name for file in FOLDER.glob("*.ipynb")], ["heat_sink.ipynb"])

    def follow(self, name):
        cells = [cell for cell in json.loads((FOLDER / name).read_text())["cells"] if cell["cell_type"] == "code"]
        self.assertTrue(any(cell["outputs"] for cell in cells))
        names, before = {}, os.getcwd()
        os.chdir(FOLDER)
        try:
            for cell in cells:
                source = "".join(cell["source"])
                output = run_cell(source, names)
                shown = lines_shown("".join(map(text_of, cell["outputs"])))
                check_shown(self, source, shown, output)
                self.assertEqual(len(output.splitlines()), len(shown), f"{source}\n{output}")
        finally:
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
