"""docs/performance/: a page for each kind of machine, from the tables in bench/results and the lines
about them in bench/results/README.md."""

import csv
import json
import re
from statistics import median

from documentation.markdown_table import markdown_table


def count(text):
    return f"{float(text):,.0f}"


def scaled(factor, digits):
    return lambda text: f"{factor * float(text):.{digits}f}" if text else ""


def plain(text):
    return text


def percent(text):
    return f"{100 * float(text):.0f}%" if text else ""


def ns_a_row(record):
    return f"{1e9 * float(record['seconds']) / float(record['rows']):.2f}"


def share_of_reading(record):
    """By all bytes that the kernel moves; `fraction` of the table is by the paper's count of them."""
    return percent(float(record["fraction"]) * float(record["moved_bytes"]) / float(record["bytes"]))


def of_peak(record):
    return f"{float(record['gflops']):.0f} ({float(record['peak_gflops']):.0f})"


def of_bandwidth(record):
    return f"{float(record['gbps']):.1f} ({float(record['stream_gbps']):.0f})"


def all_of(records):
    return records


def those(**values):
    """Records with these values."""
    return lambda records: [record for record in records if all(record[key] == value for key, value in values.items())]


def timed(records):
    return [record for record in records if record["seconds"]]


def longest(records):
    """Of linalg.csv: one vector at a time, each block at its largest length, beyond the caches."""
    found = {}
    for record in those(systems="1")(records):
        key = record["block"], record["storage"]
        if key not in found or float(record["unknowns"]) > float(found[key]["unknowns"]):
            found[key] = record
    return list(found.values())


RESIDUALS = [("form", "form", plain), ("cell", "cell", plain), ("element", "element", plain),
             ("precision", "precision", plain), ("M cells/s", "cells_per_s", scaled(1e-6, 0)),
             ("GFlop/s (multiply-add peak)", of_peak, None), ("GB/s (bandwidth)", of_bandwidth, None)]
PREDICTED = ("predicted over measured", "predicted_over_measured", scaled(1, 2))
STAGES = [("law", "form", plain), ("order", "order", plain), ("precision", "precision", plain),
          ("ns a scalar dof", "ns_per_dof", scaled(1, 2)), ("GFlop/s (multiply-add peak)", of_peak, None),
          ("GB/s (bandwidth)", of_bandwidth, None), ("of limit", "fraction", percent)]
NEIGHBOURS = [("cells", "rows", count), ("order", "order", plain), ("kernel", "kernel", plain),
              ("precision", "precision", plain), ("ns a cell", ns_a_row, None),
              ("GB/s of reading", "stream_gbps", scaled(1, 0)), ("its share", share_of_reading, None), PREDICTED]

# What of a table is shown: the end of its path; a title; the records; columns, each a heading and a key
# with its format, or a function of the record.
TABLES = [
    ("model_xeon_2_cores.csv", "Residuals, tuned", all_of,
     [*RESIDUALS, PREDICTED, ("limit", "bound", plain)]),
    ("table2.csv", "Residuals of Knepley, Rupp and Terrel's table 2", timed,
     [*RESIDUALS[:4], ("work", "work", plain), ("blocks a batch", "blocks_a_batch", plain),
      ("batches a chunk", "batches_a_chunk", plain), *RESIDUALS[4:],
      ("disturbed", "disturbed", lambda text: "busy" if text == "true" else "")]),
    ("integration.csv", "Element matrices", all_of,
     [("form", "form", plain), ("cell", "cell", plain), ("loop order", "loop_order", plain),
      ("ns a cell", "ns_a_cell", scaled(1, 2)), ("of limit, the paper's count", "paper_fraction", percent),
      ("of limit, our count", "own_fraction", percent), ("timed", "timed", plain),
      ("of candidates", "candidates", plain)]),
    ("assembly.csv", "Assembly into CSR, the pattern known", those(fastest="true"),
     [*RESIDUALS[:5], ("pattern, s", "pattern_s", scaled(1, 2)), ("entries", "entries", count)]),
    ("dg.csv", "Stages of discontinuous Galerkin", those(stage="fused"), STAGES),
    ("dg_whole.csv", "Stages of discontinuous Galerkin with whole reference matrices", those(stage="fused"), STAGES),
    ("meshes.csv", "Sums over neighbours of cells", all_of, NEIGHBOURS),
    ("linalg.csv", "Vectors and matrices, beyond the caches", longest,
     [("block", "block", plain), ("stored in", "storage", plain), ("unknowns", "unknowns", count),
      ("GB/s (bandwidth)", of_bandwidth, None), ("over f64", "speedup_over_f64", scaled(1, 2))]),
    ("linalg_jacobi.csv", "Jacobi's iteration by precision", all_of,
     [("problem", "problem", plain), ("method", "method", plain), ("iterations", "iterations", count),
      ("over f64", "iterations_of_f64", scaled(1, 2)), ("residual", "residual", lambda text: f"{float(text):.1e}"),
      ("reached", "reached", lambda text: "yes" if text == "true" else "no")]),
]
RUNS = [("setup_s", scaled(1, 2)), ("solve_s", scaled(1, 2)), ("total_s", scaled(1, 2)), ("iterations", count),
        ("residual", lambda text: f"{float(text):.1e}")]


def csv_table(root, path):
    for name, title, chosen, columns in TABLES:
        if path.name == name:
            rows = [[form(record[key]) if form else key(record) for _, key, form in columns]
                    for record in chosen(list(csv.DictReader(path.open())))]
            return [f"## {title}", "", f"`{path.relative_to(root)}`", "",
                    *markdown_table([head for head, _, _ in columns], rows)]
    return []


def runs_table(title, runs, source):
    """Medians of runs by the solver's name."""
    rows = [[name, *(form(median(run[key] for run in of_name)) for key, form in RUNS)]
            for name, of_name in runs.items()]
    heads = ["solver", "set-up, s", "solve, s", "both, s", "iterations", "relative residual"]
    return [f"## {title}", "", f"`{source}`, medians of {min(map(len, runs.values()))} runs in turn", "",
            *markdown_table(heads, rows)]


def json_tables(path):
    data = json.loads(path.read_text())
    source = f"bench/results/{path.name}"
    if path.name.startswith("hypre_"):
        runs = {name: runs for name, runs in data.items() if isinstance(runs, list) and "setup_s" in runs[0]}
        unknowns = next(iter(runs.values()))[0]["rows"]
        return runs_table(f"Multigrid beside hypre, {unknowns:,} unknowns", runs, source)
    lines = []
    for problem in data.get("problems", []) if path.name.startswith("stokes_") else []:
        runs = {f"{name}: {of_name[0]['name']}": of_name for name, of_name in problem["runs"].items() if of_name}
        lines += runs_table(f"Stokes flow beside PETSc, {problem['unknowns']:,} unknowns", runs, source)
    return lines


def records(root):
    """(machine, files, cells of its line) of each line in bench/results/README.md."""
    for line in (root / "bench/results/README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| `") else []
        if len(cells) < 5 or not re.match(r"20\d\d-", cells[1]):
            continue
        folder, files = "", []
        for name in re.findall(r"`([^`]+)`", cells[0]):
            folder = name.rpartition("/")[0] or folder
            files.append(f"{folder}/{name.rpartition('/')[2]}" if folder else name)
        yield re.match(r"\w+ \([\w ]+", cells[3])[0] + ")", files, cells


def paths_of(root, names):
    """The files that a line is about: tables and pictures."""
    for name in names:
        path = root / "bench/results" / name
        if path.is_dir():
            yield from sorted(path.iterdir())
        else:
            yield from [path] if path.suffix in (".csv", ".json") else [path.with_suffix(".csv")]


def machine_page(root, machine, lines):
    text = [f"# {machine}", "",
            "Written by `scripts/generate_docs` from `bench/results`.",
            "Two cores of a machine whose memory and last cache others share: compare only what was timed together.",
            "",
            *markdown_table(["table", "date", "commit", "machine", "command"], [cells[:5] for _, cells in lines])]
    paths = list(dict.fromkeys(path for names, _ in lines for path in paths_of(root, names)))
    for path in paths:
        text += json_tables(path) if path.suffix == ".json" else csv_table(root, path) if path.suffix == ".csv" else []
    pictures = sorted(picture for folder in {path.parent for path in paths} if folder.name != "results"
                      for picture in folder.glob("*.svg"))
    if pictures:
        text += ["## Pictures", ""]
        for picture in pictures:
            of = f"{picture.parent.name}/{picture.name}"
            text += [f"`{of}`", "", f"![{picture.stem}](../../bench/results/{of})", ""]
    return "\n".join(text).rstrip("\n") + "\n"


def file_name(machine):
    return re.sub(r"\W+", "_", machine.lower()).strip("_") + ".md"


def pages(root):
    by_machine = {}
    for machine, files, cells in records(root):
        by_machine.setdefault(machine, []).append((files, cells))
    return {f"docs/performance/{file_name(machine)}": machine_page(root, machine, lines)
            for machine, lines in by_machine.items()}
