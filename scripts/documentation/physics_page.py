"""docs/reference/physics.md, from the files in physics/."""

import re
import tomllib

from documentation.markdown_table import markdown_table


def head(text):
    """(title, text) of the comment that a file opens with."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return lines[0], "\n".join(lines[1:]).strip("\n")


def as_toml(value):
    """As it stands in the file, but for the layout."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {as_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def cases_by_physics(root):
    found = {}
    for case in sorted(root.glob("cases/*/case.toml")):
        for name in tomllib.loads(case.read_text()).get("physics", []):
            found.setdefault(name, []).append(case.parent.name)
    return found


def section(path, cases):
    """Of one file."""
    text = path.read_text()
    data = tomllib.loads(text)
    title, rest = head(text)
    lines = [f"## {path.stem}", "", f"{title}.", "", "```text", rest, "```", ""]
    if data.get("physics"):
        lines += ["With the equations of " + ", ".join(f"[{name}](#{name})" for name in data["physics"]) + ".", ""]
    if data.get("fields"):
        lines += markdown_table(["field", "element", "shape"],
                                [[f"`{name}`", field.get("element", ""), field.get("shape", "scalar")]
                                 for name, field in data["fields"].items()])
    if data.get("parameters"):
        lines += markdown_table(["parameter", "unless the case says another"],
                                [[f"`{name}`", f"`{as_toml(value)}`"] for name, value in data["parameters"].items()])
    if cases:
        lines += ["Cases: " + ", ".join(f"[{case}](../../cases/{case}/README.md)" for case in cases) + ".", ""]
    return lines


def flux_section(path):
    title, rest = head(path.read_text())
    return [f"### {path.stem}", "", f"{title}.", "", *(["```text", rest, "```", ""] if rest else [])]


def pages(root):
    cases = cases_by_physics(root)
    lines = ["# Physics files", "",
             "Written by `scripts/generate_docs` from the heads of the files in `physics/`.",
             "A case names them, `physics = [\"heat\"]`, and says what differs: parameters, elements, boundary terms.",
             "A key of the case takes the place of the same key of the file.", ""]
    for path in sorted(root.glob("physics/*.toml")):
        lines += section(path, cases.get(path.stem, []))
    lines += ["## Numerical fluxes", "",
              "`numerical_flux = \"NAME\"` in `[conservation_law]` takes one of these, files of `physics/flux/`.", ""]
    for path in sorted(root.glob("physics/flux/*.toml")):
        lines += flux_section(path)
    page = re.sub(r"\n+\Z", "\n", "\n".join(lines))
    return {"docs/reference/physics.md": page}
