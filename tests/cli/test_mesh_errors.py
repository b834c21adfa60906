"""A wrong mesh file: exit code 2, a message that names the file and what is wrong with it."""

import unittest

from weft_cli import DONE, MESH, MESH_CASE, WRONG_INPUT, CommandLineTest, line_of, replaced

# The two triangles of MESH, each with nodes of its own.
DOUBLE_NODES = (
    replaced(MESH, "$Nodes\n4\n", "$Nodes\n6\n")
    .replace("4 0 1 0\n", "4 0 1 0\n5 0 0 0\n6 1 1 0\n")
    .replace("4 2 2 3 1 1 3 4", "4 2 2 3 1 5 6 4")
    .replace("1 1 2 1 1 4 1", "1 1 2 1 1 4 5")
)

# MESH and, on its right, three triangles of the next square, with a node in the middle of the side between.
HANGING_NODE = (
    replaced(MESH, "$Nodes\n4\n", "$Nodes\n7\n")
    .replace("4 0 1 0\n", "4 0 1 0\n5 2 0 0\n6 2 1 0\n7 1 0.5 0\n")
    .replace("$Elements\n4\n", "$Elements\n7\n")
    .replace("$EndElements", "5 2 2 3 1 2 5 7\n6 2 2 3 1 5 6 7\n7 2 2 3 1 6 3 7\n$EndElements")
)


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

    def test_groups_with_names_that_are_none(self):
        self.refuse(replaced(MESH, '"left"', '""'), "empty text")
        self.refuse(replaced(MESH, '"left"', '"le\0ft"'), "control character", "le\\x00ft")

    def test_a_periodic_link_of_nodes_with_themselves(self):
        link = "$Periodic\n1\n1 1 1\n2\n1 1\n4 4\n$EndPeriodic\n"
        self.refuse(MESH + link, "with itself", "2 nodes, each its own master")

    def test_flipped_region_is_turned_with_a_notice(self):
        mesh = replaced(MESH, "3 2 2 3 1 1 2 3", "3 2 2 3 1 1 3 2")
        self.write("square.msh", replaced(mesh, "4 2 2 3 1 1 3 4", "4 2 2 3 1 1 4 3"))
        done = self.run_case(MESH_CASE)
        self.assertIn("plate", done.stdout + done.stderr)


class PeriodicPairs(CommandLineTest):
    def test_pairs_that_are_none(self):
        self.write("square.msh", MESH)
        for pairs, part in (
            ('["left", "left"]', "of a group with itself"),
            ('["left", ""]', "without a name"),
            ('["left", "right"], ["right", "left"]', "there already"),
        ):
            with self.subTest(pairs=pairs):
                text = replaced(MESH_CASE, 'file = "square.msh"', f'file = "square.msh"\nperiodic = [{pairs}]')
                place = f"case.toml:{line_of(text, 'periodic')}: [mesh] periodic["
                self.assert_error(self.run_case(text, expect=WRONG_INPUT), place, part)

    def test_a_missing_group_names_the_line(self):
        self.write("square.msh", MESH)
        text = replaced(MESH_CASE, 'file = "square.msh"', 'file = "square.msh"\nperiodic = [["left", "rihgt"]]')
        done = self.run_case(text, expect=WRONG_INPUT)
        self.assert_error(done, f"case.toml:{line_of(text, 'periodic')}: [mesh] periodic", "rihgt", "left, right")


class WhatMeshesLeaveOpen(CommandLineTest):
    """What is no error in most cases, and said before the solution."""

    def check(self, mesh, text=MESH_CASE, *arguments, expect=DONE):
        self.write("square.msh", mesh)
        self.write("case.toml", text)
        return self.weft("check", "case.toml", "--stage", "space", *arguments, expect=expect)

    def test_boundary_without_a_condition(self):
        notice = "no condition on right (1 facet), facets without a group (2)"
        self.assert_error(self.check(MESH), "notice: case.toml", notice)
        self.assertEqual(self.check(MESH, MESH_CASE, "-q").stderr, "")
        text = replaced(MESH_CASE, "[dirichlet]", 'facets.right = "0*test(u)"\n[dirichlet]')
        self.assert_error(self.check(MESH, text), "no condition on facets without a group (2)")
        self.assertNotIn("no condition", self.check(MESH, replaced(MESH_CASE, "left = {", "boundary = {")).stderr)
        # Nothing is integrated by parts, so nothing is left on the boundary.
        text = replaced(MESH_CASE, "inner(grad(u), grad(test(u)))", "u*test(u)")
        self.assertNotIn("no condition", self.check(MESH, text).stderr)

    def test_double_nodes(self):
        done = self.check(DOUBLE_NODES)
        self.assert_error(done, "case.toml:4: [mesh] file", "without being joined: 1, with 2 double nodes")
        self.assert_error(done, "(0, 0), (1, 1)")
        self.assertNotIn("joined", self.check(MESH).stderr)
        info = self.weft("mesh", "info", "square.msh").stdout
        self.assertNotIn("double facets", info)
        self.write("square.msh", DOUBLE_NODES)
        self.assertIn("double facets   1 pairs, 2 double nodes", self.weft("mesh", "info", "square.msh").stdout)

    def test_a_crack_with_conditions_of_its_own(self):
        mesh = replaced(DOUBLE_NODES, "$PhysicalNames\n3\n", '$PhysicalNames\n4\n1 4 "crack"\n')
        mesh = replaced(mesh, "$Elements\n4\n", "$Elements\n6\n")
        mesh = replaced(mesh, "$EndElements", "5 1 2 4 4 1 3\n6 1 2 4 4 5 6\n$EndElements")
        self.assert_error(self.check(mesh), "without being joined")
        text = replaced(MESH_CASE, "[dirichlet]", 'facets.crack = "(u - 1)*test(u)"\n[dirichlet]')
        self.assertNotIn("joined", self.check(mesh, text).stderr)

    def test_hanging_nodes(self):
        done = self.check(HANGING_NODE, expect=WRONG_INPUT)
        self.assert_error(done, "case.toml:4: [mesh] file", "does not conform", "1 hanging nodes, at (1, 0.5)")
        self.assert_error(done, "BooleanFragments")
        self.assertIn("1 hanging nodes", self.weft("mesh", "info", "square.msh").stdout)

    def test_parts_that_only_touch(self):
        mesh = replaced(HANGING_NODE, "$PhysicalNames\n3\n", '$PhysicalNames\n4\n1 4 "touching"\n')
        mesh = replaced(mesh, "$Elements\n7\n", "$Elements\n9\n").replace("2 1 2 2 1 2 3\n", "2 1 2 4 4 2 3\n")
        mesh = replaced(mesh, "$EndElements", "8 1 2 4 5 2 7\n9 1 2 4 5 7 3\n$EndElements")
        self.check(mesh, expect=WRONG_INPUT)
        text = replaced(MESH_CASE, "[dirichlet]", 'facets.touching = "0*test(u)"\n[dirichlet]')
        self.assertNotIn("conform", self.check(mesh, text).stderr)


if __name__ == "__main__":
    unittest.main()
