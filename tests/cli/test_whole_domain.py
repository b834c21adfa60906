"""Fields of the whole domain (element = "R"): multipliers, circuits, mean strains, by every solver."""

import unittest

from ranks_cli import HAS_MPI, RanksTest
from weft_cli import WRONG_INPUT, CommandLineTest, replaced, with_others

# No value of u is prescribed; the multiplier p makes its mean 2 and takes what the source has too much: p = 1.
MEAN = """\
[mesh]
box = { size = [1, 1], cells = [24, 24], cell = "triangle" }
[fields]
p = { element = "R" }
u = { element = "P1" }
[weak_form]
cells.all = "dot(grad(u), grad(test(u))) - (pi^2*cos(pi*x) + 1)*test(u) + p*test(u) + (u - 2)*test(p)"
[functionals]
mean = { average = "u" }
p = { average = "p" }
p_again = { point = [0.3, 0.4], value = "p" }
largest = { maximum = "p" }
[exact]
u = "2 + cos(pi*x)"
p = 1
"""
# Not linear, not symmetric, and two multipliers, one a vector: of the mean, and of the first moments of u.
NONLINEAR = """\
[mesh]
box = { size = [1, 1], cells = [9, 8], cell = "quadrilateral" }
[parameters]
a = 0.5
mean = 1.5
[fields]
u = { element = "P2" }
p = { element = "R" }
q = { element = "R", shape = 2 }
[weak_form]
cells.all = '''
  (1 + a*u^2)*dot(grad(u), grad(test(u))) + 3*grad(u)[0]*test(u) - x*test(u)
  + (p*u + dot(q, [x, y]))*test(u) + (u - mean)*test(p) + dot([x*u - 0.8, y*u - 0.7], test(q))'''
[functionals]
mean = { average = "u" }
moments = { integral = "[x*u, y*u]" }
p = { average = "p" }
q = { average = "q" }
[initial]
u = 1
p = 0.1
"""
# An electrode on a bar of resistance 1, behind a resistor, with a capacitor to the ground: V tends to 2/3.
CIRCUIT = """\
[mesh]
box = { size = [1, 1], cells = [8, 4], cell = "quadrilateral" }
groups.terminal = { point = [1, 1] }
[parameters]
R = 0.5
C = 0.3
battery = 1
V_end = "battery/(1 + R)"
tau = "C*R/(1 + R)"
[fields]
u = { element = "P1" }
V = { element = "R" }
[weak_form]
cells.all = "dot(grad(u), grad(test(u)))"
facets.x1 = "-grad(u)[0]*(test(u) - test(V)) - grad(test(u))[0]*(u - V) + 20/cell_size*(u - V)*(test(u) - test(V))"
points.terminal = "(C*dt(V) + (V - battery)/R)*test(V)"
[dirichlet]
x0 = { u = 0 }
[initial]
V = 0
[time]
scheme = "bdf2"
end = 0.2
step = 0.01
[functionals]
V = { average = "V" }
current = { integral = "grad(u)[0]", facets = "x1" }
[exact]
V = "V_end*(1 - exp(-t/tau))"
u = "V_end*(1 - exp(-t/tau))*x"
[output]
every = 0.1
checkpoint_every = 0.1
"""
STATIONARY = replaced(CIRCUIT.split("[initial]")[0], "C*dt(V) + ", "") + """\
[functionals]
V = { average = "V", gradient = ["R", "battery"] }
"""

SOLVERS = (
    (),
    ("--set", "solver.method=direct"),
    ("--set", "solver.method=gmres", "--set", "solver.preconditioner=multigrid"),
    ("--set", "solver.method=gmres", "--set", "solver.preconditioner=jacobi", "--set", "solver.operator=matrix_free"),
    ("--set", "solver.preconditioner=chebyshev", "--set", "solver.operator=matrix_free"),
    ("--set", "solver.preconditioner=chebyshev", "--set", "device.strategy=cell"),
    ("--set", "solver.method=bicgstab", "--set", "solver.preconditioner=jacobi"),
    ("--set", "solver.preconditioner=ilu"),
    ("--set", "solver.preconditioner=spai"),
)
# A flow between walls, whose pressure has the mean 3.
FLOW = """\
[mesh]
box = { size = [1, 1], cells = [10, 10], cell = "triangle" }
[fields]
u = { element = "P2", shape = "vector" }
p = { element = "P1" }
m = { element = "R" }
[weak_form]
cells.all = '''
  inner(grad(u), grad(test(u))) - p*div(test(u)) - div(u)*test(p) - dot([0, y], test(u))
  + m*test(p) + (p - 3)*test(m)'''
[dirichlet]
all = { u = [0, 0] }
[functionals]
mean = { average = "p" }
difference = { integral = "(p - 3)*(y - 0.5)*12" }
m = { average = "m" }
"""


class WholeDomain(CommandLineTest):
    def functionals(self, text, *arguments):
        self.run_case(text, *arguments)
        return self.results()["functionals"]

    def test_every_solver_finds_a_mean_and_its_multiplier(self):
        for arguments in SOLVERS:
            with self.subTest(arguments):
                self.run_case(MEAN, *arguments)
                results = self.results()
                values = results["functionals"]
                self.assertTrue(results["solver"]["converged"])
                self.assertAlmostEqual(values["mean"], 2, 7)
                self.assertLess(results["errors"]["u"]["L2"], 3e-3)
                self.assertLess(results["errors"]["p"]["L2"], 3e-3)
                self.assertAlmostEqual(values["p"], values["largest"], 12)
                self.assertAlmostEqual(values["p"], values["p_again"], 12)

    def test_multigrid_needs_few_iterations_though_the_block_inside_is_singular(self):
        self.run_case(MEAN, "--set", "solver.method=gmres", "--set", "solver.preconditioner=multigrid",
                      "--set", "mesh.box.cells=[96, 96]")  # fmt: skip
        self.assertLess(self.results()["solver"]["iterations"], 25)

    def test_blocks_inside_of_a_border(self):
        for arguments in ((), ("--set", "solver.preconditioner=blocks")):
            with self.subTest(arguments):
                values = self.functionals(FLOW, *arguments)
                self.assertAlmostEqual(values["mean"], 3, 7)
                self.assertAlmostEqual(values["m"], 0, 7)
                self.assertAlmostEqual(values["difference"], 0.5, 6)  # hydrostatic
        self.assertLess(self.results()["solver"]["iterations"], 60)

    def test_newtons_method_and_several_fields_of_the_whole_domain(self):
        first = None
        for arguments in with_others([(), SOLVERS[2], SOLVERS[5]], [*SOLVERS[3:5], SOLVERS[7]]):
            with self.subTest(arguments):
                values = self.functionals(NONLINEAR, *arguments)
                self.assertAlmostEqual(values["mean"], 1.5, 7)
                self.assertAlmostEqual(values["moments"][0], 0.8, 7)
                self.assertAlmostEqual(values["moments"][1], 0.7, 7)
                first = first or values
                self.assertAlmostEqual(values["p"], first["p"], 5)
                self.assertAlmostEqual(values["q"][1], first["q"][1], 5)

    def test_derivatives_are_those_of_the_residual(self):
        self.run_case(NONLINEAR, "--set", "solver.newton.check_jacobian=true", "--set", "solver.operator=matrix_free")

    def test_a_circuit_in_time(self):
        matrix_free = ("--set", "solver.preconditioner=jacobi", "--set", "solver.operator=matrix_free")
        usual = [("bdf2", ()), ("dirk2", matrix_free)]
        others = [("bdf2", matrix_free), ("theta", ()), ("theta", matrix_free), ("dirk2", ())]
        for scheme, arguments in with_others(usual, others):
            with self.subTest(scheme=scheme, arguments=arguments):
                self.run_case(CIRCUIT, "--set", f"time.scheme={scheme}", *arguments)
                results = self.results()
                self.assertLess(results["errors"]["V"]["L2"], 1e-3)
                self.assertLess(results["errors"]["u"]["L2"], 1e-3)
                self.assertAlmostEqual(results["functionals"]["V"], results["functionals"]["current"], 9)

    def test_a_run_goes_on_from_a_checkpoint(self):
        self.run_case(CIRCUIT)
        self.weft("run", "case.toml", "--out", "part", "--set", "time.end=0.1")
        self.weft("run", "case.toml", "--out", "part", "--restart", "part/checkpoint.h5")
        self.assertEqual(self.results()["functionals"], self.results("part")["functionals"])
        whole, part = ((self.folder / name / "functionals.csv").read_text() for name in ("out", "part"))
        self.assertEqual(whole, part)

    def test_fields_of_output_have_the_value_in_each_cell(self):
        self.run_case(MEAN + '[output]\nfields = ["u", "p", "u + p"]\n')
        self.assertIn('Name="p"', (self.folder / "out" / "fields.vtu").read_bytes().decode("latin1"))

    def test_gradients_by_the_adjoint_problem(self):
        gradient = self.functionals(STATIONARY)
        # V = battery/(1 + R)
        derivatives = self.results()["gradients"]["V"]
        self.assertAlmostEqual(gradient["V"], 2 / 3, 9)
        self.assertAlmostEqual(derivatives["R"], -1 / 1.5**2, 7)
        self.assertAlmostEqual(derivatives["battery"], 2 / 3, 7)

    def test_values_of_a_sweep(self):
        self.write("case.toml", STATIONARY)
        self.weft("sweep", "case.toml", "--over", "R=0.5,1,2", "--out", "out")
        rows = (self.folder / "out" / "sweep.csv").read_text().splitlines()
        self.assertEqual(len(rows), 4)

    def test_bounds(self):
        # What a diode takes keeps the voltage at 1/2.
        text = replaced(STATIONARY, 'V = { element = "R" }', 'V = { element = "R", bounds = [0, 0.5] }')
        self.run_case(replaced(text, ', gradient = ["R", "battery"]', ""))
        results = self.results()
        self.assertEqual(results["functionals"]["V"], 0.5)
        self.assertEqual(results["at_bounds"]["V"]["upper"], 1)

    def test_what_is_refused(self):
        refused = (
            (MEAN + "[dirichlet]\nx0 = { p = 1 }\n", "a prescribed value of a field of the whole domain"),
            (MEAN + '[initial]\np = "x"\n', "this one depends on place"),
            (replaced(MEAN, 'u = { element = "P1" }', 'u = { element = "R" }'), "without a field that varies"),
            (MEAN + '[solver]\nmethod = "cg"\n', "field of the whole domain, p"),
            (MEAN + '[solver]\npreconditioner = { kind = "multigrid", coarsening = "nested" }\n', "whole domain, p"),
            (replaced(MEAN, 'mean = { average = "u" }', 'mean = { average = "u", error = true }'), "R of `p`"),
            (replaced(MEAN, 'mean = { average = "u" }', 'mean = { reaction = "p", facets = "x0" }'), "a reaction of"),
        )
        for text, message in refused:
            with self.subTest(message):
                self.write("case.toml", text)
                self.assert_error(self.weft("check", "case.toml", expect=WRONG_INPUT), message)

    def test_of_both_sides_of_a_facet_there_is_one_value(self):
        text = replaced(MEAN, 'u = { element = "P1" }', 'u = { element = "DG1" }') + (
            '[solver]\nmethod = "direct"\n'
        )
        text = replaced(
            text,
            "[functionals]",
            'interior.all = "-dot(avg(grad(u)), n)*jump(test(u)) - jump(u)*dot(avg(grad(test(u))), n)'
            ' + 12/avg(cell_size)*jump(u)*jump(test(u)) + p*jump(test(u)) - p*jump(test(u))"\n[functionals]',
        )
        values = self.functionals(text)
        self.assertAlmostEqual(values["mean"], 2, 7)


@unittest.skipUnless(HAS_MPI, "SKIPPED: Weft is built without MPI")
class WholeDomainOnRanks(RanksTest):
    def test_several_processes_are_refused(self):
        self.write("case.toml", MEAN)
        done = self.weft_on(2, "run", "case.toml", expect=WRONG_INPUT)
        self.assert_one_message(done, "a field of the whole domain shared by several processes")


if __name__ == "__main__":
    unittest.main()
