"""Python's lock is released, its exceptions and signals come through solves, and threads do not meet in one problem."""

import gc
import os
import signal
import threading
import time
import unittest
import weakref

import numpy as np
import weft
from small_cases import DECAY, SLAB, changed, problem


class Ticks:
    """A thread that notes the time again and again: it only can while nobody holds Python's lock."""

    def __enter__(self):
        self.times, self.ended = [], False
        self.thread = threading.Thread(target=self.tick)
        self.thread.start()
        return self

    def tick(self):
        while not self.ended:
            self.times.append(time.perf_counter())
            time.sleep(1e-4)

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()

    def during(self, call):
        """How often it ran while the call did."""
        begin = time.perf_counter()
        call()
        end = time.perf_counter()
        return sum(begin < at < end for at in self.times)


class Lock(unittest.TestCase):
    def test_long_calls_release_it(self):
        cube = changed(SLAB, "mesh", box={"size": [1, 1, 1], "cells": [24, 24, 24], "cell": "tetrahedron"})
        made = []
        with Ticks() as ticks:
            # Held, a call would let through what switches threads before and after it.
            self.assertGreater(ticks.during(lambda: made.append(problem(cube))), 20)
            p = made.pop()
            self.assertGreater(ticks.during(p.solve), 20)
            u, out = p.state.copy(), np.empty(p.num_dofs)
            calls = {
                "residual": lambda: p.residual(u, out=out),
                "apply": lambda: p.apply(u, out=out),
                "precondition": lambda: p.precondition(u, out=out),
            }
            p.preconditioner()
            A = p.jacobian().csr()
            M = weft.Multigrid(A, threads=1)
            calls["apply of Multigrid"] = lambda: M.apply(u, out=out)
            calls["solve of Multigrid"] = lambda: M.solve(u)
            calls["set-up of Multigrid"] = lambda: M.update(A)
            for name, call in calls.items():
                with self.subTest(name):
                    self.assertGreater(sum(ticks.during(call) > 0 for _ in range(20)), 10)


class Cycles(unittest.TestCase):
    def test_a_callback_that_has_its_problem_keeps_it_from_no_collection(self):
        def watched():
            p = problem(DECAY)
            p.on_step(lambda step: p.functional("mean"))
            p.solve()
            return weakref.ref(p)

        alive = watched()
        gc.collect()
        self.assertIsNone(alive())


class Callbacks(unittest.TestCase):
    def test_look_at_each_step_and_read_the_problem(self):
        p = problem(DECAY)
        seen = []
        p.on_step(lambda step: seen.append((step.number, p.functional("mean"), p.state[0])))
        p.solve()
        factor = (1 - 0.0625) / (1 + 0.0625)
        self.assertEqual([number for number, _, _ in seen], list(range(9)))
        for number, mean, first in seen:
            self.assertAlmostEqual(mean, factor**number, places=9)
            self.assertAlmostEqual(first, factor**number, places=9)
        p.on_step(None)
        p.solve()
        self.assertEqual(len(seen), 9)

    def test_exceptions_come_out_of_the_solve(self):
        p = problem(DECAY)

        def stop(step):
            if step.number == 3:
                raise LookupError("enough")

        p.on_step(stop)
        with self.assertRaisesRegex(LookupError, "enough"):
            p.solve()
        p.on_step(None)
        self.assertTrue(p.solve().converged)  # it is whole

    def test_changes_during_a_solve_are_refused(self):
        p = problem(DECAY)
        u = p.state.copy()
        for change in (p.reset, p.solve, p.step, lambda: p.parameters.update(rate=2), lambda: p.residual(u)):
            p.on_step(lambda step, change=change: change())
            with self.assertRaisesRegex(weft.InputError, "a change during a solve"):
                p.solve()
        p.on_step(None)
        self.assertTrue(p.solve().converged)


class Signals(unittest.TestCase):
    LONG = changed(DECAY, "time", end=1000, step=0.001)

    def interrupted(self, call):
        """Seconds from the signal of Ctrl-C to the end of the call."""
        sent = []

        def send():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(0.3, send)
        try:
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                call()
            return time.perf_counter() - sent[0]
        finally:
            timer.join()
            signal.signal(signal.SIGINT, before)

    def test_end_a_solve_between_steps(self):
        p = problem(self.LONG)
        self.assertLess(self.interrupted(p.solve), 20)  # a million steps take minutes
        self.assertLess(p.time, 1000)

    # So ill that conjugate gradients go on as long as they are let to.
    ILL = {
        "mesh": {"box": {"size": [1000, 1], "cells": [400, 400], "cell": "quadrilateral"}},
        "parameters": {"k": "exp(10*sin(40*x)*sin(40*y))"},
        "fields": {"T": {"element": "P1"}},
        "weak_form": {"cells": {"all": "k*inner(grad(T), grad(test(T))) - test(T)"}},
        "dirichlet": {"x0": {"T": 0}},
        "solver": {"method": "cg", "preconditioner": "none", "tolerance": 1e-14, "max_iterations": 100000000},
    }

    def test_end_a_stationary_solve_between_iterations(self):
        p = problem(self.ILL)
        self.assertLess(self.interrupted(p.solve), 20)
        # The request is over with it.
        self.assertTrue(problem(SLAB).solve().converged)

    def test_end_a_solve_of_multigrid(self):
        A = problem(self.ILL).jacobian().csr()
        M = weft.Multigrid(A, threads=1)
        b = np.sin(np.arange(A.shape[0]))
        self.assertLess(self.interrupted(lambda: M.solve(b, tol=1e-300, max_iterations=10**9)), 20)

    def test_a_handler_that_raises_nothing_leaves_a_solve_that_did_not_converge(self):
        p, calls = problem(self.LONG), []
        before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        try:
            timer.start()
            solution = p.try_solve()
        finally:
            timer.join()
            signal.signal(signal.SIGINT, before)
        self.assertEqual(calls, [1])
        self.assertIn("interrupted by SIGINT", solution.reason)
        self.assertFalse(solution.converged)

    def test_handlers_are_what_they_were_after_a_solve(self):
        before = signal.getsignal(signal.SIGINT)
        problem(SLAB).solve()
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        with self.assertRaises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


class TwoThreads(unittest.TestCase):
    def test_the_second_is_told(self):
        p = problem(DECAY)
        inside, go_on = threading.Event(), threading.Event()

        def look(step):
            inside.set()
            go_on.wait(60)

        p.on_step(look)
        thread = threading.Thread(target=p.solve)
        thread.start()
        try:
            self.assertTrue(inside.wait(60))
            for call in (lambda: p.residual(np.zeros(p.num_dofs)), lambda: p.functional("mean")):
                with self.assertRaisesRegex(weft.InputError, "another thread is using this object"):
                    call()
        finally:
            go_on.set()
            thread.join()
        self.assertAlmostEqual(p.functional("mean"), ((1 - 0.0625) / (1 + 0.0625)) ** 8, places=9)

    def test_several_problems_in_several_threads(self):
        means = {}

        def solve(rate):
            means[rate] = problem(DECAY, parameters={"rate": rate}).solve()["mean"]

        threads = [threading.Thread(target=solve, args=(rate,)) for rate in (1.0, 2.0, 4.0)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for rate in (1.0, 2.0, 4.0):
            self.assertAlmostEqual(means[rate], ((1 - rate / 16) / (1 + rate / 16)) ** 8, places=8)


if __name__ == "__main__":
    unittest.main()
