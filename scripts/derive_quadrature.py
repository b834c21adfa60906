"""Derives the symmetric quadrature rules tabulated in src/space/quadrature_tables.cpp.

A rule is a list of orbits: a weight and barycentric coordinates, taken to all its images under a
symmetry group. The moment equations are solved by a damped Gauss-Newton iteration from random
starts, kept when all points lie inside with positive weights, polished in 40 digits, and printed.
The counts of orbits follow Witherden and Vincent (2015), doi:10.1016/j.camwa.2015.03.017, and
Xiao and Gimbutas (2010), doi:10.1016/j.camwa.2009.10.027.

Usage: derive_quadrature.py (needs numpy and mpmath)
"""

import itertools
import math
import sys

import mpmath
import numpy as np

# Barycentric patterns: equal letters are equal coordinates; they sum to 1.
# Groups: "full" all permutations; "turn" cyclic turns of the first three coordinates,
# "none" single points.
RULES = [
    ("triangle", "full", 1, ["aaa"]),
    ("triangle", "full", 2, ["aab"]),
    ("triangle", "full", 4, ["aab", "aab"]),
    ("triangle", "full", 5, ["aaa", "aab", "aab"]),
    ("triangle", "full", 6, ["aab", "aab", "abc"]),
    ("triangle", "turn", 7, ["abc"] * 4),
    ("triangle", "full", 8, ["aaa", "aab", "aab", "aab", "abc"]),
    ("triangle", "full", 10, ["aaa", "aab", "aab", "abc", "abc", "abc"]),
    ("tetrahedron", "full", 1, ["aaaa"]),
    ("tetrahedron", "full", 2, ["aaab"]),
    ("tetrahedron", "none", 3, ["abcd"] * 6),
    ("tetrahedron", "turn", 4, ["aaab", "aaab", "abcd", "abcd", "abcd"]),
    ("tetrahedron", "full", 5, ["aaab", "aaab", "aabb"]),
    ("tetrahedron", "full", 6, ["aaab", "aaab", "aaab", "aabc"]),
    ("tetrahedron", "full", 7, ["aaaa", "aaab", "aabb", "aabc", "aabc"]),
    ("tetrahedron", "full", 8, ["aaab"] * 4 + ["aabb", "aabc", "aabc"]),
]


def images(pattern, group):
    """Distinct arrangements of the pattern's positions: one list of indices a point."""
    seen, result = set(), []
    n = len(pattern)
    if group == "full":
        arrangements = itertools.permutations(range(n))
    elif group == "none":
        arrangements = [tuple(range(n))]
    else:
        arrangements = [tuple((i + s) % 3 for i in range(3)) + tuple(range(3, n)) for s in range(3)]
    for p in arrangements:
        word = "".join(pattern[i] for i in p)
        if word not in seen:
            seen.add(word)
            result.append(list(p))
    return result


def free_letters(pattern):
    return sorted(set(pattern))[:-1]


def barycentric(pattern, values, one=1.0):
    """Coordinates from the free values; the last letter makes the sum 1."""
    letters = sorted(set(pattern))
    table = dict(zip(letters[:-1], values))
    rest = one - sum(table[c] * pattern.count(c) for c in letters[:-1])
    table[letters[-1]] = rest / pattern.count(letters[-1])
    return [table[c] for c in pattern]


def unpack(x, patterns):
    at, result, one = 0, [], x[0] * 0 + 1
    for pattern in patterns:
        k = len(free_letters(pattern))
        result.append((x[at], barycentric(pattern, x[at + 1:at + 1 + k], one)))
        at += 1 + k
    return result


def exponents(n, degree):
    return [e for e in itertools.product(range(degree + 1), repeat=n - 1) if sum(e) <= degree]


def exact(e):
    """Integral of a monomial over the unit simplex, times dim! (so that 1 integrates to 1)."""
    dim = len(e)
    top = math.factorial(dim)
    for k in e:
        top *= math.factorial(k)
    return top, math.factorial(sum(e) + dim)


class Moments:
    """Residuals of the moment equations, relative to the moments, and their derivatives."""

    def __init__(self, patterns, group, degree):
        self.powers = np.array(exponents(len(patterns[0]), degree))
        self.targets = np.array([exact(e)[0] / exact(e)[1] for e in map(tuple, self.powers)])
        self.orbits = []
        for pattern in patterns:
            k = len(free_letters(pattern))
            perms = np.array(images(pattern, group))
            # Coordinates are affine in the free values: origin and columns of that map.
            origin = np.array(barycentric(pattern, np.zeros(k)))
            columns = np.array([np.array(barycentric(pattern, e)) - origin for e in np.eye(k)])
            columns = columns.reshape(k, len(pattern))
            self.orbits.append((origin[perms][:, :-1], columns[:, perms][:, :, :-1]))

    def __call__(self, x):
        r, J, at = -self.targets.copy(), np.zeros((len(self.targets), len(x))), 0
        for origin, columns in self.orbits:
            k = len(columns)
            points = origin + np.tensordot(x[at + 1:at + 1 + k], columns, 1)
            factors = points[:, None, :] ** self.powers[None]
            sums = factors.prod(axis=2).sum(axis=0)
            r += x[at] * sums
            J[:, at] = sums
            for d in range(points.shape[1]):
                lowered = np.maximum(self.powers[:, d] - 1, 0)
                slope = factors.copy()
                slope[:, :, d] = self.powers[None, :, d] * points[:, None, d] ** lowered[None]
                slope = slope.prod(axis=2)
                J[:, at + 1:at + 1 + k] += x[at] * slope.T @ columns[:, :, d].T
            at += 1 + k
        return r / self.targets, J / self.targets[:, None]


def solve(patterns, group, degree, rng, tries=3000):
    f = Moments(patterns, group, degree)
    num_points = sum(len(images(p, group)) for p in patterns)
    for _ in range(tries):
        x = []
        for pattern in patterns:
            x.append(1 / num_points)
            letters = sorted(set(pattern))
            values = rng.dirichlet(np.ones(len(letters)))
            x += [v / pattern.count(c) for v, c in zip(values, letters)][:-1]
        x = np.array(x, dtype=float)
        damping = 1.0
        r, J = f(x)
        for _ in range(120):
            A = J.T @ J + damping * np.eye(len(x))
            step = np.linalg.solve(A, -J.T @ r)
            r_new, J_new = f(x + step)
            if np.linalg.norm(r_new) < np.linalg.norm(r):
                x, r, J, damping = x + step, r_new, J_new, damping * 0.2
            else:
                damping *= 5
            if np.linalg.norm(r) < 1e-10 or damping > 1e6:
                break
        if np.linalg.norm(r) > 1e-8:
            continue
        if min(min(w * num_points, *c) for w, c in unpack(x, patterns)) > 1e-3:
            return x
    return None


def polish(x, patterns, group, degree):
    """Gauss-Newton in 40 digits, on the equations summed over the images."""
    mpmath.mp.dps = 40
    orbits = [images(p, group) for p in patterns]
    powers = exponents(len(patterns[0]), degree)

    def f(v):
        values = []
        rule = unpack(v, patterns)
        for e in powers:
            top, bottom = exact(e)
            s = -mpmath.mpf(top) / bottom
            for (weight, c), perms in zip(rule, orbits):
                for p in perms:
                    term = weight
                    for k, i in zip(e, p):
                        term *= c[i] ** k
                    s += term
            values.append(s)
        return values

    v = [mpmath.mpf(float(a)) for a in x]
    for _ in range(4):
        r = f(v)
        h = mpmath.mpf(10) ** -20
        J = mpmath.matrix(len(r), len(v))
        for j in range(len(v)):
            w = list(v)
            w[j] += h
            rj = f(w)
            for i in range(len(r)):
                J[i, j] = (rj[i] - r[i]) / h
        # The smallest step: rules with fewer equations than unknowns have a family of solutions.
        Jn = np.array(J.tolist(), dtype=float)
        step = np.linalg.lstsq(Jn, np.array([float(a) / float(max(map(abs, r)) or 1) for a in r]), rcond=1e-10)[0]
        m = max(map(abs, r)) or mpmath.mpf(1)
        v = [a - mpmath.mpf(float(s)) * m for a, s in zip(v, step)]
    return v, max(map(abs, f(v)))


def main():
    rng = np.random.default_rng(20)
    only = sys.argv[1:]
    for cell, group, degree, patterns in RULES:
        if only and f"{cell}{degree}" not in only:
            continue
        x = solve(patterns, group, degree, rng)
        if x is None:
            print(f"// {cell} {degree}: no rule found", file=sys.stderr)
            continue
        v, error = polish(x, patterns, group, degree)
        points = sum(len(images(p, group)) for p in patterns)
        print(f"    // {cell}, degree {degree}, {points} points (moments to {float(error):.0e}).")
        print(f"    {{{degree}, Symmetry::{group}, {{")
        for weight, coordinates in unpack(v, patterns):
            text = ", ".join(mpmath.nstr(a, 17) for a in coordinates)
            print(f"      {{{mpmath.nstr(weight, 17)}, {{{text}}}}},")
        print("    }},", flush=True)


if __name__ == "__main__":
    main()
