"""Solves a stationary case by PETSc's SNES: Weft has the function and the Jacobian, PETSc the methods; its options
choose between them (-snes_monitor, -ksp_type, -pc_type gamg, ...).

    python3 petsc_snes.py CASE [options]

    -weft_assembled    preconditioners of PETSc's get the entries of the Jacobian
    -weft_pc           the preconditioner is Weft's
"""

import sys

import petsc4py

petsc4py.init(sys.argv)

import weft  # noqa: E402
from petsc4py import PETSc  # noqa: E402
from weft.petsc import Adaptor  # noqa: E402


def name_of(reason):
    return next(name for name, value in vars(PETSc.SNES.ConvergedReason).items() if value == reason)


problem = weft.Problem(sys.argv[1])
adaptor = Adaptor(problem)
options = PETSc.Options()
assembled = options.getBool("weft_assembled", False)
snes = PETSc.SNES().create(comm=PETSc.COMM_SELF)
adaptor.attach(snes, assembled)
if options.getBool("weft_pc", False):
    adaptor.attach_pc(snes.getKSP().getPC())
elif not assembled:
    snes.getKSP().getPC().setType(PETSc.PC.Type.JACOBI)
snes.setFromOptions()
u = adaptor.create_vector()
adaptor.get_state(u)  # the initial values of the case
snes.solve(None, u)
adaptor.set_state(u)  # functionals, output: as after a solve of Weft's
print(f"{name_of(snes.getConvergedReason())}: {snes.getIterationNumber()} Newton steps, "
      f"{snes.getLinearSolveIterations()} iterations")  # fmt: skip
for name, value in problem.functionals().items():
    print(f"{name} = {value:.12g}")
if snes.getConvergedReason() < 0:
    sys.exit("SNES did not converge")
