"""A file from a stranger runs no code of its own; --trust and the user's settings are the only way."""

import os
import time
import unittest

from weft_cli import CASE, SYSTEM_FAILED, WRONG_INPUT, CommandLineTest, line_of, replaced

SECRET = "secret-7f3a"

# f1 of CASE in C; f0 is what a test puts there.
C_CASE = replaced(
    CASE,
    '[weak_form]\ncells.all = "inner(grad(u), grad(test(u))) - f*test(u)"\n',
    """[pointwise.u]
language = "c"
f1 = "f1[0] = grad_u[0]; f1[1] = grad_u[1];"
f0 = '''
f0 = -f;
FOREIGN'''
""",
)

# Ways to run other code from C text, and what the message says of them.
C_TEXTS = {
    "inline assembly": ('asm volatile("nop");', "assembly"),
    "assembly of compilers": ('__asm__("nop");', "compilers"),
    "include": ('#include "secret.txt"', "preprocessor"),
    "include by a digraph": ('%:include "secret.txt"', "digraph"),
    "include by a trigraph": ('??=include "secret.txt"', "trigraph"),
    "include over a continued line": ('#inc\\\nlude "secret.txt"', "preprocessor"),
    "a comment that a continued line would end": ('// \\\n#include "secret.txt"', "comment"),
    "pragma": ("#pragma OPENCL EXTENSION all : enable", "preprocessor"),
    "pragma as an operator": ('_Pragma("clang diagnostic ignored")', "compilers"),
    "macro": ("#define f while (1)", "preprocessor"),
    "write through a pointer": ("*(double *)8 = 1;", "statement"),
    "pointer": ("real *p = &f0; p[1 << 20] = 1;", "address"),
    "write past the end": ("real a[2]; a[1000000] = 1;", "outside"),
    "call of an address": ("f0 = ((real (*)(real))4096)(1);", "expected"),
    "call of a function": ("f0 = printf(1);", "may not call"),
    "a function behind a brace": ("} kernel void other() {", "OpenCL"),
    "a brace that closes too much": ("}\nf0 = 1; {", "closes nothing"),
    "a loop without end": ("while (1) f0 += 1;", "not counted"),
    "a loop that takes years": ("for (int i = 0; i < 2000000000; ++i) f0 += 1;", "too long"),
    "names of the kernel": ("weft_out[100000] = 1;", "belongs to Weft"),
    "goto": ("again: goto again;", "jump"),
}


class TrustTest(CommandLineTest):
    """What the tests of trust share: a secret, the user's settings, and that a run leaves nothing."""

    def setUp(self):
        super().setUp()
        self.write("secret.txt", SECRET + "\n")

    def write_settings(self, text):
        (self.folder / "config" / "weft").mkdir(parents=True, exist_ok=True)
        return self.write("config/weft/config.toml", text)

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def assert_refused(self, *arguments, says=(), **options):
        """Wrong input: no file is read into the message, and none is written."""
        before = self.files()
        done = self.weft(*arguments, expect=WRONG_INPUT, **options)
        self.assert_error(done, *says)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertNotIn("internal error", done.stderr)
        self.assertEqual(self.files(), before)
        return done


class TrustIsTheUsers(TrustTest):
    def test_verbs_that_read_files_take_it(self):
        verbs = ["run", "check", "explain", "tune", "verify", "mesh info", "mesh blocks"]
        verbs += [f"bench {part}" for part in ("residual", "search", "spmv", "dg", "fv")]
        for verb in verbs:
            with self.subTest(verb=verb):
                self.assertIn("--trust", self.weft(*verb.split(), "--help").stdout)

    def test_a_case_cannot_say_it(self):
        for text, arguments in (
            ("trust = true\n" + CASE, ()),
            (CASE + "[user]\ntrust = true\n", ()),
            (CASE, ("--set", "trust=true")),
            (CASE, ("--set", "mesh.trust=true")),
        ):
            with self.subTest(arguments=arguments):
                self.assert_error(self.run_case(text, *arguments, expect=WRONG_INPUT), "unknown")

    def test_settings_are_checked(self):
        settings = self.write_settings("# mine\ntrusted = true\n")
        done = self.run_case(expect=WRONG_INPUT)
        self.assert_error(done, f"{settings}:2: trusted", '"trust"')

    def test_settings_that_others_may_write_are_not_believed(self):
        settings = self.write_settings("trusted = true\n")  # would be an error
        for path, mode in ((settings, 0o666), (settings.parent, 0o777)):
            with self.subTest(path=path.name):
                usual = path.stat().st_mode
                os.chmod(path, mode)
                self.write("case.toml", CASE)
                done = self.weft("check", "case.toml", "--stage", "mesh")
                self.assert_error(done, "not read", str(path))
                os.chmod(path, usual)


class CTextFromAStranger(TrustTest):
    def test_ways_to_other_code_are_refused_with_their_line(self):
        for name, (text, says) in C_TEXTS.items():
            with self.subTest(name):
                case = replaced(C_CASE, "FOREIGN", text)
                self.write("case.toml", case)
                # Where it is found: what a line of the text holds, or the one after it.
                lines = {line_of(case, text) + i for i in range(text.count("\n") + 1)}
                done = self.assert_refused("run", "case.toml", "--out", "out", says=[says, "--trust"])
                self.assertTrue(
                    any(f"case.toml:{line}: [pointwise] u.f0" in done.stderr for line in lines), done.stderr
                )

    def test_no_verb_and_no_setting_takes_them(self):
        text, says = C_TEXTS["inline assembly"]
        self.write("case.toml", replaced(C_CASE, "FOREIGN", text))
        for verb in ("check", "explain", "tune", "verify"):
            with self.subTest(verb=verb):
                self.assert_refused(verb, "case.toml", says=[] if verb == "verify" else [says])
        self.assert_refused("check", "case.toml", "--stage", "form", says=[says])
        self.write("case.toml", replaced(C_CASE, "FOREIGN", ""))
        self.assert_refused("check", "case.toml", "--set", f"pointwise.u.f0={text}", says=[says])

    def test_physics_files_are_no_way_around(self):
        text, says = C_TEXTS["include"]
        (self.folder / "other").mkdir()
        equations = C_CASE[C_CASE.index("[pointwise.u]") : C_CASE.index("[dirichlet]")]
        self.write("other/heat.toml", replaced(equations, "FOREIGN", text))
        case = CASE.replace('[weak_form]\ncells.all = "inner(grad(u), grad(test(u))) - f*test(u)"\n', "")
        self.write("case.toml", 'physics = ["other/heat.toml"]\n' + case)
        self.assert_refused("run", "case.toml", says=["heat.toml:", says])

    def test_names_bring_no_text_into_a_kernel(self):
        include = '\\n#include \\"secret.txt\\"\\n'
        for name, case in {
            "parameter": CASE.replace("f = 1.0", f'"f{include}" = 1.0'),
            "field": CASE.replace('u = { element = "P1" }', f'"u{include}" = {{ element = "P1" }}'),
            "field of C text": replaced(C_CASE, "FOREIGN", "").replace(
                "[pointwise.u]", f'[pointwise."u{include}"]'
            ),
            "definition": CASE + f'[definitions]\n"d{include}" = "1"\n',
        }.items():
            with self.subTest(name):
                self.write("case.toml", case)
                self.assert_refused("check", "case.toml")

    def test_titles_groups_and_file_names_bring_no_text_into_a_kernel(self):
        include = '#include "secret.txt"'
        (self.folder / "a*").mkdir()
        file = self.folder / "a*" / "\n#include .toml"
        for text in (C_CASE.replace("FOREIGN", ""), CASE):
            text = replaced(text, 'title = "Small"', f"title = '''a\n{include}'''")
            file.write_text(text + '[functionals."*/ #include"]\nmaximum = "u"\n')
            source = self.weft("check", file, "--stage", "source").stdout
            self.assertIn("WEFT_KERNEL", source)
            self.assertNotIn("#include", source)
            self.assertNotIn("*/\n", source)

    def test_trust_is_the_only_way(self):
        # What the subset lacks: a macro, a pointer and a loop of another kind.
        foreign = "#define half_of(x) ((x)/2)\nreal *p = &f0; do *p += half_of(0); while (*p > 1e9);"
        self.write("case.toml", replaced(C_CASE, "FOREIGN", foreign))
        self.assert_refused("check", "case.toml", says=["--trust"])
        self.weft("run", "case.toml", "--out", "out", "--trust")
        mean = self.results()["functionals"]["mean"]
        self.write_settings("trust = true\n")
        self.weft("run", "case.toml", "--out", "settings")
        self.write("case.toml", replaced(C_CASE, "FOREIGN", ""))
        self.weft("run", "case.toml", "--out", "subset")
        for other in ("settings", "subset"):
            self.assertIn(repr(mean), (self.folder / other / "results.json").read_text())


class KernelsThatDoNotComeBack(TrustTest):
    CASE = replaced(C_CASE, "FOREIGN", "volatile int forever = CONDITION; while (forever) ;")

    def run_for_ever(self, text):
        begin = time.monotonic()
        done = self.run_case(text, "--trust", "--kernel-timeout", "2", expect=SYSTEM_FAILED)
        self.assert_error(done, "does not come back", "case.toml", "--kernel-timeout")
        self.assertGreater(time.monotonic() - begin, 2)
        results = self.results()
        self.assertEqual(results["outcome"]["exit_code"], SYSTEM_FAILED)
        self.assertIn("does not come back", results["outcome"]["failures"][0])
        self.assertFalse(results["solver"]["converged"])
        return results

    def test_a_stationary_run_ends_and_says_why(self):
        self.run_for_ever(self.CASE.replace("CONDITION", "1"))

    def test_a_run_in_time_leaves_its_rows(self):
        text = self.CASE.replace("CONDITION", "t > 0.35").replace("boundary = {", "x0 = {")
        text += '[weak_form]\nfacets.x1 = "dt(u)*test(u)"\n[time]\nend = 1.0\nstep = 0.1\n'
        results = self.run_for_ever(text)
        self.assertAlmostEqual(results["time"]["end"], 0.3, delta=1e-9)
        rows = (self.folder / "out" / "functionals.csv").read_text().splitlines()
        self.assertEqual([round(float(row.split(",")[0]), 6) for row in rows[1:]], [0, 0.1, 0.2, 0.3])
        mean = results["functionals"]["mean"]
        self.assertAlmostEqual(mean, float(rows[-1].split(",")[1]), delta=1e-12)


if __name__ == "__main__":
    unittest.main()
