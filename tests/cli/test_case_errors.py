"""A wrong case file: exit code 2, a message with file, line, what is allowed; nothing is written."""

import unittest

from weft_cli import CASE, MESH, MESH_CASE, WRONG_INPUT, CommandLineTest, line_of, replaced


class CaseErrors(CommandLineTest):
    def refuse(self, text, *parts, at=None):
        """The case is refused with these parts in the message, at the line that holds `at`."""
        done = self.run_case(text, expect=WRONG_INPUT)
        place = f"case.toml:{line_of(text, at)}" if at else "case.toml"
        self.assert_error(done, place, *parts)
        self.assertFalse((self.folder / "out").exists(), "a refused case wrote output")

    def test_unknown_key_names_the_nearest(self):
        text = replaced(CASE, "tolerance = 1e-10", "tolerence = 1e-10")
        self.refuse(text, "tolerence", "tolerance", at="tolerence")

    def test_unknown_table_names_the_nearest(self):
        text = replaced(CASE, "[functionals]", "[functional]")
        self.refuse(text, "functional", "functionals", at="[functional]")

    def test_toml_syntax(self):
        self.refuse(replaced(CASE, "f = 1.0", "f = = 1.0"), at="f = = 1.0")

    def test_wrong_type(self):
        self.refuse(replaced(CASE, "1e-10", '"small"'), "tolerance", at='"small"')

    def test_unknown_cell_type_lists_those_there_are(self):
        self.refuse(replaced(CASE, '"triangle"', '"triangel"'), "triangel", "triangle", "pyramid")

    def test_unknown_element(self):
        self.refuse(replaced(CASE, '"P1"', '"Q1"'), "Q1", "P1", at='"Q1"')

    def test_unknown_name_in_expression(self):
        text = replaced(CASE, "- f*test(u)", "- g*test(u)")
        self.refuse(text, "g", at="- g*test(u)")

    def test_unknown_field_in_test(self):
        text = replaced(CASE, "- f*test(u)", "- f*test(v)")
        self.refuse(text, "v", at="test(v)")

    def test_expression_syntax(self):
        text = replaced(CASE, "- f*test(u)", "- f*(test(u)")
        self.refuse(text, at="f*(test")

    def test_wrong_shapes_are_both_named(self):
        text = replaced(CASE, "inner(grad(u), grad(test(u)))", "inner(u, grad(test(u)))")
        self.refuse(text, "scalar", "2", at="inner(u")

    def test_form_not_linear_in_test(self):
        text = replaced(CASE, "- f*test(u)", "- f*test(u)^2")
        self.refuse(text, "linear", "test", at="test(u)^2")

    def test_second_derivatives_are_refused_with_the_remedy(self):
        text = replaced(CASE, "inner(grad(u), grad(test(u)))", "div(grad(u))*test(u)")
        self.refuse(text, "integrate by parts", at="div(grad(u))*test(u)")

    def test_shadowing_a_built_in_name(self):
        text = replaced(CASE, "f = 1.0", "f = 1.0\npi = 3.0")
        self.refuse(text, "pi", at="pi = 3.0")

    def test_missing_case_file(self):
        self.assert_error(self.weft("run", "no_such.toml", expect=WRONG_INPUT), "no_such.toml")

    def test_set_of_an_unknown_key(self):
        done = self.run_case(CASE, "--set", "solver.tolerence=1e-3", expect=WRONG_INPUT)
        self.assert_error(done, "tolerence", "tolerance")

    def test_missing_group_lists_those_there_are(self):
        self.write("square.msh", MESH)
        self.refuse(replaced(MESH_CASE, "left = {", "lef = {"), "lef", "left", "right", at="lef = {")

    def test_missing_region_lists_those_there_are(self):
        self.write("square.msh", MESH)
        text = replaced(MESH_CASE, "cells.all", "cells.plat")
        self.refuse(text, "plat", "plate", at="cells.plat")

    def test_missing_box_side(self):
        self.refuse(replaced(CASE, "boundary = {", "z0 = {"), "z0", "x0", "y1", at="z0 = {")


class CommandLineErrors(CommandLineTest):
    def test_unknown_verb(self):
        self.assert_error(self.weft("rnu", "case.toml", expect=WRONG_INPUT), "rnu")

    def test_no_verb(self):
        self.weft(expect=WRONG_INPUT)

    def test_unknown_option(self):
        self.write("case.toml", CASE)
        self.assert_error(self.weft("run", "case.toml", "--tolerance", expect=WRONG_INPUT), "--tolerance")


if __name__ == "__main__":
    unittest.main()
