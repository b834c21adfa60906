"""Finds a conductivity and a film coefficient from two measured temperatures, by an optimiser of PyTorch.

Functionals of a problem are a function of PyTorch's of its parameters: one solve, and an adjoint solve for the
gradient of each functional (docs/guide/accuracy.md), whatever the number of parameters.

    python3 inverse_heat_transfer.py
"""

import torch
import weft
from torch.autograd.function import once_differentiable

# A wall, heated on one side with q and cooled by a film on the other.
WALL = {
    "mesh": {"box": {"size": [0.2, 0.1], "cells": [20, 10], "cell": "quadrilateral"}},
    "parameters": {"k": 2.0, "h": 30.0, "q": 100.0, "T_air": 15.0},
    "fields": {"T": {"element": "P1"}},
    "weak_form": {
        "cells": {"all": "k*inner(grad(T), grad(test(T)))"},
        "facets": {"x0": "-q*test(T)", "x1": "h*(T - T_air)*test(T)"},
    },
    "functionals": {"T_hot": {"average": "T", "facets": "x0"}, "T_cold": {"average": "T", "facets": "x1"}},
    "solver": {"tolerance": 1e-12},
}

# By hand, T_cold = 15 + 100/h and T_hot = T_cold + 100*0.2/k: of k = 0.8 W/(m K) and h = 10 W/(m2 K).
MEASURED = {"T_hot": 50.0, "T_cold": 25.0}


class Functionals(torch.autograd.Function):
    """[functional] of values [parameter] of a problem; `parameters` and `functionals` are the names."""

    @staticmethod
    def forward(ctx, values, problem, parameters, functionals):
        solution = problem.solve(dict(zip(parameters, values.tolist())))
        if ctx.needs_input_grad[0]:  # now, since the problem may have another solution later
            gradients = [problem.gradient(name, parameters) for name in functionals]
            ctx.save_for_backward(values.new_tensor([[of_one[p] for p in parameters] for of_one in gradients]))
        return values.new_tensor([solution[name] for name in functionals])

    @staticmethod
    @once_differentiable
    def backward(ctx, of_functionals):
        (gradients,) = ctx.saved_tensors
        return of_functionals @ gradients, None, None, None


def fit(problem, parameters, measured):
    """[parameter]: values with which the functionals are what was measured, from those of the problem."""
    target = torch.tensor(list(measured.values()), dtype=torch.float64)
    start = torch.tensor([problem.parameters[name] for name in parameters], dtype=torch.float64)
    logs = start.log().requires_grad_()  # positive, and of one size
    optimiser = torch.optim.LBFGS([logs], max_iter=100, tolerance_grad=1e-9, tolerance_change=1e-14,
                                  line_search_fn="strong_wolfe")  # fmt: skip

    def misfit():
        optimiser.zero_grad()
        found = Functionals.apply(logs.exp(), problem, parameters, list(measured))
        loss = ((found - target) ** 2).sum()
        loss.backward()
        return loss

    optimiser.step(misfit)
    return logs.detach().exp()


if __name__ == "__main__":
    k, h = fit(weft.Problem(WALL, settable=["k", "h"]), ["k", "h"], MEASURED)
    print(f"k = {k:.6f} W/(m K), h = {h:.5f} W/(m2 K)")
