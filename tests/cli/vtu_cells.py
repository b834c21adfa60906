"""Fields of VTU and PVTU files by cell, for tests that compare them whatever the order of cells."""

import re
import struct
from pathlib import Path

SIZES = {"Float64": 8, "Int64": 8, "Int32": 4, "UInt8": 1}


def arrays_of(path):
    """{section: {name: (type, components, bytes)}} of a .vtu file that Weft wrote."""
    data = Path(path).read_bytes()
    head, _, appended = data.partition(b'<AppendedData encoding="raw">\n_')
    sections = {}
    for section in ("PointData", "CellData", "Points", "Cells"):
        text = re.search(f"<{section}>(.*?)</{section}>", head.decode(), re.DOTALL).group(1)
        arrays = sections[section] = {}
        for kind, name, components, offset in re.findall(
            r'<DataArray type="(\w+)" Name="([^"]*)" NumberOfComponents="(\d+)" '
            r'format="appended" offset="(\d+)"/>', text):  # fmt: skip
            at = int(offset)
            (size,) = struct.unpack_from("=Q", appended, at)
            arrays[name] = (kind, int(components), appended[at + 8 : at + 8 + size])
    return sections


def tuples(array):
    kind, components, data = array
    size = SIZES[kind] * components
    return [data[i : i + size] for i in range(0, len(data), size)]


def add_cells(path, cells):
    sections = arrays_of(path)
    offsets = memoryview(sections["Cells"]["offsets"][2]).cast("q")
    nodes = memoryview(sections["Cells"]["connectivity"][2]).cast("q")
    points = tuples(sections["Points"]["Points"])
    at_points = {name: tuples(array) for name, array in sections["PointData"].items()}
    of_cells = {name: tuples(array) for name, array in sections["CellData"].items()}
    begin = 0
    for cell, end in enumerate(offsets):
        own = nodes[begin:end]
        place = b"".join(points[n] for n in own)
        assert place not in cells, f"{path}: a cell that was there already"
        cells[place] = {name: b"".join(values[n] for n in own) for name, values in at_points.items()}
        cells[place] |= {name: values[cell] for name, values in of_cells.items()}
        begin = end


def cells_of(path):
    """{places of a cell's points: {field: bytes of its values}}, of all pieces of a .pvtu file."""
    path, cells = Path(path), {}
    pieces = [path]
    if path.suffix == ".pvtu":
        pieces = [path.parent / name for name in re.findall(r'<Piece Source="([^"]+)"/>', path.read_text())]
        assert pieces, f"{path} has no pieces"
    for piece in pieces:
        add_cells(piece, cells)
    return cells
