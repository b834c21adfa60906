"""Tables of Python as TOML."""

import json
import re
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from .errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _key(key) -> str:
    if not isinstance(key, str):
        raise InputError(f"a key of a case that is no text: {key!r}", found=repr(key))
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value, where: str) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, np.ndarray):
        return _value(value.tolist(), where)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(entry, where) for entry in value) + "]"
    if isinstance(value, Mapping):
        entries = (f"{_key(key)} = {_value(entry, f'{where}.{key}')}" for key, entry in value.items())
        return "{ " + ", ".join(entries) + " }" if value else "{}"
    raise InputError(f"{where}: no value of a case: {value!r}", what="no value of a case", where=where,
                     found=repr(value), allowed="texts, numbers, true and false, lists and tables of these")


def toml_text(tables: Mapping) -> str:
    """Keys first, then a [table] for each mapping, whose mappings are inline."""
    lines = [f"{_key(key)} = {_value(value, str(key))}" for key, value in tables.items()
             if not isinstance(value, Mapping)]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{_key(name)}]"]
            lines += [f"{_key(key)} = {_value(value, f'{name}.{key}')}" for key, value in table.items()]
    return "\n".join(lines) + "\n"
