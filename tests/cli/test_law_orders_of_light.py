"""Orders of convergence of Maxwell's equations."""

import unittest

from law_problems import SLACK, LawOrderTest
from weft_cli import ROOT, extended


class LawOrdersOfLight(LawOrderTest):
    @extended
    def test_light_in_a_cavity(self):
        """The case on other cells; `weft verify` of the case itself takes tetrahedra of order 3."""
        case = ROOT / "cases" / "maxwell_cavity" / "case.toml"
        for cell, order, cells, flux, least in [
            ("hexahedron", 3, 3, "upwind", 4 - SLACK),
            ("prism", 2, 4, "upwind", 3 - SLACK),
            ("tetrahedron", 2, 4, "central", 2),
        ]:
            arguments = [
                *("--set", f"mesh.box.cell={cell}", "--set", f"mesh.box.cells={[cells] * 3}"),
                *("--set", f"fields.E.element=DG{order}", "--set", f"fields.H.element=DG{order}"),
                *("--set", f"verify.expect.E={least + SLACK}"),
                *("--set", f"verify.expect.H={least + SLACK}"),
                *("--set", f"conservation_law.numerical_flux={flux}"),
            ]
            with self.subTest(cell=cell, order=order, flux=flux):
                self.weft("verify", case, *arguments)


if __name__ == "__main__":
    unittest.main()
