"""What conservation laws promise on any mesh, and how the cases' errors fall."""

import csv
import shutil
import unittest

from law_problems import SLACK
from weft_cli import ALL, ROOT, CommandLineTest, extended, replaced

CENTRAL = ("--set", "conservation_law.numerical_flux=central")
# A hot dense spot in a gas of periodic boxes.
GAS = """\
physics = ["euler"]

[mesh]
box.origin = [0, 0, 0]
box.size = [1, 1, 1]
box.cells = [3, 3, 3]
box.cell = "CELL"
box.distort = 0.2
box.periodic = ["x", "y", "z"]

[parameters]
bump = "exp(-8*((x - 0.5)^2 + (y - 0.4)^2 + (z - 0.6)^2))"

[fields]
rho = { element = "DG2" }
m = { element = "DG2", shape = "vector" }
E = { element = "DG2" }

[initial]
rho = "1 + bump"
m = ["0.5 + bump", "-0.2", "0.1*bump"]
E = "4 + 2*bump"

[time]
end = 0.1
cfl = 0.5

[functionals]
mass = { integral = "rho" }
momentum = { integral = "m" }
energy = { integral = "E" }
"""

# The exact series of maxwell_scatterer, as in its expect.toml.
SERIES = {
    "E_centre": 0.058811102586,
    "E_focus": -0.608475940836,
    "E_front": 0.0277876467466,
    "E_side": 0.0641043721026,
    "E_shadow": 0.76238537779,
}


class LawBalances(CommandLineTest):
    def run_of(self, case, *arguments):
        """Functionals at the end, and rows of functionals.csv, of a case of cases/."""
        if not (self.folder / case).exists():
            shutil.copytree(
                ROOT / "cases" / case, self.folder / case, ignore=shutil.ignore_patterns("out")
            )
        self.weft("run", f"{case}/case.toml", "--out", "out", *arguments)
        return self.results()["functionals"], self.rows()

    def rows(self):
        with open(self.folder / "out" / "functionals.csv", encoding="utf-8") as file:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]

    def assert_kept(self, rows, names, relative):
        for name in names:
            values = [row[name] for row in rows]
            largest = max(abs(value - values[0]) for value in values)
            self.assertLess(largest, relative * max(map(abs, values)), name)

    @extended
    def test_mass_momentum_and_energy_of_a_gas(self):
        """Distorted hexahedra: the scheme's quadrature is exact for integrals of polynomials."""
        sums = ["mass", "momentum_0", "momentum_1", "energy"]
        meshes = [("tetrahedron", 2, 0.2), ("hexahedron", 1, 0.2), ("hexahedron", 2, 0.2), ("prism", 2, 0)]
        for cell, order, distort in meshes:
            with self.subTest(cell=cell, distort=distort):
                text = GAS.replace("CELL", cell).replace("DG2", f"DG{order}")
                self.run_case(text.replace("distort = 0.2", f"distort = {distort}"))
                self.assert_kept(self.rows(), sums, 1e-13)

    def test_a_limiter_keeps_the_sums(self):
        _, rows = self.run_of("sod_tube", "--set", "mesh.box.cells=[50,1]")
        self.assert_kept(rows, ["mass", "energy"], 1e-13)

    def test_the_central_flux_keeps_the_energy_of_light(self):
        lost = []
        for cfl in (0.5, 0.25):
            _, rows = self.run_of("maxwell_cavity", *CENTRAL, "--set", f"time.cfl={cfl}")
            lost.append(abs(rows[-1]["energy"] / rows[0]["energy"] - 1))
        self.assertLess(lost[0], 1e-6)
        # Steps of order 4 in 5 stages lose energy with the fifth power of the step.
        self.assertLess(lost[1], lost[0] / 2**4)

    def test_the_upwind_flux_never_makes_energy(self):
        _, rows = self.run_of("maxwell_cavity")
        energies = [row["energy"] for row in rows]
        for before, after in zip(energies, energies[1:]):
            self.assertLessEqual(after, before * (1 + 1e-14))

    def test_open_sides_let_sound_out(self):
        _, rows = self.run_of(
            "acoustic_pulse",
            *("--set", "time.end=3", "--set", "mesh.box.cells=[6,4,4]"),
            *("--set", "fields.p.element=DG2", "--set", "fields.v.element=DG2"),
        )
        self.assertLess(rows[-1]["energy"], 0.02 * rows[0]["energy"])

    @extended
    def test_errors_at_shocks_halve_over_two_refinements(self):
        for case, fields in (("sod_tube", ("rho", "m", "E")), ("dam_break", ("h", "m"))):
            for order in (1, 2, 3, 4) if ALL else (4,):
                elements = []
                for field in fields:
                    elements += ["--set", f"fields.{field}.element=DG{order}"]
                with self.subTest(case=case, order=order):
                    coarse, fine = (
                        self.run_of(case, "--set", f"mesh.box.cells=[{cells},1]", *elements)[0]
                        for cells in (25, 100)
                    )
                    self.assertLess(fine["error"], 0.5 * coarse["error"])

    def test_a_vortex_keeps_its_sums(self):
        _, rows = self.run_of("euler_vortex", "--set", "time.end=2")
        self.assert_kept(rows, ["mass", "momentum_1", "energy"], 1e-12)

    def test_order_of_a_vortex(self):
        """On squares of full order, on triangles of half an order less."""
        chosen = [("quadrilateral", 2, 3 - SLACK)]
        if ALL:
            chosen += [("quadrilateral", order, order + 1 - SLACK) for order in (1, 3, 4)]
            chosen += [("triangle", 3, 3.5)]
        for cell, order, least in chosen:
            arguments = ["--set", "time.end=1", "--set", f"mesh.box.cell={cell}"]
            for field in ("rho", "m", "E"):
                arguments += ["--set", f"fields.{field}.element=DG{order}"]
            errors = []
            for cells in (20, 40):
                self.run_of(
                    "euler_vortex", *arguments, "--set", f"mesh.box.cells=[{cells},{cells}]"
                )
                errors.append(self.results()["errors"]["rho"]["L2"])
            with self.subTest(cell=cell, order=order):
                self.assertGreater(errors[0], 2**least * errors[1])

    @extended
    def test_a_step_in_supersonic_flow(self):
        """Runs at all orders of the limiter, on coarse cells; the case itself has order 1.

        Long enough for a nearly steady state with WEFT_TEST_ALL only.
        """
        shutil.copytree(ROOT / "cases" / "forward_step", self.folder / "forward_step")
        geometry = self.folder / "forward_step" / "forward_step.geo"
        geometry.write_text(replaced(geometry.read_text(), "size = 0.05;", "size = 0.1;"))
        for order in (2, 3, 4) if ALL else (3,):
            arguments = ["--set", f"time.end={4 if ALL else 1}"]
            for field in ("rho", "m", "E"):
                arguments += ["--set", f"fields.{field}.element=DG{order}"]
            with self.subTest(order=order):
                functionals, _ = self.run_of("forward_step", *arguments)
                self.assertGreater(functionals["p_lowest"], 0)
                # The total enthalpy of the steady state, which the mean comes close to.
                self.assertAlmostEqual(functionals["H_mean"], 7, delta=0.15 if ALL else 0.7)

    @unittest.skipUnless(ALL, "long: with WEFT_TEST_ALL")
    def test_light_in_a_cylinder_converges_to_the_series(self):
        values, _ = self.run_of(
            "maxwell_scatterer", "--set", "fields.E.element=DG6", "--set", "fields.H.element=DG6"
        )
        for name, value in SERIES.items():
            self.assertAlmostEqual(values[name], value, delta=2e-4, msg=name)


if __name__ == "__main__":
    unittest.main()
