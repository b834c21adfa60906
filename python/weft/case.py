"""Cases in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _weft
from .errors import InputError
from .mesh import Mesh
from .toml_text import toml_text


class Case:
    """A case that is no file: its tables as keywords or in a mapping, as docs/reference/case.md has them.

        weft.Case(mesh=weft.Mesh(points, {"triangle": cells}), fields={"u": {"element": "P1"}},
                  weak_form={"cells": {"all": "inner(grad(u), grad(test(u))) - test(u)"}})

    mesh: a Mesh, or the table [mesh]; what else the table says of a Mesh goes into the mapping:
    Case({"mesh": {"order": 2}}, mesh=mesh). directory: what relative paths begin at.
    `text` is the case file that Weft reads, in which its errors name lines.
    """

    text: str
    mesh: Mesh | None
    directory: str

    def __init__(self, tables: Mapping[str, Any] | None = None, /, *, directory: str | os.PathLike[str] = ".",
                 **more: Any):
        given, more = dict(tables or {}), dict(more)
        self.mesh = None
        for of in (given, more):
            if isinstance(of.get("mesh"), Mesh):
                self.mesh = of.pop("mesh")
        self.text = toml_text({**given, **more})
        self.directory = os.fspath(directory)

    @classmethod
    def from_text(cls, text: str, *, mesh: Mesh | None = None, directory: str | os.PathLike[str] = ".") -> Case:
        """Of the text of a case file. A mesh takes the place of the file or box of its [mesh]."""
        case = cls.__new__(cls)
        case.text, case.mesh, case.directory = text, mesh, os.fspath(directory)
        return case

    def __repr__(self) -> str:
        return f"Case.from_text({self.text!r}, mesh={self.mesh!r})"

    def _of_library(self) -> _weft.CaseText:
        mesh = None if self.mesh is None else self.mesh._arrays()
        return _weft.CaseText(self.text, self.directory, "case", mesh)


def source_of(case: str | os.PathLike[str] | Case | Mapping[str, Any]) -> str | _weft.CaseText:
    """What the library makes a problem of."""
    if isinstance(case, Mapping):
        case = Case(case)
    if isinstance(case, Case):
        return case._of_library()
    if isinstance(case, str) and "\n" in case:
        raise InputError("a text of several lines is no path of a case file",
                         what="a text of several lines is no path of a case file",
                         remedy="weft.Case.from_text(text) for the text of a case")
    return os.fspath(case)
