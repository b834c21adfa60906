"""A geometry from a stranger runs no program, writes no file and holds nothing up; nor do folders and
pipes in the place of files."""

import os
import signal
import stat
import subprocess
import time
import unittest
from pathlib import Path

from weft_cli import (
    CASE,
    DONE,
    LONGEST_RUN_S,
    MESH,
    MESH_CASE,
    PROGRAM,
    SYSTEM_FAILED,
    WRONG_INPUT,
    CommandLineTest,
    replaced,
)

TRIANGLE = """\
Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {0, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 1};
Curve Loop(1) = {1, 2, 3};
Plane Surface(1) = {1};
Physical Surface("plate") = {1};
Physical Curve("left") = {3};
"""

GEO_CASE = MESH_CASE.replace("square.msh", "part.geo")
BOX = 'box = { origin = [0, 0], size = [1, 1], cells = [4, 4], cell = "triangle" }'


class GeometryTest(CommandLineTest):
    """A folder with a cache and a place of temporary files of its own."""

    def setUp(self):
        super().setUp()
        for name in ("cache", "tmp"):
            (self.folder / name).mkdir()
        self.env = {
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def info(self, *arguments, expect=DONE, env=None, file="part.geo"):
        return self.weft("mesh", "info", file, *arguments, expect=expect, env={**self.env, **(env or {})})

    def kept(self):
        return list((self.folder / "cache" / "weft" / "meshes").glob("*.msh"))

    def assert_nothing_left(self):
        """No half-made mesh in the cache, no scratch folder."""
        self.assertEqual(self.kept(), [])
        self.assertEqual(list((self.folder / "cache" / "weft").glob("scratch/*")), [])
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])


class NothingIsRun(GeometryTest):
    def test_commands_are_refused_by_name_and_line(self):
        marker = self.folder / "marker"
        self.write("bad.geo", f'SystemCall "touch {marker}";\n')
        self.write("bad.pos", f'View "a" {{ SP(0,0,0){{1}}; }};\nSystemCall "touch {marker}";\n')
        for line, named in (
            (f'SystemCall "touch {marker}";', "SystemCall"),
            (f'NonBlockingSystemCall "touch {marker}";', "NonBlockingSystemCall"),
            (f'OnelabRun("a", "touch {marker}");', "OnelabRun"),
            (f'Save "{marker}";', "Save"),
            (f'Printf("x") > "{marker}";', "Printf into a file"),
            (f'If (0)\nEndIf Printf("x") >> "{marker}";', "Printf into a file"),
            ('Merge StrCat("bad", ".geo");', "Merge with anything but one name"),
            (f'StringToName["SystemCall"] "touch {marker}";', "StringToName"),
            (f'Solver.Executable0 = "touch {marker}"; OnelabRun("x");', "Solver"),
            (f'If (0)\n a = "EndIf SystemCall \'touch {marker}\'; ";\nEndIf', "a word of its own"),
            ('Include "bad.geo";', "bad.geo:1: "),
            ('Merge "bad.pos";', "bad.pos:2: "),
        ):
            with self.subTest(line=line):
                self.write("part.geo", TRIANGLE + "\n" + line + "\n")
                done = self.info(expect=WRONG_INPUT)
                self.assert_error(done, named, "--trust", ".geo:" if "pos" not in named else ".pos:")
                self.assertFalse(marker.exists())
        self.assert_nothing_left()

    def test_verbs_look_too_and_trust_is_the_way(self):
        marker = self.folder / "marker"
        self.write("part.geo", TRIANGLE + f'SystemCall "touch {marker}";\n')
        self.write("case.toml", GEO_CASE + '\n[exact]\nu = "x"\n\n[verify]\nrefine = 2\n')
        for verb in ("run", "check", "verify", "explain"):
            done = self.weft(verb, "case.toml", env=self.env, expect=WRONG_INPUT)
            self.assert_error(done, "part.geo:11", "SystemCall")
        self.assertFalse(marker.exists())
        self.weft("check", "case.toml", "--stage", "mesh", "--trust", env=self.env)
        self.assertTrue(marker.exists())
        # What is kept of that does not spare a look.
        self.info(expect=WRONG_INPUT)

    def test_options_beside_a_geometry_are_not_read(self):
        marker = self.folder / "marker"
        self.write("part.geo", TRIANGLE)
        for name in ("part.geo.opt", ".gmshrc", ".gmsh-options", "home/.gmshrc"):
            (self.folder / "home").mkdir(exist_ok=True)
            self.write(name, f'SystemCall "touch {marker}";\n')
        done = self.info("-v", env={"HOME": str(self.folder / "home")})
        self.assert_error(done, "part.geo.opt is not read")
        self.assertRegex(done.stderr, "gmsh runs (confined by Landlock, version [1-9]|unconfined: this kernel has no)")
        self.assertFalse(marker.exists())


class TimeAndSpace(GeometryTest):
    def test_time_is_bounded_and_nothing_is_left(self):
        self.write("part.geo", TRIANGLE + "For i In {0:1e9}\n  x = i;\nEndFor\n")
        done = self.info("--mesh-timeout", "2", expect=SYSTEM_FAILED)
        self.assert_error(done, "part.geo", "did not finish in time", "2 s", "--mesh-timeout")
        self.assert_nothing_left()

    def test_what_gmsh_says_is_bounded(self):
        loop = 'For i In {0:20000}\n  Printf("%g and a long line", i);\nEndFor\n'
        self.write("part.geo", TRIANGLE + loop + "Point(1) = ;\n")
        done = self.info(expect=WRONG_INPUT)
        self.assert_error(done, "part.geo', line 14: syntax error")
        self.assertLess(len(done.stderr), 5000)
        self.assertNotIn("scratch", done.stderr)

    def test_gmsh_ends_with_the_program(self):
        self.write("part.geo", TRIANGLE + "For i In {0:1e9}\n  x = i;\nEndFor\n")
        program = subprocess.Popen(
            [PROGRAM, "mesh", "info", "part.geo"], cwd=self.folder, env={**os.environ, **self.env},
            stderr=subprocess.DEVNULL, start_new_session=True)
        mine = self.wait_for(lambda: [p for p in self.processes("gmsh")])
        program.send_signal(signal.SIGKILL)
        program.wait()
        self.wait_for(lambda: not self.processes("gmsh"))
        self.assertTrue(mine)
        self.assertEqual(self.kept(), [])
        # The next run removes the scratch folder.
        self.write("part.geo", TRIANGLE)
        self.info()
        self.assertEqual(list((self.folder / "cache/weft/scratch").iterdir()), [])

    def wait_for(self, answer):
        end = time.monotonic() + LONGEST_RUN_S
        while not (found := answer()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        return found

    def processes(self, name):
        """Numbers of the processes of that name that work in this test's folder."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "comm").read_text().strip() == name and str(self.folder) in os.readlink(folder / "cwd"):
                    found.append(int(folder.name))
            except OSError:
                pass
        return found


class KeptMeshes(GeometryTest):
    def test_damaged_ones_are_made_anew(self):
        self.write("part.geo", TRIANGLE)
        before = self.info().stdout
        (kept,) = self.kept()
        whole = kept.read_bytes()
        for damaged in (b"", whole[: len(whole) // 2], whole[:-1], whole + b"\n",
                        whole[:700] + bytes([whole[700] ^ 4]) + whole[701:]):
            kept.write_bytes(damaged)
            done = self.info()
            self.assertEqual(done.stdout, before)
            self.assertIn("meshing", done.stderr)
            self.assertEqual(kept.read_bytes(), whole)
        self.assertNotIn("meshing", self.info().stderr)
        self.assertIn("part", self.weft("cache", "ls", env=self.env).stdout)
        self.assertIn("0 kernels, 1 meshes", self.weft("cache", "ls", env=self.env).stdout)
        self.weft("cache", "clear", env=self.env)
        self.assertEqual(self.kept(), [])

    def test_without_a_home_nothing_lies_in_common_folders(self):
        self.write("part.geo", TRIANGLE)
        empty = {"XDG_CACHE_HOME": "", "HOME": ""}
        done = self.info(env=empty)
        self.assertEqual(done.stderr.count("for this run only: neither XDG_CACHE_HOME nor HOME"), 1)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_a_cache_that_others_may_write_is_not_used(self):
        self.write("part.geo", TRIANGLE)
        self.info()
        (self.folder / "cache" / "weft").chmod(0o777)
        done = self.info()
        self.assert_error(done, "for this run only", "lets others write", "meshing")
        self.assertEqual(stat.S_IMODE((self.folder / "cache" / "weft").stat().st_mode), 0o777)


class WhatIsNoFile(GeometryTest):
    def test_pipes_devices_and_folders_are_refused_at_once(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "folder.msh").mkdir()
        for name in ("pipe.msh", "pipe.geo", "pipe.step"):
            os.symlink("pipe", self.folder / name)
        os.symlink("/dev/zero", self.folder / "zero.geo")
        self.write("square.msh", MESH)
        self.write("case.toml", MESH_CASE)
        physics = replaced(CASE, "[mesh]", 'physics = ["./pipe"]\n\n[mesh]')
        self.write("physics.toml", physics)
        for arguments, found in (
            (("mesh", "info", "pipe.msh"), "a pipe"),
            (("mesh", "info", "pipe.geo"), "a pipe"),
            (("mesh", "info", "pipe.step"), "a pipe"),
            (("mesh", "info", "zero.geo"), "a device"),
            (("mesh", "info", "folder.msh"), "a folder"),
            (("run", "pipe"), "a pipe"),
            (("run", "physics.toml"), "a pipe"),
            (("run", "case.toml", "--set", 'mesh.file="pipe.msh"'), "a pipe"),
            (("run", "case.toml", "--variants", "pipe"), "a pipe"),
            (("tuned", "import", "pipe"), "a pipe"),
        ):
            with self.subTest(arguments=arguments):
                done = self.weft(*arguments, expect=WRONG_INPUT, env=self.env)
                self.assert_error(done, "is not a file", found)

    def test_a_restart_from_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        text = replaced(CASE, "[solver]", "[time]\nend = 1.0\nstep = 0.5\n\n[solver]")
        done = self.run_case(replaced(text, "- f*test(u)", "+ dt(u)*test(u) - f*test(u)"),
                             "--restart", "pipe", expect=WRONG_INPUT, env=self.env)
        self.assert_error(done, "is not a file", "a pipe")


class OutputFolders(GeometryTest):
    def test_a_case_writes_below_its_folder_or_the_working_folder(self):
        elsewhere = self.folder / "elsewhere"
        cases = self.folder / "cases"
        cases.mkdir()
        (self.folder / "work").mkdir()
        os.symlink(elsewhere, cases / "link")

        def run(directory, *arguments, expect=DONE):
            text = CASE + f'\n[output]\ndirectory = "{directory}"\n'
            self.write("cases/case.toml", text)
            return subprocess.run(
                [PROGRAM, "run", "../cases/case.toml", *arguments], cwd=self.folder / "work",
                env={**os.environ, **self.env}, capture_output=True, text=True, timeout=LONGEST_RUN_S)

        elsewhere.mkdir()
        line = CASE.count("\n") + 3
        for directory in (str(elsewhere), "../elsewhere", "link", "link/deeper", "../cases2"):
            with self.subTest(directory=directory):
                done = run(directory)
                self.assertEqual(done.returncode, WRONG_INPUT, done.stderr)
                self.assert_error(done, f"case.toml:{line}: [output] directory", str(cases), "--out", "--trust")
                self.assertEqual(list(elsewhere.iterdir()), [])
        self.assertFalse((self.folder / "cases2").exists())
        self.assertEqual(run("../work/results").returncode, DONE)
        self.assertTrue((self.folder / "work" / "results" / "results.json").exists())
        # A link in the folder of results would lead out of it.
        (cases / "out").mkdir()
        target = self.write("elsewhere/target", "kept")
        os.symlink(target, cases / "out" / "results.json")
        done = run("out")
        self.assertEqual(done.returncode, WRONG_INPUT, done.stderr)
        self.assert_error(done, "a link that leads elsewhere", "results.json")
        self.assertEqual(target.read_text(), "kept")
        # The user may.
        self.assertEqual(run("../elsewhere", "--out", str(elsewhere / "a")).returncode, DONE)
        self.assertEqual(run("x", "--set", f'output.directory="{elsewhere}/b"').returncode, DONE)
        self.assertEqual(run("../elsewhere/c", "--trust").returncode, DONE)
        for name in "abc":
            self.assertTrue((elsewhere / name / "results.json").exists(), name)


if __name__ == "__main__":
    unittest.main()
