"""Compiled kernels kept between runs: each is compiled once, and the next run finds it."""

import re
import struct
import unittest

from weft_cli import CASE, CommandLineTest, replaced


def functions_of(binary):
    """Of a kept binary of PoCL's: by kernel, by shape ("64-1-1-goffs0"), the bytes of its function."""
    functions = {}
    for found in re.finditer(rb"/(\w+)/(\d+-\d+-\d+[a-z0-9-]*)/\1\.so", binary):
        (length,) = struct.unpack_from("<I", binary, found.end())
        begin = found.end() + 4
        functions.setdefault(found[1], {})[found[2]] = binary[begin : begin + length]
    return functions


class KernelCache(CommandLineTest):
    def test_kernels_are_compiled_once(self):
        """PoCL would compile each once more, for work-groups of any size, when it is asked for them."""
        self.write("case.toml", replaced(CASE, "[4, 4]", "[40, 40]"))
        cache = self.folder / "cache"
        env = {"XDG_CACHE_HOME": str(cache), "POCL_CACHE_DIR": ""}
        results = []
        for folder in "first", "second":
            self.weft("run", "case.toml", "--out", folder, env=env)
            results.append(self.results(folder))
            kept = sorted(path.name for path in cache.glob("weft/kernels/*.bin"))
            if folder == "first":
                before = kept
        self.assertEqual(kept, before)  # the second run has compiled nothing
        self.assertEqual(results[0]["functionals"], results[1]["functionals"])
        launched = 0
        for path in cache.glob("weft/kernels/*.bin"):
            for kernel, functions in functions_of(path.read_bytes()).items():
                any_size = functions.pop(b"0-0-0")
                if functions:
                    self.assertIn(any_size, functions.values(), kernel)
                    launched += 1
        self.assertGreater(launched, 5)


if __name__ == "__main__":
    unittest.main()
