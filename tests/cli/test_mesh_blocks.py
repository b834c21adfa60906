"""weft mesh blocks --size: blocks of a partition before and after, and what is wrong input."""

import re
import unittest

from weft_cli import MESH, WRONG_INPUT, CommandLineTest


class MeshBlocks(CommandLineTest):
    def box(self, *arguments):
        self.weft("mesh", "box", "-o", self.folder / "box.msh", *arguments)
        return self.folder / "box.msh"

    def rows(self, *arguments):
        text = self.weft("mesh", "blocks", *arguments).stdout
        rows = {}
        for line in text.splitlines():
            row = re.fullmatch(
                r"(natural|blocks) +(\d+) +(\d+)\.\.(\d+) +([\d.]+)% +([\d.]+) +(\d+)", line)
            if row:
                rows[row[1]] = [float(value) for value in row.groups()[1:]]
        return text, rows

    def test_before_and_after(self):
        box = self.box("--cell", "tetrahedron", "--cells", "12", "12", "12")
        text, rows = self.rows(box, "--size", 128)
        self.assertIn("10368 cells, 39744 entries", text)  # 4 facets each, less 12 * 12 * 12
        self.assertIn("1.75 lines at best, 5.75 at worst", text)
        for blocks, smallest, largest, outside, lines, effective in rows.values():
            self.assertTrue(smallest <= 10368 / blocks <= largest)
            self.assertTrue(0 < outside < 100)
            self.assertTrue(1.75 <= lines <= 5.75)
            self.assertTrue(511 <= effective <= 10368)
        self.assertEqual(rows["natural"][0], 81)
        self.assertLess(rows["blocks"][3], 0.85 * rows["natural"][3])

    def test_other_cells(self):
        box = self.box("--cell", "hexahedron", "--cells", "8", "8", "8")
        text, _ = self.rows(box, "--size", 64)
        self.assertIn("512 cells, 2688 entries", text)
        # Six values and numbers of 12 bytes in lines of 32 bytes, and x.
        self.assertIn("2.50 lines at best, 8.50 at worst", text)

    def test_one_block(self):
        box = self.box("--cell", "triangle", "--cells", "3", "3")
        _, rows = self.rows(box, "--size", 1000)
        for blocks, smallest, largest, outside, _, _ in rows.values():
            self.assertEqual([blocks, smallest, largest, outside], [1, 18, 18, 0])

    def test_leaves_as_before(self):
        box = self.box("--cell", "triangle", "--cells", "8", "8")
        self.assertIn("128 cells, 81 nodes, leaves of 256 cells",
                      self.weft("mesh", "blocks", box).stdout)

    def test_wrong_input(self):
        self.write("square.msh", MESH)
        mesh = self.folder / "square.msh"
        for arguments in (("--size", 0), ("--size", -5), ("--size", "many"),
                          ("--size", 64, "--leaf", 64)):
            with self.subTest(arguments=arguments):
                done = self.weft("mesh", "blocks", mesh, *arguments, expect=WRONG_INPUT)
                self.assertIn("--size", done.stderr)
        missing = self.weft("mesh", "blocks", self.folder / "no.msh", "--size", 8,
                            expect=WRONG_INPUT)
        self.assert_error(missing, "no.msh")


if __name__ == "__main__":
    unittest.main()
