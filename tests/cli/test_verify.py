"""`weft verify` in space, on a mesh from a file: every cell is split from one level to the next."""

import json
import unittest

from weft_cli import MESH, MESH_CASE, NUMBERS_FAILED, WRONG_INPUT, CommandLineTest, replaced

CASE = replaced(MESH_CASE, "f = 1.0", 'f = "pi^2/4*sin(pi*x/2)"').replace(
    'file = "square.msh"', 'file = "square.msh"\nrefine = 2'
)
EXACT = '\n[exact]\nu = "sin(pi*x/2)"\n\n[verify]\nrefine = 3\nexpect = { u = 2.0 }\n'


class Verify(CommandLineTest):
    def test_mesh_of_a_file(self):
        self.write("square.msh", MESH)
        self.write("case.toml", CASE + EXACT)
        self.weft("verify", "case.toml", "--json", "verify.json")
        levels = json.loads((self.folder / "verify.json").read_text())["levels"]
        self.assertEqual([level["cells"] for level in levels], [32, 128, 512])
        for level in levels[1:]:
            self.assertAlmostEqual(level["orders"]["u"]["L2"], 2, delta=0.1)

    def test_what_could_not_be_compared_is_refused(self):
        self.write("square.msh", MESH)
        self.write("case.toml", CASE + "\n[verify]\nexpect = { u = 2.0 }\nexpect_time = { u = 2.0 }\n")
        done = self.weft("verify", "case.toml", expect=WRONG_INPUT)
        self.assert_error(done, "without exact solution", "found:   u")
        self.write("case.toml", CASE + replaced(EXACT, "sin(pi*x/2)", "sin(pi*x/2) + sqrt(y - 0.5)"))
        done = self.weft("verify", "case.toml", expect=NUMBERS_FAILED)
        self.assert_error(done, "level 0", "the error of u is not finite in the cell at (")


if __name__ == "__main__":
    unittest.main()
