"""The project's own scripts: they find what they are there to find."""

import itertools
import re
import shutil
import subprocess
import unittest

from weft_cli import ROOT, CommandLineTest

# Folders of kernels/ whose files open with what they compute, their arrays and what comes before
# them.
KERNELS_WITH_HEADS = ["fem", "machine", "matrix", "vector"]


def script(name, *arguments):
    return subprocess.run([ROOT / "scripts" / name, *map(str, arguments)], capture_output=True, text=True)


class Scripts(CommandLineTest):
    def test_every_case_has_its_files_and_its_line_in_the_gallery(self):
        gallery = (ROOT / "cases" / "README.md").read_text()
        folders = [case for case in sorted((ROOT / "cases").iterdir()) if case.is_dir()]
        named = re.findall(r"^\| \[`(\w+)`\]\(\1\) \| .+ \| .+ \| .+ \|$", gallery, re.MULTILINE)
        self.assertEqual(sorted(named), [case.name for case in folders])
        for case in folders:
            for name in ("case.toml", "expect.toml", "README.md"):
                with self.subTest(case=case.name, file=name):
                    self.assertTrue((case / name).is_file())
            self.assertIn("source = ", (case / "expect.toml").read_text())

    def test_every_kernel_file_is_in_their_guide(self):
        guide = (ROOT / "kernels" / "README.md").read_text()
        for path in sorted((ROOT / "kernels").glob("*/*.kernel")):
            with self.subTest(file=path.name):
                self.assertRegex(guide, rf"[`/]{path.stem}`")

    def test_kernel_files_of_laws_say_what_they_are_pasted_after(self):
        kernels = ROOT / "kernels"
        for path in sorted([*kernels.glob("dg/*.kernel"), *kernels.glob("fv/*.kernel")]):
            with self.subTest(file=path.name):
                lines = path.read_text().splitlines()
                head = " ".join(line.removeprefix("//") for line in itertools.takewhile(
                    lambda line: line.startswith("//"), lines))
                self.assertRegex(head, r"\[|=", "what is computed, or how arrays lie")
                pasted_after = head.partition("Pasted after: ")[2]
                self.assertTrue(pasted_after)
                for named in re.findall(r"\b(?:dg|fv|vector)/\w+", pasted_after):
                    self.assertTrue((kernels / f"{named}.kernel").is_file(), named)

    def check_kernel_files(self, folders, check):
        """Calls check(folder/name, text) for the kernel files in folders of kernels/."""
        for folder in folders:
            for path in sorted((ROOT / "kernels" / folder).glob("*.kernel")):
                with self.subTest(file=f"{folder}/{path.stem}"):
                    check(f"{folder}/{path.stem}", path.read_text())

    def rows_of_files(self):
        """The kernel files that each row of the guide's tables names, in order: folder/name."""
        for row in (ROOT / "kernels" / "README.md").read_text().splitlines():
            folder, files = "", []
            for name in re.findall(r"`(\w+(?:/\w+)?)`", row) if row.startswith("|") else []:
                folder = name.split("/")[0] if "/" in name else folder
                files.append(name if "/" in name else f"{folder}/{name}")
            yield [name for name in files if (ROOT / "kernels" / f"{name}.kernel").is_file()]

    def test_kernel_files_open_with_what_they_compute_and_what_comes_before(self):
        guide = (ROOT / "kernels" / "README.md").read_text()
        rows = list(self.rows_of_files())

        def check(own, text):
            head = re.match(r"(//.*\n)*", text).group()
            arrays, _, after = head.partition("// pasted after: ")
            self.assertTrue(after.startswith("the dialect"), "the head says what comes before the file")
            # Every array that a kernel is given has its shape.
            kernels = re.findall(r"^WEFT_KERNEL\((.*?)\) \{", text, re.MULTILINE | re.DOTALL)
            for array in set(re.findall(r"\*(?:WEFT_RESTRICT )?(\w+)", " ".join(kernels))):
                self.assertRegex(arrays, rf"//  .*\b{array}\b[^:;]*:", f"{array} has no shape")
            # What comes before is in the guide: files earlier in a row of it, and printed names.
            before = set(re.findall(r"\b[a-z]+/\w+", after))
            for name in before:
                self.assertTrue((ROOT / "kernels" / f"{name}.kernel").is_file(), name)
            for name in re.findall(r"\b(?:weft|WEFT)_\w+", after):
                self.assertTrue(f"`{name}`" in guide, f"the guide does not say who prints {name}")
            if own.startswith("machine/"):  # the guide has no table of them
                return
            named = [row for row in rows if own in row and before & set(row)]
            self.assertTrue(named or not before, f"no row of the guide has {own} after other files")
            for row in named:
                for name in before & set(row):
                    self.assertLess(row.index(name), row.index(own), f"{name} comes before {own}")

        self.check_kernel_files(KERNELS_WITH_HEADS, check)

    def test_a_tenth_of_a_kernel_file_at_most_is_preprocessor_lines(self):
        def check(_, text):
            lines = text.splitlines()
            self.assertLess(10 * sum(line.lstrip().startswith("#") for line in lines), len(lines))

        folders = [path.name for path in (ROOT / "kernels").iterdir() if path.is_dir()]
        self.check_kernel_files(sorted(folders), check)

    def test_rooms_of_the_project_include_what_the_table_allows(self):
        done = script("check_includes")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def check_rooms(self, sees, files):
        """check_includes on three rooms: what each sees, and lines of files by their path in src/."""
        root = self.folder / "rooms"
        shutil.rmtree(root, ignore_errors=True)
        rooms = "".join(f'[[room]]\nname = "{name}"\nholds = "{name}"\nsees = {allowed}\n'
                        for name, allowed in sees.items())
        (root / "src").mkdir(parents=True)
        (root / "src" / "layers.toml").write_text(f'everywhere = ["base"]\npublic = []\n{rooms}')
        for path, lines in files.items():
            (root / "src" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "src" / path).write_text("".join(f'#include "{line}"\n' for line in lines))
        (root / "ARCHITECTURE.md").write_text("<!-- rooms -->\n<!-- end of rooms -->\n")
        script("check_includes", "--table", root)
        done = script("check_includes", root)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def test_rooms_that_include_what_they_may_not_are_found(self):
        sees = {"base": "[]", "mesh": "[]", "mesh/build": '["mesh"]'}
        files = {"base/a.h": [], "mesh/m.h": ["base/a.h"], "mesh/build/b.h": ["mesh/m.h"]}
        self.assertEqual(self.check_rooms(sees, files), [])
        wrong = {**files, "base/a.h": ["mesh/m.h"]}
        self.assertEqual(self.check_rooms(sees, wrong), ["src/base/a.h:1: base may not include mesh"])
        wrong = {**files, "mesh/m.h": ["mesh/build/b.h"]}
        self.assertEqual(self.check_rooms(sees, wrong), ["src/mesh/m.h:1: mesh may not include mesh/build"])
        wrong = {**files, "mesh/n.h": ["mesh/none.h", "weft/weft.h"]}
        self.assertEqual(self.check_rooms(sees, wrong), [
            'src/mesh/n.h:1: there is no "mesh/none.h" in src/',
            "src/mesh/n.h:2: mesh may not include the public headers"])

    def test_tables_of_rooms_that_are_not_true_are_found(self):
        files = {"base/a.h": [], "mesh/m.h": ["mesh/build/b.h"], "mesh/build/b.h": ["mesh/m.h"]}
        circle = {"base": "[]", "mesh": '["mesh/build"]', "mesh/build": '["mesh"]'}
        self.assertEqual(self.check_rooms(circle, files), [
            "src/layers.toml: mesh sees mesh/build, which does not stand before it"])
        files = {"base/a.h": [], "mesh/m.h": [], "mesh/build/b.h": []}
        vain = {"base": "[]", "mesh": "[]", "mesh/build": '["mesh"]', "form": "[]"}
        self.assertEqual(self.check_rooms(vain, files), [
            "src/layers.toml: mesh/build sees mesh in vain", "src/layers.toml: form has no files"])
        many = {"base/a.h": [], **{f"mesh/m{i}.h": [] for i in range(41)}}
        self.assertEqual(self.check_rooms({"base": "[]", "mesh": "[]"}, many),
                         ["src/mesh: 41 files, more than 40"])

    def test_unknown_package_group(self):
        done = script("packages", "list", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("build, run, mpi, hypre, direct, package, test", done.stderr)

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
        junit = (
            '<testsuite><testcase name="op.S" status="{}" time="9">'
            "<system-out>{}</system-out></testcase></testsuite>"
        )
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
