"""The project's own scripts: they find what they are there to find."""

import shutil
import subprocess
import unittest

from weft_cli import ROOT, CommandLineTest


def script(name, *arguments):
    return subprocess.run([ROOT / "scripts" / name, *map(str, arguments)], capture_output=True, text=True)


class Scripts(CommandLineTest):
    def test_manufactured_cases_are_those_of_the_script(self):
        done = script("make_mms_cases.py", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_case_has_its_files(self):
        for case in sorted((ROOT / "cases").iterdir()):
            for name in ("case.toml", "expect.toml", "README.md"):
                with self.subTest(case=case.name, file=name):
                    self.assertTrue((case / name).is_file())
            self.assertIn("source = ", (case / "expect.toml").read_text())

    def test_includes_of_the_project_point_upward(self):
        done = script("check_includes")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_downward_include_is_found(self):
        shutil.copy(ROOT / "CMakeLists.txt", self.folder)
        (self.folder / "src" / "base").mkdir(parents=True)
        (self.folder / "src" / "base" / "a.h").write_text('#pragma once\n#include "mesh/mesh.h"\n')
        (self.folder / "src" / "mesh").mkdir()
        (self.folder / "src" / "mesh" / "mesh.h").write_text('#include "base/a.h"\n')
        done = script("check_includes", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("src/base/a.h:2", done.stdout)

    def test_unknown_package_group(self):
        done = script("packages", "list", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("build, run, plot, hypre, test", done.stderr)

    def test_skip_without_reason_is_a_failure(self):
        junit = (
            '<testsuite><testcase name="a" status="run" time="0"/>'
            '<testcase name="b" status="notrun" time="0"><skipped message="x"/>'
            "<system-out>{}</system-out></testcase></testsuite>"
        )
        silent = self.write("silent.xml", junit.format("nothing"))
        self.assertEqual(script("test_summary", silent).returncode, 1)
        said = self.write("said.xml", junit.format("SKIPPED: no such device"))
        done = script("test_summary", said)
        self.assertEqual(done.returncode, 0)
        self.assertIn("b: no such device", done.stdout)

    def test_tests_of_a_suite_are_counted_one_by_one(self):
        suite = (
            "[ RUN      ] S.a\n[       OK ] S.a (1200 ms)\n"
            "[ RUN      ] S.b\nb.cpp:3: Skipped\n{}\n[  SKIPPED ] S.b (0 ms)\n"
            "[ RUN      ] S.c/x\n{}"
        )
        junit = '<testsuite><testcase name="op.S" status="{}" time="9"><system-out>{}</system-out></testcase></testsuite>'
        passed = self.write("passed.xml", junit.format("run", suite.format("no driver", "[       OK ] S.c/x (3 ms)\n")))
        done = script("test_summary", passed)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3 tests: 2 passed, 0 failed, 1 skipped", done.stdout)
        self.assertIn("slowest: op.S.a 1.2 s", done.stdout)
        self.assertIn("skipped: op.S.b: no driver\n", done.stdout)
        silent = self.write("silent.xml", junit.format("run", suite.format("", "[       OK ] S.c/x (3 ms)\n")))
        self.assertEqual(script("test_summary", silent).returncode, 1)
        failure = "[  FAILED  ] S.c/x, where GetParam() = 4 (3 ms)\n\n[  FAILED  ] S.c/x, where GetParam() = 4\n"
        failed = self.write("failed.xml", junit.format("fail", suite.format("no driver", failure)))
        self.assertIn("failed: op.S.c/x\n", script("test_summary", failed).stdout)
        crashed = self.write("crashed.xml", junit.format("fail", suite.format("no driver", "")))
        self.assertIn("failed: op.S (not all of it ran)\n", script("test_summary", crashed).stdout)


if __name__ == "__main__":
    unittest.main()
