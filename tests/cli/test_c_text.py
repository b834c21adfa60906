"""Pointwise functions as C text give what the same expressions give."""

import re
import unittest

from weft_cli import CASE, ROOT, WRONG_INPUT, CommandLineTest, line_of, replaced

C_CASE = replaced(
    CASE,
    '[weak_form]\ncells.all = "inner(grad(u), grad(test(u))) - f*test(u)"\n',
    '''[pointwise.u]
language = "c"
f0 = "f0 = -f;"
f1 = """
for (int d = 0; d < dim; ++d)
  f1[d] = grad_u[d];
"""
''',
)


class CText(CommandLineTest):
    def mean(self):
        return self.results()["functionals"]["mean"]

    def test_same_as_the_expression(self):
        self.run_case(CASE)
        mean = self.mean()
        self.run_case(C_CASE)
        self.assertTrue(self.results()["solver"]["converged"])
        self.assertAlmostEqual(self.mean(), mean, delta=1e-8 * mean)
        for strategy in ("cell", "transposed"):
            with self.subTest(strategy=strategy):
                self.run_case(C_CASE, "--set", f'device.strategy="{strategy}"')
                self.assertAlmostEqual(self.mean(), mean, delta=1e-8 * mean)

    def test_jacobian_check_passes(self):
        self.run_case(C_CASE, "--set", "solver.newton.check_jacobian=true")

    def test_check_prints_the_text(self):
        self.write("case.toml", C_CASE)
        # What a compiler sees is printed anew, with names of its own.
        for stage, text in (("form", "f1[d] = grad_u[d];"), ("source", "f1[c_d] = c_grad_u[c_d];")):
            with self.subTest(stage=stage):
                done = self.weft("check", "case.toml", "--stage", stage)
                self.assertEqual(done.stdout.count(text), 1)

    def test_wrong_text_names_line_and_key(self):
        text = replaced(C_CASE, "f1[d] = grad_u[d];", "f1[d] = gradient[d];")
        done = self.run_case(text, expect=WRONG_INPUT)
        place = f"case.toml:{line_of(text, 'gradient[d]')}: [pointwise] u.f1"
        self.assert_error(done, place, "gradient", "c_text.md")

    def test_the_documentation_s_case_runs(self):
        page = (ROOT / "docs" / "reference" / "c_text.md").read_text()
        expression = re.sub(
            r"\[pointwise.T\].*?\"\"\".*?\"\"\"\n",
            '[pointwise]\nT = { f0 = "12*(T - T_air)", f1 = "k*(1 - 1e-3*(T - T_air))*grad(T)" }\n',
            case := re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1],
            flags=re.DOTALL,
        )
        self.run_case(case)
        largest = self.results()["functionals"]["T_max"]
        self.assertGreater(largest, 295)
        self.run_case(expression)
        self.assertAlmostEqual(self.results()["functionals"]["T_max"], largest, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
