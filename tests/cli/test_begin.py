"""How a user begins: the cases that come with the program, a folder of one's own, completion in a shell."""

import re
import subprocess
import unittest

from weft_cli import PROGRAM, ROOT, WRONG_INPUT, CommandLineTest


class Begin(CommandLineTest):
    def test_all_cases_are_listed(self):
        listed = re.findall(r"^  (\w+)  ", self.weft("cases").stdout, re.MULTILINE)
        folders = sorted(case.parent.name for case in (ROOT / "cases").glob("*/case.toml"))
        self.assertEqual(sorted(listed), folders)

    def test_a_new_case_runs_as_it_is(self):
        made = self.weft("new", "plate")
        self.assertIn("weft run plate/case.toml", made.stdout)
        run = self.weft("run", "plate/case.toml")
        self.assertIn("T_max", run.stdout)

    def test_a_name_with_a_slash_at_its_end(self):
        self.assertIn("plate/case.toml", self.weft("new", "plate/").stdout)

    def test_a_case_of_the_gallery_comes_with_all_its_files(self):
        self.weft("new", "mine/sink", "--from", "heat_sink")
        for name in ("case.toml", "heat_sink.geo", "expect.toml"):
            self.assertEqual((self.folder / "mine/sink" / name).read_text(),
                             (ROOT / "cases/heat_sink" / name).read_text())

    def test_every_case_of_the_gallery_is_whole(self):
        for case in sorted((ROOT / "cases").glob("*/case.toml")):
            name = case.parent.name
            self.weft("new", name, "--from", name)
            self.weft("check", f"{name}/case.toml", "--stage", "form")

    def test_nothing_is_written_over(self):
        (self.folder / "plate").mkdir()
        self.write("plate/case.toml", "mine")
        run = self.weft("new", "plate", expect=WRONG_INPUT)
        self.assertIn("the folder is there already", run.stderr)
        self.assertEqual((self.folder / "plate/case.toml").read_text(), "mine")

    def test_without_a_verb_the_verbs_are_said(self):
        run = self.weft(expect=WRONG_INPUT)
        self.assertIn("new, cases, run, check, report", run.stderr)

    def test_an_unknown_case_is_refused_with_the_nearest(self):
        run = self.weft("new", "mine", "--from", "heat_sunk", expect=WRONG_INPUT)
        self.assertIn("did you mean heat_sink?", run.stderr)
        self.assertFalse((self.folder / "mine").exists())

    def complete(self, *words):
        (self.folder / "weft.bash").write_text(self.weft("completion", "bash").stdout)
        script = (f"source weft.bash; COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _weft; echo ${{COMPREPLY[@]}}")
        return subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True,
                              text=True, check=True).stdout.split()

    def test_a_shell_completes_verbs_and_options(self):
        self.assertEqual(self.complete("weft", "ru"), ["run"])
        self.assertEqual(self.complete("weft", "run", "case.toml", "--ou"), ["--out"])
        self.assertIn("info", self.complete("weft", "mesh", "''"))
        for shell in ("zsh", "fish"):
            self.assertIn("export-system", self.weft("completion", shell).stdout)

    def test_the_version_says_what_was_built(self):
        facts = self.weft("--version").stdout
        self.assertTrue(facts.startswith("weft "), facts)
        for fact in ("compiler", "hypre", "MUMPS"):
            self.assertIn(fact, facts)
        self.assertEqual(subprocess.run([PROGRAM, "--version"], capture_output=True, text=True,
                                        check=True).stdout, facts)


if __name__ == "__main__":
    unittest.main()
