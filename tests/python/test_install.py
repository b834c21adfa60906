"""pip installs the package from the tree, with the library that is installed beside it."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD_DIR = os.environ["WEFT_BUILD_DIR"]
TOOLS = os.environ["WEFT_PYTHON_TOOLS"]

PROGRAM = """\
import weft, small_cases
assert weft.__file__.startswith({place!r}), weft.__file__
print(weft.__version__, small_cases.problem(small_cases.SLAB).solve()["T_max"])
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Pip(unittest.TestCase):
    def test_installs_what_solves(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix, place = Path(folder) / "prefix", Path(folder) / "place"
            run("cmake", "--install", BUILD_DIR, "--prefix", prefix)
            # Neither the network nor what the build folder has of the package: only the tools.
            run(sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps",
                "--disable-pip-version-check", "--root-user-action=ignore", "--target", place, ROOT / "python",
                f"--config-settings=cmake.define.CMAKE_PREFIX_PATH={prefix}",
                f"--config-settings=build-dir={folder}/build",
                env={**os.environ, "PYTHONPATH": TOOLS})  # fmt: skip
            paths = f"{place}:{TOOLS}:{Path(__file__).parent}"
            said = run(sys.executable, "-B", "-c", PROGRAM.format(place=str(place)), cwd=folder,
                       env={**os.environ, "PYTHONPATH": paths}).split()
            self.assertEqual(said[0], "0.1.0")
            self.assertAlmostEqual(float(said[1]), 1.5, places=9)
            files = {file.name for file in (place / "weft").iterdir()}
            self.assertLessEqual({"py.typed", "_weft.pyi", "problem.py"}, files)
            self.assertFalse([name for name in files if name.startswith("libweft")])  # that of the prefix


if __name__ == "__main__":
    unittest.main()
