"""A file from a stranger runs no code of its own; --trust and the user's settings are the only way."""

import os
import unittest

from weft_cli import CASE, WRONG_INPUT, CommandLineTest


class TrustTest(CommandLineTest):
    """What the tests of trust share: the user's settings."""

    def write_settings(self, text):
        (self.folder / "config" / "weft").mkdir(parents=True, exist_ok=True)
        return self.write("config/weft/config.toml", text)


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


if __name__ == "__main__":
    unittest.main()
