#!/usr/bin/env python3
"""PETSc's field split on Stokes' equations that Weft has exported: what bench/peers/stokes starts.

    stokes_petsc.py convert FOLDER                        # numpy; Matrix Market to PETSc's binary format
    mpirun -n 2 stokes_petsc.py solve FOLDER CANDIDATES   # petsc4py; a line of JSON for each of them

FOLDER holds what `weft run --export-system` wrote: system.mtx and system_rhs.mtx of the velocity (P2, three
components a node) and the pressure (P1), in this order; pressure.mtx, the pressure's mass matrix; and of the
velocity's scalar space the mass matrix, nodes.mtx, with x_rhs.mtx, y_rhs.mtx and z_rhs.mtx, the integrals of a
coordinate times each basis function, of which the nodes' positions follow. Velocities that are prescribed and zeros
that the file stores are left out. `convert` checks that all are numbered alike: rotations have no strain in rows that
no prescribed value touches, and the divergence of (x, 0, 0) is 1. CANDIDATES is a file of JSON: names, and options of
PETSc for each.

Each process has as many velocity nodes and as many pressures as any other. Velocity block, gradient, divergence and
mass matrix are matrices of their own in a MatNest: nothing is copied to split them. Set-up is KSPSetUp of the method
and of its fields, solve is KSPSolve from zero; the slowest process counts, and reading does not. The residual is
|b - A x| / |b|, computed at the end. FGMRES looks at that norm itself; MINRES can't in PETSc, so that it solves once
to find out after how many iterations it is small enough, and once with so many for the time.
"""
import json
import sys
import time
from pathlib import Path

import numpy as np

TOLERANCE = 1e-8
MAX_ITERATIONS = 400
MATRIX, VECTOR = 1211216, 1211214  # what files of PETSc begin with
ROUNDING = 1e-9
VISCOSITY = 1


def read_entries(path):
    """Row, column and value of every entry, zeros with them, of both triangles."""
    with open(path, "rb") as file:
        symmetric = b"symmetric" in file.readline()
        line = file.readline()
        while line.startswith(b"%"):
            line = file.readline()
        rows, columns, count = map(int, line.split())
        entries = np.fromfile(file, sep=" ", count=3 * count).reshape(-1, 3)
    if len(entries) != count:
        sys.exit(f"bench/peers/stokes: {path} is cut short")
    i, j, v = entries[:, 0].astype(np.int32) - 1, entries[:, 1].astype(np.int32) - 1, entries[:, 2].copy()
    if symmetric:
        lower = i != j
        i, j, v = np.concatenate((i, j[lower])), np.concatenate((j, i[lower])), np.concatenate((v, v[lower]))
    return i, j, v, (rows, columns)


def read_vector(path):
    with open(path, "rb") as file:
        line = file.readline()
        while line.startswith(b"%"):
            line = file.readline()
        return np.fromfile(file, sep=" ", count=int(line.split()[0]))


def write_matrix(path, i, j, v, shape):
    keep = (v != 0) | (i == j)
    i, j, v = i[keep], j[keep], v[keep]
    order = np.argsort(i.astype(np.int64) * shape[1] + j, kind="stable")
    with open(path, "wb") as file:
        np.array([MATRIX, *shape, len(v)], ">i4").tofile(file)
        np.bincount(i, minlength=shape[0]).astype(">i4").tofile(file)
        j[order].astype(">i4").tofile(file)
        v[order].astype(">f8").tofile(file)


def write_vector(path, values):
    with open(path, "wb") as file:
        np.array([VECTOR, len(values)], ">i4").tofile(file)
        values.astype(">f8").tofile(file)


def solve_mass(i, j, v, b):
    """Conjugate gradients, scaled by the diagonal, to rounding."""
    n = len(b)
    scale = 1 / np.bincount(i[i == j], v[i == j], n)
    x, r = np.zeros(n), b.copy()
    z = scale * r
    p, rz = z.copy(), r @ z
    first = rz
    for _ in range(300):
        ap = np.bincount(i, v * p[j], n)
        alpha = rz / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        z = scale * r
        rz, before = r @ z, rz
        if rz <= 1e-28 * first:
            return x
        p = z + rz / before * p
    return x


def check_numbering(what, rows, error, size):
    if not np.any(rows):
        sys.exit(f"bench/peers/stokes: the mesh is too coarse: no rows to check the numbering of the {what}")
    worst = np.max(np.abs(error[rows])) / np.max(size[rows])
    if not worst < ROUNDING:
        sys.exit(f"bench/peers/stokes: the {what} is numbered otherwise than it seems ({worst:.1e})")


def convert(folder):
    i, j, v, (n, _) = read_entries(folder / "system.mtx")
    b = read_vector(folder / "system_rhs.mtx")
    mi, mj, mv, (num_p, _) = read_entries(folder / "pressure.mtx")
    num_u = n - num_p
    si, sj, sv, (num_nodes, _) = read_entries(folder / "nodes.mtx")
    if num_u != 3 * num_nodes:
        sys.exit("bench/peers/stokes: the velocity has other nodes than its scalar space")
    positions = np.stack([solve_mass(si, sj, sv, read_vector(folder / f"{name}_rhs.mtx")) for name in "xyz"], axis=1)
    write_matrix(folder / "mass.bin", mi, mj, mv, (num_p, num_p))

    # Rows of prescribed values are those of the identity.
    prescribed = (np.bincount(i[v != 0], minlength=n) == 1)
    prescribed[num_u:] = False
    touched = np.bincount(i, prescribed[j], n) > 0
    turn = np.zeros((num_nodes, 3))
    turn[:, 0], turn[:, 1], turn[:, 2] = -positions[:, 1], positions[:, 0] - positions[:, 2], positions[:, 1]
    of_u, to_u = i < num_u, j < num_u
    only_u = of_u & to_u
    product = v[only_u] * turn.ravel()[j[only_u]]
    check_numbering("velocity", ~touched[:num_u], np.bincount(i[only_u], product, num_u),
                    np.bincount(i[only_u], np.abs(product), num_u))
    divergence = ~of_u & to_u
    product = v[divergence] * (positions * [1, 0, 0]).ravel()[j[divergence]]
    volumes = np.bincount(mi, mv, num_p)
    check_numbering("pressure", ~touched[num_u:], np.bincount(i[divergence] - num_u, product, num_p) + volumes, volumes)

    free = np.flatnonzero(~prescribed[:num_u])
    if np.any(free.reshape(-1, 3) % 3 != np.arange(3)):
        sys.exit("bench/peers/stokes: a node with some components prescribed and others not")
    write_vector(folder / "positions.bin", positions.ravel()[free])
    write_vector(folder / "rhs_u.bin", b[free])
    write_vector(folder / "rhs_p.bin", b[num_u:])
    # Numbers within the field; -1: left out.
    number = np.concatenate((np.full(num_u, -1, np.int32), np.arange(num_p, dtype=np.int32)))
    number[free] = np.arange(len(free))
    size = {True: len(free), False: num_p}
    kept = (number[i] >= 0) & (number[j] >= 0)
    for name, row_of_u, column_of_u in (("velocity", True, True), ("gradient", True, False),
                                        ("divergence", False, True)):
        part = kept & (of_u == row_of_u) & (to_u == column_of_u)
        write_matrix(folder / f"{name}.bin", number[i[part]], number[j[part]], v[part],
                     (size[row_of_u], size[column_of_u]))


class System:
    def __init__(self, petsc, folder):
        self.petsc, self.folder = petsc, folder
        num_u, num_p = (int(np.fromfile(folder / f"{name}.bin", ">i4", 2)[1]) for name in ("rhs_u", "rhs_p"))
        self.num_p = num_p
        comm = petsc.COMM_WORLD
        rank, size = comm.rank, comm.size
        local_u = 3 * (num_u // 3 * (rank + 1) // size - num_u // 3 * rank // size)
        local_p = num_p * (rank + 1) // size - num_p * rank // size
        self.u, self.p = (local_u, num_u), (local_p, num_p)
        velocity = self.matrix("velocity", self.u, self.u, block=3)
        velocity.setOption(petsc.Mat.Option.SPD, True)
        positions = self.vector("positions", self.u, block=3)
        self.velocity, self.rigid_motions = velocity, petsc.NullSpace().createRigidBody(positions)
        self.translations = petsc.NullSpace().create(vectors=self.rigid_motions.getVecs()[:3])
        gradient, divergence = self.matrix("gradient", self.u, self.p), self.matrix("divergence", self.p, self.u)
        self.minus_mass = self.matrix("mass", self.p, self.p)
        # Minus that of the Schur complement: across a wave, 2 mu eps resists stretching along it with 2 mu.
        self.minus_mass.scale(-1 / (2 * VISCOSITY))
        nothing = petsc.Mat().createAIJ((self.p, self.p), nnz=0)
        nothing.assemble()
        self.a = petsc.Mat().createNest([[velocity, gradient], [divergence, nothing]])
        self.with_mass = petsc.Mat().createNest([[velocity, gradient], [divergence, self.minus_mass]])
        self.fields = self.a.getNestISs()[0]
        self.b = self.a.createVecLeft()
        for name, size, field in zip(("rhs_u", "rhs_p"), (self.u, self.p), self.fields):
            part = self.b.getSubVector(field)
            self.vector(name, size).copy(part)
            self.b.restoreSubVector(field, part)

    def open(self, name):
        return self.petsc.Viewer().createBinary(str(self.folder / f"{name}.bin"), "r")

    def matrix(self, name, rows, columns, block=1):
        matrix = self.petsc.Mat().create()
        matrix.setType("aij")
        matrix.setSizes((rows, columns))
        matrix.setBlockSize(block)
        return matrix.load(self.open(name))

    def vector(self, name, size, block=1):
        vector = self.petsc.Vec().create()
        vector.setType("standard")
        vector.setSizes(size)
        vector.setBlockSize(block)
        return vector.load(self.open(name))

    def residual(self, x):
        r = self.b.duplicate()
        self.a.mult(x, r)
        r.aypx(-1, self.b)
        return r.norm() / self.b.norm()

    # Of the slowest process.
    def seconds(self):
        self.petsc.COMM_WORLD.barrier()
        return time.perf_counter()

    def solver(self, prefix, options):
        petsc = self.petsc
        known = petsc.Options()
        for key, value in options.items():
            if key != "rigid_motions":
                known[prefix + key] = value
        self.velocity.setNearNullSpace(self.rigid_motions if options["rigid_motions"] else self.translations)
        ksp = petsc.KSP().create()
        ksp.setOptionsPrefix(prefix)
        schur = options["pc_fieldsplit_type"] == "schur"
        ksp.setOperators(self.a, self.a if schur else self.with_mass)
        ksp.setTolerances(rtol=TOLERANCE, atol=0, divtol=1e10, max_it=MAX_ITERATIONS)
        ksp.pc.setType("fieldsplit")
        ksp.pc.setFieldSplitIS(("u", self.fields[0]), ("p", self.fields[1]))
        ksp.setFromOptions()
        if schur:  # only now, as PETSc ignores this before it knows that it is one
            ksp.pc.setFieldSplitSchurPreType(petsc.PC.SchurPreType.USER, self.minus_mass)
        return ksp

    # How many iterations MINRES takes until |b - A x| / |b| is small enough.
    def iterations_of_minres(self, prefix, options):
        ksp = self.solver(prefix, options)
        reasons = self.petsc.KSP.ConvergedReason
        x = self.b.duplicate()

        def test(ksp, iteration, _):
            ksp.buildSolution(x)
            if self.residual(x) <= TOLERANCE:
                return reasons.CONVERGED_RTOL
            return reasons.DIVERGED_MAX_IT if iteration >= MAX_ITERATIONS else reasons.ITERATING

        ksp.setConvergenceTest(test)
        ksp.solve(self.b, self.b.duplicate())
        return ksp.getIterationNumber()

    def run(self, prefix, options):
        fixed = options["ksp_type"] == "minres"
        if fixed:
            options = {**options, "ksp_convergence_test": "skip",
                       "ksp_max_it": self.iterations_of_minres(prefix + "first_", options)}
        ksp = self.solver(prefix, options)
        schur = options["pc_fieldsplit_type"] == "schur"
        x = self.b.duplicate()
        begin = self.seconds()
        ksp.setUp()
        for part in ksp.pc.getFieldSplitSubKSP() if not schur else ksp.pc.getFieldSplitSchurGetSubKSP():
            part.setUp()
        between = self.seconds()
        ksp.solve(self.b, x)
        setup_s, solve_s = between - begin, self.seconds() - between
        residual = self.residual(x)
        result = {"setup_s": setup_s, "solve_s": solve_s, "total_s": setup_s + solve_s,
                  "iterations": ksp.getIterationNumber(), "residual": residual,
                  "converged": bool(residual <= TOLERANCE * (1 + 1e-6))}
        ksp.destroy()
        return result


def solve(folder, candidates):
    import petsc4py

    petsc4py.init([sys.argv[0]])
    from petsc4py import PETSc

    system = System(PETSc, folder)
    for number, (name, options) in enumerate(candidates.items()):
        try:
            result = system.run(f"c{number}_", options)
        except PETSc.Error as error:
            result = {"converged": False, "error": str(error)}
        if PETSc.COMM_WORLD.rank == 0:
            print(json.dumps({"name": name, "ranks": PETSc.COMM_WORLD.size,
                              "petsc": ".".join(map(str, PETSc.Sys.getVersion())), **result}), flush=True)


def main():
    command, folder = sys.argv[1], Path(sys.argv[2])
    if command == "convert":
        convert(folder)
    else:
        solve(folder, json.loads(Path(sys.argv[3]).read_text()))


if __name__ == "__main__":
    main()
