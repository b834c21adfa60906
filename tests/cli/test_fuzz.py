"""Damaged inputs of every kind: whatever is in them, the program ends by itself with a message.

`scripts/fuzz` tries as many as one likes, WEFT_TEST_ALL=1 here many more than otherwise. A failing input is
named by its family and seed, which make it again.
"""

import tempfile
import unittest

from fuzz_inputs import SHARES, Families, Prepared, run_one
from weft_cli import ALL, PROGRAM

TRIALS = 2000 if ALL else 200


class Fuzz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="weft_fuzz_")
        cls.addClassCleanup(folder.cleanup)
        cls.families = Families(Prepared(PROGRAM, folder.name))

    def test_every_family_ends_with_a_message(self):
        for family, share in SHARES.items():
            codes = set()
            for seed in range(max(4, TRIALS * share // 100)):
                with self.subTest(family=family, seed=seed):
                    code, fault = run_one(PROGRAM, self.families, family, seed)
                    self.assertEqual(fault, "")
                    codes.add(code)
            # A family whose inputs are all refused, or all taken, looks at nothing.
            if share >= 8:
                self.assertLessEqual({0, 2}, codes, family)


if __name__ == "__main__":
    unittest.main()
