"""A wrong mesh file: exit code 2, a message that names the file and what is wrong with it."""

import unittest

from weft_cli import MESH, MESH_CASE, WRONG_INPUT, CommandLineTest, replaced


class MeshErrors(CommandLineTest):
    def refuse(self, mesh, *parts):
        self.write("square.msh", mesh)
        self.assert_error(self.run_case(MESH_CASE, expect=WRONG_INPUT), "square.msh", *parts)
        self.assertFalse((self.folder / "out").exists(), "a refused mesh wrote output")

    def test_the_sound_mesh_runs(self):
        self.write("square.msh", MESH)
        self.run_case(MESH_CASE)
        self.assertEqual(self.results()["mesh"], {**self.results()["mesh"], "cells": 2, "nodes": 4})

    def test_missing(self):
        self.assert_error(self.run_case(MESH_CASE, expect=WRONG_INPUT), "square.msh", "case.toml")

    def test_truncated_anywhere(self):
        for end in range(0, len(MESH) - len("$EndElements\n"), 29):
            with self.subTest(end=end):
                self.refuse(MESH[:end])

    def test_not_a_mesh(self):
        self.refuse(bytes(range(256)) * 8)

    def test_node_out_of_range(self):
        self.refuse(replaced(MESH, "3 2 2 3 1 1 2 3", "3 2 2 3 1 1 2 30"), "30")

    def test_unknown_format_version(self):
        self.refuse(replaced(MESH, "2.2 0 8", "9.9 0 8"), "9.9", "2.2", "4.1")

    def test_zero_volume(self):
        self.refuse(replaced(MESH, "3 1 1 0", "3 0.5 0 0"))

    def test_mixed_orientation(self):
        self.refuse(replaced(MESH, "4 2 2 3 1 1 3 4", "4 2 2 3 1 1 4 3"), "1")

    def test_not_a_number(self):
        self.refuse(replaced(MESH, "3 1 1 0", "3 nan 1 0"))

    def test_line_that_is_no_facet(self):
        self.refuse(replaced(MESH, "2 1 2 2 1 2 3", "2 1 2 2 1 2 4"))

    def test_flipped_region_is_turned_with_a_notice(self):
        mesh = replaced(MESH, "3 2 2 3 1 1 2 3", "3 2 2 3 1 1 3 2")
        self.write("square.msh", replaced(mesh, "4 2 2 3 1 1 3 4", "4 2 2 3 1 1 4 3"))
        done = self.run_case(MESH_CASE)
        self.assertIn("plate", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
