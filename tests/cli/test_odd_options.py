"""Options and settings that nobody means: each is refused with its name, what it takes, and exit code 2."""

import os
import subprocess
import unittest

from weft_cli import CASE, LONGEST_RUN_S, PROGRAM, WRONG_INPUT, CommandLineTest, line_of, replaced


class OddOptions(CommandLineTest):
    def check(self, text, *arguments, expect=WRONG_INPUT, stage="form"):
        self.write("case.toml", text)
        return self.weft("check", "case.toml", "--stage", stage, *arguments, expect=expect)

    def test_settings_without_a_key(self):
        for setting in ("#=1", " #a=1", "=", "", "a.=1", "[a]=1", "solver.tolerance", "\x01=1"):
            with self.subTest(setting=setting):
                self.assert_error(self.check(CASE, "--set", setting), "--set", "table.key=value")

    def test_settings_bring_no_further_keys(self):
        setting = "solver.newton.tolerance=1e-3\nsolver.newton.max_iterations=7"
        self.assert_error(self.check(CASE, "--set", setting), "--set solver.newton.tolerance", "wrong type")

    def test_settings_of_a_hundred_kilobytes(self):
        for setting in ("parameters.f=" + "[" * 100_000, ".".join(["a"] * 50_000) + "=1"):
            done = self.check(CASE, "--set", setting)
            self.assert_error(done, "--set", " ...")
            self.assertLess(len(done.stderr), 2000)

    def test_threads(self):
        most = f"0 to {os.cpu_count()}" if os.cpu_count() else "0 to"
        for threads in ("2000000000", "-1", "99999999999999", "1.5", "all", ""):
            with self.subTest(threads=threads):
                done = self.run_case(CASE, "--threads", threads, expect=WRONG_INPUT)
                self.assert_error(done, "--threads", "allowed: a whole number", most)
        text = CASE + "\n[device]\nthreads = 2000000000\n"
        done = self.run_case(text, expect=WRONG_INPUT)
        self.assert_error(done, f"case.toml:{line_of(text, 'threads')}: [device] threads", "2000000000", "0 (all) to")
        done = self.run_case(CASE, "--set", "device.threads=2000000000", expect=WRONG_INPUT)
        self.assert_error(done, "--set device.threads=2000000000: [device] threads")

    def test_budgets(self):
        done = self.run_case(CASE, "--budget", "-3", expect=WRONG_INPUT)
        self.assert_error(done, "--budget", "allowed: a number, at least 0")

    def test_a_device_that_is_not_there_names_its_line(self):
        text = CASE + '\n[device]\nname = "abacus"\n'
        done = self.run_case(text, expect=3)
        self.assert_error(done, f"case.toml:{line_of(text, 'abacus')}: [device] name", "abacus", "opencl:0")

    def test_folders_without_a_name(self):
        text = CASE + '\n[output]\ndirectory = ""\n'
        self.write("case.toml", text)
        done = self.weft("run", "case.toml", expect=WRONG_INPUT)
        self.assert_error(done, f"case.toml:{line_of(text, 'directory')}: [output] directory")
        self.assert_error(self.weft("run", "case.toml", "--out", "", expect=WRONG_INPUT), "--out")

    def test_arguments_do_not_steer_the_terminal(self):
        done = self.weft("\x1b[2Jrun", expect=WRONG_INPUT)
        self.assert_error(done, "\\x1b[2Jrun")
        self.assertNotIn("\x1b", done.stderr)

    def test_unknown_options_and_arguments(self):
        self.write("case.toml", CASE)
        for arguments, found, remedy in [
            (["run", "case.toml", "--output", "d"], "weft run: unknown option --output", "did you mean --out?"),
            (["run", "-o", "d", "case.toml"], "weft run: unknown option -o", "did you mean --out?"),
            (["run", "--thread=1", "case.toml"], "weft run: unknown option --thread", "did you mean --threads?"),
            (["mesh", "blocks", "a.msh", "--siz", "3"], "weft mesh blocks: unknown option --siz",
             "did you mean --size?"),
            (["run", "case.toml", "--qwertz"], "weft run: unknown option --qwertz", "see weft run --help"),
        ]:  # fmt: skip
            with self.subTest(arguments=arguments):
                self.assert_error(self.weft(*arguments, expect=WRONG_INPUT), found, "allowed: --help", remedy)
        for arguments, word in [(["run", "case.toml", "d"], "d"), (["check", "case.toml", "--=3"], "--=3")]:
            with self.subTest(arguments=arguments):
                done = self.weft(*arguments, expect=WRONG_INPUT)
                self.assert_error(done, f'unexpected argument "{word}"', f"see weft {arguments[0]} --help")

    def test_nested_variants(self):
        self.write("old.json", '{"variants": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}")
        done = self.run_case(CASE, "--variants", "old.json", expect=WRONG_INPUT)
        self.assert_error(done, "old.json", "nested in more than")

    def test_a_nul_does_not_cut_a_message(self):
        text = replaced(CASE, "f = 1.0", 'f = 1.0\n"a\\u0000b" = 2.0')
        done = self.check(text)
        line = line_of(text, "u0000b")
        self.assert_error(done, f"case.toml:{line}: [parameters] a\\x00b", "allowed:")

    def test_definitions_in_a_circle_that_nothing_uses(self):
        text = replaced(CASE, "f = 1.0", 'f = 1.0\na = "b"\nb = "2*a"')
        self.assert_error(self.check(text), f"case.toml:{line_of(text, 'a = ')}: [parameters] a", "a -> b -> a")

    def test_quadrature_of_high_powers(self):
        for power in ("100", "1e30"):
            text = replaced(CASE, "- f*test(u)", f"- x^{power}*test(u)")
            done = self.check(text, expect=0, stage="space")
            self.assertIn("quadrature of degree 8 in cells", done.stdout)
            degree = "101" if power == "100" else "1000000 or more"
            place = f"notice: case.toml:{line_of(text, 'x^')}: [weak_form] cells.all: "
            self.assert_error(done, place, "a quadrature of degree 8", f"counts as degree {degree}")
        text = CASE + 'low = { integral = "x" }\nhigh = { integral = "x^40" }\nhigher = { average = "u*x^50" }\n'
        self.assert_error(self.check(text, expect=0), "[functionals] high, higher: ", "counts as degree 51")
        self.assertEqual(self.check(CASE, "-q", expect=0, stage="space").stderr, "")

    def test_a_file_whose_name_is_no_text(self):
        name = b"caf\xe9.toml"
        try:
            (self.folder / os.fsdecode(name)).write_text(CASE)
        except OSError as refused:
            self.skipTest(f"SKIPPED: the file system takes no such name: {refused}")
        command = [os.fsencode(PROGRAM), b"run", name, b"--out", b"out"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=LONGEST_RUN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results()["case"], "caf\N{REPLACEMENT CHARACTER}.toml")


if __name__ == "__main__":
    unittest.main()
