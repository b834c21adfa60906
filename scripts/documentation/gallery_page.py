"""docs/gallery/README.md, from cases/README.md (which subjects, in which order) and cases/*/README.md."""

import re

PICTURE = re.compile(r"^!\[([^\]]*)\]\(([\w./-]+)\)$", re.MULTILINE)
CODE = re.compile(r"(?:^    .*\n(?:\n(?=    ))*)+", re.MULTILINE)


def card(folder):
    """(what leads to the case, its section) of the gallery."""
    text = (folder / "README.md").read_text()
    name = folder.name
    title = re.match(r"# (.*)\n", text)[1]
    first = re.match(r"# .*\n\n(.*)\n", text)[1]
    blocks = [block.rstrip("\n") for block in CODE.findall(text)]
    commands = [line for block in blocks for line in block.splitlines() if line.strip().startswith("weft run ")]
    equation = next(block for block in blocks if not block.strip().startswith("weft "))
    picture = PICTURE.search(text)
    at = f"../../cases/{name}"
    lead = [f'<a href="#{name}"><img src="{at}/{picture[2]}" width="180" alt="{title}"></a>'] if picture else []
    return lead, [
        f"### {name}", "", f"**[{title}]({at}/README.md)**: {first}", "",
        *([f"![{picture[1]}]({at}/{picture[2]})", ""] if picture else []),
        equation, "", "```sh", commands[0].strip(), "```", ""]


def pages(root):
    wall, sections = [], []
    for line in (root / "cases" / "README.md").read_text().splitlines():
        if line.startswith("## "):
            sections += [line, ""]
        elif named := re.match(r"\| \[`(\w+)`\]", line):
            lead, section = card(root / "cases" / named[1])
            wall += lead
            sections += section
    text = ["# Gallery", "",
            "Written by `scripts/generate_docs` from the README.md of each case; "
            "`scripts/draw_cases` draws the pictures anew from results.",
            "Each case has values that it must reach, with their source, and the tests run it; "
            "[the list of cases](../../cases/README.md) says what each is compared with.", "",
            *wall, "", *sections]
    return {"docs/gallery/README.md": "\n".join(text).rstrip("\n") + "\n"}
