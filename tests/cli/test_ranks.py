"""Several processes: messages through MPI, states of explicit laws for any number of them, networks, errors on one."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from law_problems import advection, euler
from ranks_cli import HAS_MPI, LOADED_CUBE, LONGEST_S, RanksTest, last_field_file, mpirun_command
from test_tune import machine_figures
from vtu_cells import cells_of
from weft_cli import (
    BUILD_DIR,
    CASE,
    DONE,
    NUMBERS_FAILED,
    PROGRAM,
    ROOT,
    SYSTEM_FAILED,
    WRONG_INPUT,
    extended,
    replaced,
    with_others,
)

ANSWER_S = 20  # in which an error on one process ends all, at most

# Laws of the cases, on coarse meshes and for short times: with steps by `cfl`, which no sum over all cells decides.
REDUCED = {
    "contaminant": ("time.end=0.1", "time.cfl=0.3", "mesh.size=0.4"),
    "euler_fv": ("time.end=0.05", "time.cfl=0.3", "mesh.size=0.15"),
    "forward_step": ("time.end=0.1", "time.cfl=0.3", "output.every=0.1"),
    "maxwell_cavity": ("time.end=0.1", "time.cfl=0.3", "mesh.box.cells=[3,3,3]"),
    "sod_tube": ("time.end=0.02", "time.cfl=0.3", "output.every=0.02"),
}
OTHERS = {
    "acoustic_pulse": ("time.end=0.05", "time.cfl=0.3", "mesh.box.cells=[6,4,4]"),
    "dam_break": ("time.end=0.05", "time.cfl=0.3", "output.every=0.05"),
    "euler_vortex": ("time.end=1", "time.cfl=0.5", "mesh.box.cells=[8,8]"),
    "maxwell_scatterer": ("time.end=0.05", "time.cfl=0.3"),
}
# A wave of a gas on tetrahedra, with checkpoints.
WAVE = euler("tetrahedron", 2, 3) + """
[output]
every = 0.05
checkpoint_every = 0.05
probes = [[0.5, 0.5, 0.5]]
[functionals]
mass = { integral = "rho" }
E_most = { maximum = "E" }
"""


class Launchers(RanksTest):
    def test_agree_through_mpi(self):
        program = BUILD_DIR / "tests" / "mpi_ranks"
        if not program.exists():
            self.skipTest("SKIPPED: the module of MPI was not built")
        for ranks in (2, 3, 5):
            done = self.mpirun((ranks, [program]), env={"WEFT_MODULE_DIR": str(BUILD_DIR)})
            self.assertEqual(done.stdout, f"{ranks} ranks agree\n")

    @extended
    def test_one_that_nobody_hears_ends_all(self):
        program = BUILD_DIR / "tests" / "mpi_ranks"
        if not program.exists():
            self.skipTest("SKIPPED: the module of MPI was not built")
        start = time.monotonic()
        done = self.mpirun((3, [program, "lost"]), env={"WEFT_MODULE_DIR": str(BUILD_DIR)}, expect=SYSTEM_FAILED)
        self.assertLess(time.monotonic() - start, ANSWER_S)
        self.assert_one_message(done, "a device fails")

    def refused(self, code, *parts, case=CASE, **more):
        """On all processes with one message, and nothing is run."""
        case = self.write("case.toml", case)
        done = self.weft_on(3, "run", case, "--out", self.folder / "out", expect=code, **more)
        self.assert_one_message(done, *parts)
        self.assertFalse((self.folder / "out").exists())

    @unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
    def test_what_is_not_shared_is_refused_by_name(self):
        by_factors = replaced(CASE, "[solver]", '[solver]\npreconditioner = "ilu"')
        self.refused(WRONG_INPUT, 'preconditioner = "ilu" shared by several processes',
                     "3 processes of a launcher", "[solver] preconditioner",
                     "chebyshev, direct, hypre, jacobi, low_precision, multigrid, none",
                     "without the launcher", case=by_factors)  # fmt: skip
        kind = 'preconditioner = { kind = "multigrid", coarsening = "low_order" }'
        by_parts = replaced(CASE, "[solver]", f"[solver]\n{kind}")
        self.refused(WRONG_INPUT, 'coarsening = "low_order" shared by several processes', case=by_parts)
        self.refused(WRONG_INPUT, "the rate of a conservation law as a matrix shared by several processes",
                     "[solver] operator", case=advection("triangle", 1, 3) + '[solver]\noperator = "assembled"\n')
        done = self.weft_on(2, "check", "case.toml", expect=WRONG_INPUT)
        self.assert_one_message(done, "work shared by several processes", "weft run")

    def test_without_the_module_copies_of_a_run_do_not_start(self):
        self.refused(SYSTEM_FAILED, "a launcher started 3 processes", "libweft_mpi.so", "libopenmpi-dev",
                     env={"WEFT_MODULE_DIR": str(self.folder)})  # fmt: skip

    def test_a_launcher_of_one_is_none(self):
        self.weft_on(1, "run", self.write("case.toml", CASE), "--out", self.folder / "out")
        self.assertNotIn("ranks", self.results())

    def test_a_serial_program_has_no_mpi_in_it(self):
        done = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True)
        self.assertNotIn("libmpi", done.stdout)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class States(RanksTest):
    def fields(self, folder):
        """The last fields of a run, by cell."""
        return cells_of(self.folder / folder / last_field_file(self.folder / folder))

    def assert_same_state(self, one, other):
        one, other = self.fields(one), self.fields(other)
        self.assertEqual(one.keys(), other.keys())
        self.assertEqual([place for place in one if one[place] != other[place]], [])

    def assert_close(self, one, other):
        """Functionals are sums over processes, so that the last digits may differ."""
        one, other = (self.results(folder)["functionals"] for folder in (one, other))
        self.assertEqual(one.keys(), other.keys())
        for name, value in one.items():
            for a, b in zip(*([v] if isinstance(v, float) else v for v in (value, other[name])), strict=True):
                self.assertAlmostEqual(a, b, delta=1e-11 * max(1, abs(a)), msg=name)

    def own_figures(self):
        """Tuning results of its own: what the machine can do is measured once for all tests."""
        return {"XDG_DATA_HOME": str(self.folder / "data")}

    def compare(self, case, overrides, numbers):
        options = ["-q"] + [word for override in overrides for word in ("--set", override)]
        self.weft("run", case, "--out", "serial", *options)
        for ranks in numbers:
            folder = f"on_{ranks}"
            self.weft_on(ranks, "run", case, "--out", folder, *options)
            self.assert_same_state("serial", folder)
            self.assert_close("serial", folder)
            results, serial = self.results(folder), self.results("serial")
            for key in ("mesh", "dofs"):
                self.assertEqual(results[key], serial[key])
            self.assertEqual(results["time"], serial["time"])
            self.assertEqual(results["ranks"]["count"], ranks)
            shutil.rmtree(self.folder / folder)

    @extended
    def test_of_the_cases_are_those_of_one_process(self):
        for i, (name, overrides) in enumerate(with_others(REDUCED.items(), OTHERS.items())):
            with self.subTest(case=name):
                self.compare(ROOT / "cases" / name / "case.toml", overrides, [2 + i % 3])

    def test_of_all_numbers_of_processes_are_equal(self):
        self.write("wave.toml", WAVE)
        self.compare("wave.toml", ["time.end=0.02"], [2, 3, 4])

    def test_steps_by_stability_are_those_of_one_process(self):
        self.write("wave.toml", replaced(WAVE, "cfl = 0.5", ""))
        self.compare("wave.toml", ["time.end=0.05"], [2, 3])

    def test_parts_may_be_empty(self):
        self.write("wave.toml", advection("triangle", 2, 3))
        self.compare("wave.toml", ["mesh.box.cells=[3,1]", "mesh.box.periodic=['x']", "time.end=0.02",
                                   'boundary.all.outer.q="q"'], [8])  # fmt: skip

    @extended
    def test_of_meshes_that_processes_make_themselves(self):
        """Boxes in bricks, and cells refined after they are handed out."""
        short = ["time.end=0.004", "time.cfl=0.5"]
        self.write("wave.toml", advection("triangle", 0, 90))
        self.compare("wave.toml", short + ["mesh.refine=1"], [2])
        self.compare("wave.toml", short + ["mesh.box.cells=[47,46]", "mesh.refine=1", "mesh.order=2"], [3])

    def test_the_same_number_twice_has_the_same_bits(self):
        self.write("wave.toml", replaced(WAVE, "cfl = 0.5", 'scheme = "ssprk3"\nadaptive = { tolerance = 1e-4 }'))
        for folder in ("one", "two"):
            self.weft_on(3, "run", "wave.toml", "--out", folder, "--set", "time.end=0.05", "-q")
        for name in ("functionals.csv", "probes.csv", "fields_0001_r2.vtu"):
            one, two = ((self.folder / folder / name).read_bytes() for folder in ("one", "two"))
            self.assertEqual(one, two, name)

    @extended
    def test_explain_says_what_messages_take(self):
        self.write("wave.toml", WAVE)
        self.weft("tuned", "import", self.write("figures.txt", machine_figures()), env=self.own_figures())
        # The figures are those of as many threads.
        options = ["--set", "time.end=0.02", "--json", "--threads", os.cpu_count()]
        done = self.weft_on(2, "explain", "wave.toml", *options, env=self.own_figures())
        halo = json.loads(done.stdout)["halo"]
        self.assertEqual(halo["ranks"], 2)
        self.assertEqual(halo["messages"], {"least": 1, "most": 1})
        self.assertGreater(halo["exchange_s"], 0)
        self.assertGreaterEqual(halo["hidden"], 0)
        self.assertEqual(halo["of"], "stage")
        # A weak form's messages are not hidden: its kernels begin when they are there.
        self.write("body.toml", LOADED_CUBE)
        for operator in ("matrix_free", "assembled"):
            with self.subTest(operator):
                choice = ["--set", f'solver.operator="{operator}"', "--json", "--threads", os.cpu_count()]
                done = self.weft_on(2, "explain", "body.toml", *choice, env=self.own_figures())
                halo = json.loads(done.stdout)["halo"]
                self.assertEqual(halo["of"], "product with the Jacobian")
                self.assertEqual(halo["messages"], {"least": 1, "most": 1})
                self.assertGreater(halo["whole_s"], 0)

    def test_a_report_shows_all_pieces(self):
        self.write("wave.toml", WAVE)
        self.weft_on(2, "run", "wave.toml", "--out", "out", "--set", "time.end=0.02", "--report", "-q")
        self.assertIn("162 cells", (self.folder / "out" / "report.html").read_text())

    def test_runs_go_on_with_any_number_of_processes(self):
        self.write("wave.toml", WAVE)
        self.weft("run", "wave.toml", "--out", "whole", "-q", "--set", "time.end=0.1")
        for first, second in ((1, 3), (3, 2), (4, 1)):
            folder = f"from_{first}_to_{second}"
            for ranks, more in (
                (first, ["--set", "time.end=0.05"]),
                (second, ["--set", "time.end=0.1", "--restart", f"{folder}/checkpoint.h5"]),
            ):
                self.weft_on(ranks, "run", "wave.toml", "--out", folder, "-q", *more)
            self.assert_same_state("whole", folder)
            self.assertEqual((self.folder / folder / "fields.pvd").read_text().count("<DataSet"), 3)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
@unittest.skipUnless(os.getuid() == 0 and shutil.which("tc"), "SKIPPED: networks are made by root, with ip and tc")
class Networks(RanksTest):
    """Two networks of one machine, joined by a slow link, as if they were two machines."""

    # Open MPI starts its daemon on a "machine" with: agent ADDRESS COMMAND...
    AGENT = """\
#!/bin/sh
place=weft_$(echo "$1" | tr . _)
shift
exec ip netns exec "$place" sh -c "$*"
"""

    def ip(self, *words, check=True):
        return subprocess.run(["ip", *words], capture_output=True, text=True, check=check)

    @extended
    def test_a_run_over_two_networks(self):
        # Other tests may run beside this one.
        third = os.getpid() % 200 + 1
        addresses = [f"10.77.{third}.{host}" for host in (1, 2)]
        places = ["weft_" + address.replace(".", "_") for address in addresses]
        links = [f"weft{third}_{host}" for host in (1, 2)]
        for place in places:
            self.addCleanup(self.ip, "netns", "del", place, check=False)
            made = self.ip("netns", "add", place, check=False)
            if made.returncode != 0:
                self.skipTest(f"SKIPPED: no networks can be made here: {made.stderr.strip()}")
        self.ip("link", "add", links[0], "type", "veth", "peer", "name", links[1])
        for place, link, address in zip(places, links, addresses):
            self.ip("link", "set", link, "netns", place)
            self.ip("-n", place, "addr", "add", f"{address}/24", "dev", link)
            for up in ("lo", link):
                self.ip("-n", place, "link", "set", up, "up")
            limit = ["rate", "100mbit", "burst", "64kb", "latency", "50ms"]
            subprocess.run(["tc", "-n", place, "qdisc", "add", "dev", link, "root", "tbf", *limit], check=True)
        agent = self.write("agent.sh", self.AGENT)
        agent.chmod(0o755)
        self.write("wave.toml", WAVE)
        options = ["--set", "time.end=0.02", "-q"]
        self.weft("run", "wave.toml", "--out", "serial", *options)
        network = f"10.77.{third}.0/24"
        mca = {"plm_rsh_agent": agent, "btl": "self,tcp", "btl_tcp_if_include": network, "oob_tcp_if_include": network}
        command = ["ip", "netns", "exec", places[0], "mpirun", "--allow-run-as-root", "--bind-to", "none"]
        for name, value in mca.items():
            command += ["--mca", name, str(value)]
        command += ["--host", ",".join(f"{address}:1" for address in addresses), "-n", "2", PROGRAM, "run"]

        def run(*arguments):
            done = subprocess.run([*command, *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=LONGEST_S)  # fmt: skip
            self.assertEqual(done.returncode, DONE, done.stderr)

        run("wave.toml", "--out", "out", *options)
        one, other = (cells_of(self.folder / name) for name in ("serial/fields_0001.vtu", "out/fields_0001.pvtu"))
        self.assertEqual(one, other)
        self.assertEqual(self.results()["ranks"]["count"], 2)
        # The messages' way changes no bit of a weak form either.
        self.write("body.toml", LOADED_CUBE)
        multigrid = ["--set", 'solver.preconditioner={ kind = "multigrid", gathered_size = 150 }', "-q"]
        self.weft_on(2, "run", "body.toml", "--out", "memory", *multigrid)
        run("body.toml", "--out", "network", *multigrid)
        files = [(self.folder / name / "fields_0000_r1.vtu").read_bytes() for name in ("memory", "network")]
        self.assertEqual(*files)


@unittest.skipUnless(HAS_MPI, "SKIPPED: the module of MPI was not built")
class Failures(RanksTest):
    """On one process: one message and its exit code, soon."""

    def setUp(self):
        super().setUp()
        self.write("wave.toml", WAVE)
        self.run = [PROGRAM, "run", "wave.toml", "--out", "out", "-q", "--set", "time.end=0.02"]
        self.start = time.monotonic()

    def tearDown(self):
        self.assertLess(time.monotonic() - self.start, ANSWER_S)
        super().tearDown()

    def test_of_the_case_are_told_once(self):
        for words, code, part in (
            (["none.toml"], WRONG_INPUT, "the case file does not exist"),
            (["wave.toml", "--set", "output.probes=[[7,0,0]]"], WRONG_INPUT, "a point outside the mesh"),
            (["wave.toml", "--device", "nothing"], SYSTEM_FAILED, "no such device"),
            (["wave.toml", "--nothing"], WRONG_INPUT, "--nothing"),
            (["wave.toml", "--tune"], WRONG_INPUT, "a search for the fastest kernels shared"),
        ):
            self.assert_one_message(self.weft_on(2, "run", *words, expect=code), part)

    def test_a_device_that_one_lacks(self):
        lacks = ["env", "OCL_ICD_VENDORS=/nonexistent", *self.run]
        done = self.mpirun((1, self.run), (1, lacks), (1, self.run), expect=SYSTEM_FAILED)
        self.assert_one_message(done, "no such device", "on rank 1")

    def test_a_place_where_one_cannot_write(self):
        # A folder lies where its piece goes.
        (self.folder / "out" / "fields_0000_r1.vtu" / "full").mkdir(parents=True)
        done = self.mpirun((3, self.run), expect=SYSTEM_FAILED)
        self.assert_one_message(done, "fields_0000_r1.vtu")

    def test_a_state_that_is_not_finite(self):
        done = self.mpirun((3, [*self.run, "--set", "time.cfl=60", "--set", "time.end=2"]), expect=NUMBERS_FAILED)
        self.assert_one_message(done, "the last good state is in out/fields.pvd")
        self.assertEqual(self.results()["outcome"]["status"], "not_converged")

    def started(self):
        """A long run, in its steps."""
        run = subprocess.Popen(mpirun_command((3, [*self.run, "--set", "time.end=1000"])), cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(run.kill)
        while run.poll() is None and not (self.folder / "out" / "checkpoint.h5").exists():
            time.sleep(0.01)
        self.assertIsNone(run.poll(), "it ended at once")
        return run

    def processes(self):
        """Those that run in the test's folder: mpirun and what it started."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if os.readlink(f"/proc/{pid}/cwd") == str(self.folder) and words[0] == os.fsencode(PROGRAM):
                    found.append(int(pid))
            except OSError:
                pass  # it has ended
        return found

    def assert_none_is_left(self):
        """mpirun may be gone a little before what it has ended is."""
        until = time.monotonic() + ANSWER_S
        while self.processes() and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(self.processes(), [])

    def test_a_process_that_is_killed_ends_the_run(self):
        run = self.started()
        os.kill(self.processes()[1], signal.SIGKILL)
        _, errors = run.communicate(timeout=ANSWER_S)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("signal 9", errors)
        self.assert_none_is_left()

    def test_an_end_that_is_asked_for_is_one_of_all(self):
        for asked in (signal.SIGTERM, signal.SIGINT):
            run = self.started()
            run.send_signal(asked)
            run.communicate(timeout=ANSWER_S)
            self.assertNotEqual(run.returncode, 0)
            self.assert_none_is_left()
            shutil.rmtree(self.folder / "out")

    def test_one_process_that_is_asked_to_end_ends_all_in_order(self):
        run = self.started()
        os.kill(self.processes()[2], signal.SIGTERM)
        _, errors = run.communicate(timeout=ANSWER_S)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertEqual(errors.count("error:"), 1, errors)
        self.assertIn("interrupted", errors)
        self.assertIn("--restart", errors)
        self.assertEqual(json.loads((self.folder / "out" / "results.json").read_text())["outcome"]["status"],
                         "interrupted")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
