"""docs/reference/command_line.md, from what the program says with --help."""

import os
import re
import subprocess


def help_of(program, *command):
    # In a window of fixed width and without settings of whoever asks.
    done = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True,
                          env={**os.environ, "COLUMNS": "80"})
    return done.stdout.rstrip().replace(str(program), "weft")


def sub_commands(text):
    """Names below the heading of sub-commands."""
    _, _, listed = re.sub(r"\033\[[\d;]*m", "", text).partition("ommands:\n")
    return re.findall(r"^  ([a-z][\w-]*)", listed, re.MULTILINE)


def sections(program, *command):
    text = help_of(program, *command)
    name = " ".join(["weft", *command])
    yield from [f"{'#' * (2 + (len(command) > 1))} {name}", "", "```text", text, "```", ""]
    for sub in sub_commands(text):
        yield from sections(program, *command, sub)


def pages(program):
    text = ["# Command line", "", "Written by `scripts/generate_docs` from `weft COMMAND --help`.", "",
            *sections(program)]
    return {"docs/reference/command_line.md": "\n".join(text).rstrip("\n") + "\n"}
