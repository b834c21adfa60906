"""Small cases whose solutions are known, for the tests of the Python package."""

import copy

import weft

# Heat through a slab: T = (q/k) x, which elements of order 1 have exactly.
SLAB = {
    "mesh": {"box": {"size": [1, 0.5], "cells": [6, 3], "cell": "triangle"}},
    "parameters": {"k": 2.0, "q": 3.0, "b": [1.0, 0.0]},
    "fields": {"T": {"element": "P1"}},
    "weak_form": {"cells": {"all": "k*inner(grad(T), grad(test(T)))"}, "facets": {"x1": "-q*test(T)"}},
    "dirichlet": {"x0": {"T": 0}},
    "functionals": {"T_max": {"maximum": "T"}, "flux": {"average": "k*grad(T)"}},
}

# Not linear, and of order 2.
CUBIC = {
    "mesh": {"box": {"size": [1, 2], "cells": [4, 5], "cell": "triangle"}},
    "fields": {"u": {"element": "P2"}},
    "weak_form": {"cells": {"all": "inner(grad(u), grad(test(u))) + u**3*test(u) - test(u)"}},
    "dirichlet": {"x0": {"u": 1}},
    "functionals": {"mean": {"average": "u"}},
}

# du/dt = -rate u, which the trapezoidal rule multiplies by (1 - rate h/2)/(1 + rate h/2) a step.
DECAY = {
    "mesh": {"box": {"size": [1, 1], "cells": [2, 2], "cell": "quadrilateral"}},
    "parameters": {"rate": 1.0},
    "fields": {"u": {"element": "P1"}},
    "weak_form": {"cells": {"all": "dt(u)*test(u) + rate*u*test(u)"}},
    "initial": {"u": 1},
    "time": {"scheme": "theta", "theta": 0.5, "end": 1, "step": 0.125},
    "functionals": {"mean": {"average": "u"}},
}

# Two components, symmetric.
ELASTIC = {
    "physics": ["elasticity_plane_strain"],
    "mesh": {"box": {"size": [1, 1], "cells": [4, 4], "cell": "quadrilateral"}},
    "parameters": {"E": 1.0, "nu": 0.3},
    "dirichlet": {"x0": {"u": [0, 0]}},
}


def problem(tables, **options):
    return weft.Problem(tables, **{"threads": 1, **options})


def changed(tables, name, **values):
    """The case with other values in one table."""
    tables = copy.deepcopy(tables)
    tables[name] = {**tables.get(name, {}), **values}
    return tables
