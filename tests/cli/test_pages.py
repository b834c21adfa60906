"""docs/tutorial and docs/guide: every command of their pages does what the page shows.

What a page may hold, for this test:

- A line that holds only `NAME` in backticks and a colon, then a fenced block: the file NAME, written
  into the test's folder.
- The same with `NAME`, line N: the block's one line takes the place of line N.
- The same with "From" before it: a part of a file that is there, whose lines it has in that order.
- A block ```console: lines that begin with a program's name (see COMMAND) are commands, run in order
  in one folder for each page; what follows each is its output. `echo $?` gives the exit code of the
  command before it. Every line shown must be among the output's, as shown_output.py compares them
  (what goes to the error stream first). A line of only `...` says that lines are left out.
- Blocks ```python without a name are one program, run once for the page; a block ```text behind one is
  what it prints.
- A command that shows a line "error: ..." must fail, any other must not.
- Folders of cases/ and examples/ that a page names are copied, and python/examples.
"""

import os
import re
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

from shown_output import check_shown, lines_shown, missing_line, same_line
from test_tune import machine_figures
from weft_cli import BUILD_DIR, DONE, LONGEST_RUN_S, PROGRAM, ROOT, CommandLineTest, extended, replaced

FILE = re.compile(r"^`([\w./]+)`(?:, line (\d+))?:$")
COMMAND = re.compile(r"(weft|mpirun|cmake|python3|ls|head|echo) |build/\w+( |$)")
PART = re.compile(r"^From `([\w./]+)`:$")

# A page that is right: of two commands one fails, and works when a line is changed.
PAGE = """\
`small.toml`:

```toml
[mesh]
box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }

[fields]
u = { element = "P1" }

[weak_form]
cells.all = "inner(grad(u), grad(test(u))) - f*test(u)"
[dirichlet]
boundary = { u = 0 }
[parameters]
g = 1.0
[functionals]
mean = { average = "u" }
```

```console
weft run small.toml
error: small.toml:8: ... unknown name `f`
echo $?
2
```

`small.toml`, line 12:

```toml
f = 1.0
```

```console
weft run small.toml
converged, ...
  mean = 0.0288086
weft check small.toml
...
```

From `small.toml`:

```toml
[dirichlet]
...
f = 1.0
```
"""


def blocks(page):
    """(kind, text line before, text) of each fenced block."""
    lines = page.splitlines()
    before, found, i = "", [], 0
    while i < len(lines):
        if lines[i].startswith("```"):
            end = next((j for j in range(i + 1, len(lines)) if lines[j] == "```"), None)
            assert end is not None, f"the block of line {i + 1} does not end"
            found.append((lines[i][3:].strip(), before, "\n".join(lines[i + 1 : end]) + "\n"))
            before, i = "", end
        elif lines[i].strip():
            before = lines[i]
        i += 1
    return found


def commands(text):
    """(command, lines shown) of a console block."""
    found = []
    for line in text.splitlines():
        if COMMAND.match(line):
            found.append((line, []))
        elif line.strip() not in ("", "..."):
            assert found, f"no command before {line!r}"
            found[-1][1].append(line)
    return found


class PageTest(CommandLineTest):
    """Does what a page says."""

    def follow(self, name, env=None):
        """`name`: of a page in FOLDER."""
        self.follow_text((self.FOLDER / f"{name}.md").read_text(), env)

    def follow_text(self, page, env=None):
        for folder in set(re.findall(r"(?<!\.)\b(?:(?:cases|examples)/\w+|python/examples)(?=/)", page)):
            shutil.copytree(ROOT / folder, self.folder / folder,
                            ignore=shutil.ignore_patterns("out"), dirs_exist_ok=True)
        self.exit_code = None
        program = []  # [code, lines shown] of Python
        for kind, before, text in blocks(page):
            named, part = FILE.match(before), PART.match(before)
            if part:
                self.check_part(part[1], text)
            elif named:
                self.put(named[1], named[2], text)
            elif kind == "python":
                program.append([text, []])
            elif kind == "text" and program:
                program[-1][1] += lines_shown(text)
            elif kind == "console":
                for command, shown in commands(text):
                    self.follow_command(command, shown, env)
            self.assertFalse(kind == "toml" and not named and not part, f"a case without a name:\n{text}")
        if program:
            self.follow_program(program, env)
        self.assertIsNotNone(self.exit_code, "the page has no command")

    def follow_program(self, blocks, env):
        end = "=== end of block"
        self.write("page.py", "".join(f"{code}\nprint({end!r}, flush=True)\n" for code, _ in blocks))
        done = subprocess.run([os.environ["WEFT_PYTHON"], "page.py"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.environ["WEFT_PYTHON_PATH"], **(env or {})},
                              timeout=LONGEST_RUN_S)  # fmt: skip
        self.exit_code = done.returncode
        self.assertEqual(done.returncode, DONE, f"{done.stdout}\n{done.stderr}")
        for (code, shown), output in zip(blocks, done.stdout.split(end)):
            with self.subTest(code=code):
                check_shown(self, code, shown, output)

    def put(self, file, line, text):
        """Writes the file, or the line of it that the text replaces."""
        if line:
            lines = (self.folder / file).read_text().splitlines(keepends=True)
            self.assertEqual(text.count("\n"), 1, f"{file}, line {line}: one line takes its place")
            lines[int(line) - 1] = text
            text = "".join(lines)
        self.write(file, text)

    def check_part(self, file, text):
        lines = (line.strip() for line in (self.folder / file).read_text().splitlines())
        for shown in text.splitlines():
            if shown.strip() not in ("", "..."):
                self.assertTrue(any(line == shown.strip() for line in lines), f"{file} has no such line there: {shown}")

    def output_of(self, command, env):
        """What the command prints; its exit code is kept."""
        if command == "echo $?":
            return f"{self.exit_code}\n"
        words = shlex.split(command)
        if words[0] == "weft":
            done = self.weft(*words[1:], env=env, expect=None)
        else:
            # Tests may run as root, on any number of cores.
            env = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", **os.environ, **(env or {})}  # fmt: skip
            words = [str(PROGRAM) if word == "weft" else word for word in words]
            done = subprocess.run(words, cwd=self.folder, env=env, capture_output=True, text=True,
                                  timeout=LONGEST_RUN_S)
        self.exit_code = done.returncode
        return done.stderr + done.stdout

    def follow_command(self, command, shown, env):
        fails = any(line.startswith("error: ") for line in shown)
        with self.subTest(command=command):
            output = self.output_of(command, env)
            if command != "echo $?":
                self.assertEqual(self.exit_code != DONE, fails, f"{command}\n{output}")
            check_shown(self, command, shown, output)

    def follow_page(self):
        """The page of class Comparison."""
        self.follow_text(self.page)

    def machine_of_its_own(self):
        """Environment with tuning results of its own: what is measured once is taken from where tests keep it."""
        env = {"XDG_DATA_HOME": str(self.folder / "data")}
        self.write("figures.txt", machine_figures())
        self.weft("tuned", "import", "figures.txt", env=env)
        return env


class Tutorial(PageTest):
    FOLDER = ROOT / "docs" / "tutorial"

    def test_first_case(self):
        self.follow("first_case")

    @extended
    def test_geometry(self):
        self.follow("geometry")

    @extended
    def test_time_and_nonlinear(self):
        self.follow("time_and_nonlinear")

    @extended
    def test_several_fields(self):
        self.follow("several_fields")

    @extended
    def test_conservation_laws(self):
        self.follow("conservation_laws")

    @extended
    def test_speed(self):
        self.follow("speed", self.machine_of_its_own())


class Guide(PageTest):
    FOLDER = ROOT / "docs" / "guide"

    @extended
    def test_boundary_conditions(self):
        self.follow("boundary_conditions")

    def test_bounds(self):
        self.follow("bounds")

    def test_whole_domain(self):
        self.follow("whole_domain")

    def test_field_regions(self):
        self.follow("field_regions")

    @extended
    def test_meshes(self):
        self.follow("meshes")

    def test_interior_facets(self):
        self.follow("interior_facets")

    @extended
    def test_solvers(self):
        self.follow("solvers")

    @unittest.skipUnless(shutil.which("mpirun") and (BUILD_DIR / "libweft_mpi.so").exists(),
                         "SKIPPED: the module of MPI was not built")
    @extended
    def test_clusters(self):
        self.follow("clusters")

    @extended
    def test_devices(self):
        self.follow("devices", self.machine_of_its_own())

    @extended
    def test_output_and_restart(self):
        self.follow("output_and_restart")

    @extended
    def test_stages(self):
        self.follow("stages")

    def test_sweeps(self):
        self.follow("sweeps")

    @extended
    def test_accuracy(self):
        self.follow("accuracy")

    def test_errors(self):
        self.follow("errors")

    def test_explicit_terms(self):
        self.follow("explicit_terms")

    def installed(self):
        """Environment in which another project finds Weft."""
        prefix = self.folder / "prefix"
        subprocess.run(["cmake", "--install", BUILD_DIR, "--prefix", prefix], check=True, capture_output=True)
        return {"CMAKE_PREFIX_PATH": str(prefix)}

    def test_cpp(self):
        self.follow("cpp", self.installed())

    @unittest.skipUnless(os.environ.get("WEFT_PETSC_PROGRAM"), "SKIPPED: PETSc is not installed")
    @unittest.skipUnless(os.environ.get("WEFT_PETSC_PYTHON"), "SKIPPED: petsc4py is not installed")
    def test_petsc(self):
        folder = Path(os.environ["WEFT_PETSC_PYTHON"]).parent  # of its python3
        python = {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(BUILD_DIR / "weft_python")}
        self.follow("petsc", {**self.installed(), **python})

    @unittest.skipUnless("WEFT_PYTHON" in os.environ, "SKIPPED: the Python package was not built")
    def test_python(self):
        self.follow("python")

    def test_multigrid_for_your_matrix(self):
        self.follow("multigrid_for_your_matrix", self.installed())


class Index(unittest.TestCase):
    def test_every_page_is_in_the_index_and_has_a_test(self):
        for pages in (Tutorial, Guide):
            names = sorted(page.stem for page in pages.FOLDER.glob("*.md") if page.stem != "README")
            index = (pages.FOLDER / "README.md").read_text()
            self.assertEqual(sorted(re.findall(r"^\| \[.+\]\((\w+)\.md\)", index, re.MULTILINE)), names)
            for name in names:
                self.assertTrue(hasattr(pages, f"test_{name}"), name)


class Comparison(CommandLineTest):
    """What a page shows wrongly is found."""

    OUTPUT = "notice: a (5572)\n203 856 cells on a-cpu 3.0\n  T_max = 316.479712\n0.69 s: mesh 0.19\n"

    def test_lines_that_are_there(self):
        shown = ["203 856 cells on ...", "  T_max  =  316.4797", "... s: mesh ..."]
        self.assertIsNone(missing_line(shown, self.OUTPUT))

    def test_lines_that_are_not_there(self):
        for line in ("  T_max = 316.9", "  T_max = -316.4797", "  T_min = 316.479712", "T_max = 316.479712 K",
                     "T_max =", "203 857 cells on ...", "203 856 cells on a-gpu 3.0", "... s: solve ...",
                     "notice: a (0)"):
            with self.subTest(line=line):
                self.assertEqual(missing_line([line], self.OUTPUT), line)

    def test_lines_in_another_order(self):
        self.assertEqual(missing_line(["  T_max = 316.479712", "notice: a (5572)"], self.OUTPUT), "notice: a (5572)")

    def test_numbers_in_names_are_no_numbers(self):
        self.assertFalse(same_line("P1, x0: f32", "P1, x0: f64"))
        self.assertTrue(same_line("h = [0.1, 2e-3]", "h = [0.10001, 0.002]"))

    def failing(self, page):
        """What fails where the page is followed."""
        result = unittest.TestResult()
        test = PageTest("follow_page")
        test.page = page
        test.run(result)
        self.assertEqual(result.testsRun, 1)
        return len(result.failures) + len(result.errors)

    @unittest.skipUnless("WEFT_PYTHON" in os.environ, "SKIPPED: the Python package was not built")
    def test_wrong_programs_are_found(self):
        good = "```python\nx = 2\n```\n\n```python\nprint(f'{x + x} of 4')\n```\n\n```text\n4 of 4\n```\n"
        self.assertEqual(self.failing(good), 0)
        for old, new in (("x = 2", "x = 3"), ("\n4 of 4", "\n5 of 4"), ("x = 2", "y = 2"), ("\n4 of 4", "\n4 of 4\n4")):
            with self.subTest(new=new):
                self.assertGreater(self.failing(replaced(good, old, new)), 0)

    def test_wrong_pages_are_found(self):
        good = PAGE
        self.assertEqual(self.failing(good), 0)
        for old, new in (
            ("mean = 0.0288086", "mean = 0.0314"),               # a number
            ("converged, ...", "diverged, ..."),                 # a word
            ("error: small.toml", "notice: small.toml"),         # a command that fails
            ("weft check small.toml\n", "weft check small.toml\nerror: ...\n"),  # one that does not
            ("`small.toml`, line 12:", "`small.toml`, line 11:"),  # a change elsewhere
            ("`small.toml`:\n\n```toml\n[mesh]", "small.toml:\n\n```toml\n[mesh]"),  # a case without a name
            ("...\nf = 1.0", "...\nf = 2.0"),                    # a part that is not there
            ("echo $?\n2", "echo $?\n1"),                        # an exit code
        ):
            with self.subTest(new=new):
                self.assertGreater(self.failing(replaced(good, old, new)), 0)


if __name__ == "__main__":
    unittest.main()
