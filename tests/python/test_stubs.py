"""What editors and type checkers see is what there is."""

import ast
import inspect
import unittest
from pathlib import Path

import weft
from weft import _weft

FOLDER = Path(weft.__file__).parent


def members(tree):
    """Names that a class or module of a stub has, by the names of its classes."""
    found = {"": set()}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found[""].add(node.name)
            found[node.name] = {entry.name for entry in node.body if isinstance(entry, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found[""].add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found[""].add(node.target.id)
    return found


class Stubs(unittest.TestCase):
    def test_module_and_stub_have_the_same_names(self):
        stub = members(ast.parse((FOLDER / "_weft.pyi").read_text()))
        classes = [name for name, value in vars(_weft).items() if inspect.isclass(value)]
        self.assertEqual(stub[""] - {"__version__"}, set(classes))
        for name in classes:
            own = {member for member in vars(getattr(_weft, name)) if not member.startswith("__")}
            self.assertEqual({member for member in stub[name] if not member.startswith("__")}, own, name)

    def test_package_is_marked_as_typed(self):
        self.assertTrue((FOLDER / "py.typed").is_file())

    def test_public_names_say_what_they_are(self):
        for name in weft.__all__:
            value = getattr(weft, name)
            if name != "__version__":
                self.assertTrue(inspect.getdoc(value), name)
        for owner in (weft.Problem, weft.Multigrid):
            for name, member in inspect.getmembers(owner):
                if not name.startswith("_") and callable(member):
                    self.assertTrue(member.__doc__, f"{owner.__name__}.{name}")

    def test_every_function_of_the_package_has_types(self):
        for file in FOLDER.glob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    self.assertIsNotNone(node.returns, f"{file.name}: {node.name}")


if __name__ == "__main__":
    unittest.main()
