"""docs/coverage.md, from the list in tests/coverage/examples.csv."""

import csv
from collections import Counter

from documentation.markdown_table import markdown_table

FAMILIES = {
    "diffusion": "Diffusion and potentials",
    "nonlinear": "Non-linear diffusion, obstacles",
    "plates": "Equations of fourth order",
    "elasticity": "Linear elasticity",
    "hyperelasticity": "Large deformation",
    "coupled": "Coupled fields, porous bodies",
    "flow": "Stokes and incompressible flow",
    "time": "Heat and phases in time",
    "reaction": "Reactions, ordinary differential equations",
    "transport": "Transport, scalar laws",
    "compressible": "Gas, magnetised fluids, systems of laws",
    "waves": "Waves",
    "electromagnetics": "Electromagnetism",
    "mixed": "H(div) and H(curl)",
    "eigen": "Eigenproblems",
    "control": "Optimisation, adjoints",
    "adaptive": "Adaptive meshes",
    "interface": "Interfaces, contact, surfaces",
}
STATUSES = ("runs", "detour", "lacks")

INTRODUCTION = """\
# Examples of other packages

Written by `scripts/generate_docs` from `tests/coverage/examples.csv`.

Can Weft solve what the tutorials of other packages solve?
This page goes through {examples} examples, from {packages} collections, that solve partial (or, a few, ordinary)
differential equations, and says for each what it takes here:

- **runs**: in a case file as it stands, with the equation as the example has it;
- **detour**: the same problem in another way, which the table names;
- **lacks**: not, and for want of what.

Where a case is named, it solves the same equation with the same kinds of materials and conditions.
Mesh and numbers are our own, and the tests hold it to a known solution, a published value or a balance.
The {cases} cases judge {tested} of the {solved} examples that run or take a detour.
The others are judged by their ingredients alone: each is in the language and tested somewhere, but their
combination was not run.

What counts is the problem: an example that is there to show a solver or a way to call a library runs where its
equation does.
Where the method is the point, such as a mesh that adapts, and there is none, it is lacking.
Examples that solve no equation, or repeat another one, are left out; of PETSc, Trixi and FreeFEM it is a selection.

```sh
weft run tests/coverage/diffusion/unit_load/case.toml --expect
```
"""


def read(root):
    with (root / "tests" / "coverage" / "examples.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def folder_of(case):
    """A case of its own, or one of cases/."""
    return case if case.startswith("cases/") else f"tests/coverage/{case}"


def counted(examples):
    counts = Counter(example["status"] for example in examples)
    return [*(counts[status] or "" for status in STATUSES), len(examples),
            sum(bool(example["case"]) for example in examples) or ""]


def line(example):
    how = " ".join(filter(None, ("" if example["status"] == "runs" else f"{example['status']}:", example["note"])))
    case = example["case"]
    name = case.rsplit("/", 1)[-1]
    return [example["package"], f"`{example['example']}`", example["problem"], how or "runs",
            f"[{name}](../{folder_of(case)}/case.toml)" if case else ""]


def pages(root):
    examples = read(root)
    heads = ["run", "by a detour", "lack something", "examples", "with a case"]
    solved = [example for example in examples if example["status"] != "lacks"]
    lines = [INTRODUCTION.format(
        examples=len(examples), packages=len({example["package"] for example in examples}),
        cases=len({example["case"] for example in examples if example["case"]}),
        tested=sum(bool(example["case"]) for example in solved), solved=len(solved))]
    lines += ["## By family", ""]
    of_family = {family: [] for family in FAMILIES}
    for example in examples:
        of_family[example["family"]].append(example)
    anchors = {family: title.lower().replace(",", "").replace("(", "").replace(")", "").replace(" ", "-")
               for family, title in FAMILIES.items()}
    rows = [[f"[{title}](#{anchors[family]})", *counted(of_family[family])] for family, title in FAMILIES.items()]
    lines += markdown_table(["family", *heads], [*rows, ["**all**", *counted(examples)]])
    lines += ["## By package", ""]
    lines += markdown_table(["package", *heads], [
        [package, *counted([example for example in examples if example["package"] == package])]
        for package in sorted({example["package"] for example in examples}, key=str.lower)])
    lines += ["## What is lacking", ""]
    wants = Counter(example["note"] for example in examples if example["status"] == "lacks")
    lines += markdown_table(["what", "examples"], sorted(wants.items(), key=lambda want: (-want[1], want[0].lower())))
    for family, title in FAMILIES.items():
        lines += [f"## {title}", ""]
        lines += markdown_table(["package", "example", "problem", "here", "case"], map(line, of_family[family]))
    return {"docs/coverage.md": "\n".join(lines).rstrip("\n") + "\n"}
