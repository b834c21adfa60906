"""Known fields and initial states out of files of fields, on other meshes and in other elements."""

import unittest

from foreign_vtu import ENCODINGS, write_vtu
from ranks_cli import HAS_MPI, RanksTest
from weft_cli import DONE, WRONG_INPUT, CommandLineTest, extended, replaced

# Writes T = 1 + 2 x - y and the vector v, in elements that hold them exactly.
HEAT = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [5, 4], cell = "triangle", distort = 0.2 }
[fields]
T = { element = "P2" }
v = { element = "P2", shape = "vector" }
[weak_form]
cells.all = "(T - 1 - 2*x + y)*test(T) + dot(v - [x*y, y^2], test(v))"
[output]
directory = "heat"
fields = ["T", "v", "grad(T)"]
"""

USER = """\
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [3, 3], cell = "quadrilateral" }
[fields]
u = { element = "P1" }
[auxiliary]
T = { element = "P1", file = "heat/fields.pvd" }
w = { element = "P2", shape = "vector", file = "heat/fields.pvd", field = "v" }
c = { file = "heat/fields.pvd", field = "T" }
[weak_form]
cells.all = "(u - T)*test(u)"
[exact]
u = "1 + 2*x - y"
[functionals]
first = { point = [0.37, 0.61], value = "w[0]" }
second = { point = [0.37, 0.61], value = "w[1]" }
difference = { integral = "abs(T - 1 - 2*x + y)" }
mean = { average = "c" }
"""


class FieldFiles(CommandLineTest):
    def heat(self, text=HEAT, expect=DONE):
        self.write("heat.toml", text)
        return self.weft("run", "heat.toml", expect=expect)

    def test_other_meshes_and_elements(self):
        self.heat()
        self.run_case(USER)
        results = self.results()
        self.assertLess(results["functionals"]["difference"], 1e-12)
        self.assertLess(results["errors"]["u"]["L2"], 1e-9)
        self.assertAlmostEqual(results["functionals"]["first"], 0.37 * 0.61, 10)
        self.assertAlmostEqual(results["functionals"]["second"], 0.61**2, 10)
        self.assertAlmostEqual(results["functionals"]["mean"], 1.5, 10)

    @extended
    def test_cells_of_all_kinds(self):
        for cell, element in (
            ("tetrahedron", "P3"),
            ("hexahedron", "P5"),
            ("prism", "P2"),
            ("pyramid", "P1"),
            ("hexahedron", "DG6"),
        ):
            with self.subTest(cell=cell, element=element):
                solid = HEAT.replace('cells = [5, 4], cell = "triangle"', f'cells = [2, 2, 2], cell = "{cell}"')
                solid = solid.replace("[0, 0], size = [1, 1]", "[0, 0, 0], size = [1, 1, 1]")
                solid = solid.replace("P2", element).replace("[x*y, y^2]", "[x, y, z]")
                self.heat(solid)
                user = USER.replace("[3, 3]", "[2, 3, 2]").replace("quadrilateral", "tetrahedron")
                user = user.replace("[0, 0], size = [1, 1]", "[0, 0, 0], size = [1, 1, 1]")
                user = user.replace("[0.37, 0.61]", "[0.37, 0.61, 0.2]")
                self.run_case(user)
                values = self.results()["functionals"]
                self.assertLess(values["difference"], 1e-9)
                self.assertAlmostEqual(values["second"], 0.61, 8)

    def test_values_of_cells(self):
        self.heat(replaced(HEAT, '"grad(T)"]', '"2*grad(T)"]'))
        user = replaced(USER, 'file = "heat/fields.pvd", field = "T"', 'file = "heat/fields.pvd", field = "region"')
        self.run_case(user)
        self.assertEqual(self.results()["functionals"]["mean"], 0)

    def test_an_initial_state(self):
        self.heat()
        user = replaced(USER, "(u - T)*test(u)", "(dt(u) + u - T)*test(u)") + "[time]\nend = 0.1\nstep = 0.05\n"
        user += '[initial]\nu = { file = "heat/fields.pvd", field = "T" }\n'
        self.run_case(user)
        self.assertLess(self.results()["errors"]["u"]["L2"], 1e-9)

    def test_files_that_do_not_cover_the_mesh(self):
        self.heat(HEAT.replace("size = [1, 1]", "size = [0.8, 1]"))
        self.assert_error(
            self.run_case(USER, expect=WRONG_INPUT),
            "a node outside of the mesh of a file of fields",
            "case.toml:6: [auxiliary] T.file",
            "(1, 0), the first of 4, is in no cell of heat/fields.vtu",
        )
        self.heat(HEAT.replace("size = [1, 1]", "size = [0.995, 1]"))  # of cells of 0.2
        self.run_case(USER)
        self.assertLess(self.results()["functionals"]["difference"], 1e-9)

    def test_what_is_no_field(self):
        self.assert_error(self.run_case(USER, expect=WRONG_INPUT), "heat/fields.pvd")
        self.heat()
        wrong = replaced(USER, 'field = "v"', 'field = "velocity"')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), 'no field "velocity"', "T, v", "field =")
        wrong = replaced(USER, 'field = "v"', 'field = "T"')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "1 components", "2 components")
        wrong = replaced(USER, 'c = { file = "heat/fields.pvd", field = "T" }', 'c = { file = "heat/checkpoint.h5" }')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "a checkpoint holds no mesh", "fields.pvd")
        wrong = replaced(USER, 'c = { file = "heat/fields.pvd", field = "T" }', 'c = { file = "a", value = 1 }')
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "one of value, file", "both")
        wrong = USER + "[initial]\nu = { field = 'T' }\n"
        self.assert_error(self.run_case(wrong, expect=WRONG_INPUT), "without an expression or a file")

    def test_damaged_files(self):
        self.heat()
        whole = (self.folder / "heat" / "fields.vtu").read_bytes()
        for damage in (whole[: len(whole) // 2], whole.replace(b"UInt64", b"UInt32"), b""):
            (self.folder / "heat" / "fields.vtu").write_bytes(damage)
            self.assert_error(self.run_case(USER, expect=WRONG_INPUT), "fields.vtu")
        (self.folder / "heat" / "fields.pvd").write_text(
            '<VTKFile><Collection><DataSet timestep="0" file="../case.vtu"/></Collection></VTKFile>'
        )
        self.assert_error(self.run_case(USER, expect=WRONG_INPUT), "not in its folder")

    def test_files_of_other_programs(self):
        """In two pieces, with lines beside the cells; as text, in base64, raw, compressed."""
        user = USER.replace("heat/fields.pvd", "other.vtu")
        for encoding in ENCODINGS:
            with self.subTest(encoding):
                write_vtu(self.folder / "other.vtu", encoding)
                self.run_case(user)
                values = self.results()["functionals"]
                self.assertLess(values["difference"], 1e-12)
                self.assertAlmostEqual(values["first"], 2 * 0.37 + 1, 12)
                self.assertAlmostEqual(values["mean"], 1.5, 12)
        whole = (self.folder / "other.vtu").read_bytes()
        damaged = [
            (whole.replace(b"vtkZLibDataCompressor", b"vtkLZMADataCompressor"), "compression by vtkLZMADataCompressor"),
            (whole.replace(b'type="Float32"', b'type="String"'), "the type String in the array"),
            (whole.replace(b'NumberOfPoints="', b'NumberOfPoints="9'), "in the array"),
            (whole[: len(whole) * 3 // 4], "the file ends"),
        ]
        for data, message in damaged:
            with self.subTest(message):
                (self.folder / "other.vtu").write_bytes(data)
                self.assert_error(self.run_case(user, expect=WRONG_INPUT), message, "other.vtu")


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class FieldFilesOnRanks(RanksTest):
    def test_files_of_two_processes_read_by_three(self):
        self.write("heat.toml", HEAT)
        self.weft_on(2, "run", "heat.toml")
        self.write("case.toml", USER)
        self.weft_on(3, "run", "case.toml", "--out", "out")
        results = self.results()
        self.assertLess(results["functionals"]["difference"], 1e-8)  # as its solver's tolerance
        self.assertLess(results["errors"]["u"]["L2"], 1e-8)
        self.write("heat.toml", HEAT.replace("size = [1, 1]", "size = [0.8, 1]"))
        self.weft_on(2, "run", "heat.toml")
        done = self.weft_on(3, "run", "case.toml", "--out", "out", expect=WRONG_INPUT)
        self.assert_one_message(done, "a node outside of the mesh of a file of fields")


if __name__ == "__main__":
    unittest.main()
