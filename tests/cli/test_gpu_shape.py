"""WEFT_GPU_SHAPE: a CPU that is taken for a GPU gets a GPU's kernels, and the same results."""

import unittest

from weft_cli import CASE, CommandLineTest, replaced

BODY = replaced(
    replaced(CASE, 'origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle"',
             'size = [1, 1, 1], cells = [6, 5, 4], cell = "tetrahedron", distort = 0.1'),
    'element = "P1"', 'element = "P2"',
)  # fmt: skip


class GpuShape(CommandLineTest):
    def test_kernels_are_a_gpus_and_results_the_same(self):
        self.run_case(BODY)
        expected = self.results()
        self.run_case(BODY, env={"WEFT_GPU_SHAPE": "1"})
        found = self.results()
        self.assertIn(" lanes=1 ", found["variants"]["fem_integrate"])
        self.assertNotIn(" lanes=1 ", expected["variants"]["fem_integrate"])
        self.assertAlmostEqual(found["functionals"]["mean"], expected["functionals"]["mean"], delta=1e-12)


if __name__ == "__main__":
    unittest.main()
