"""Files of fields as other programs write them: VTK's XML formats of an unstructured grid.

Source: VTK's file formats, https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
"""

import base64
import struct
import zlib
from itertools import product

# (where arrays are, how they are encoded, type of the sizes before them, compressed or not)
ENCODINGS = {
    "text": ("inline", "ascii", "UInt32", False),
    "base64": ("inline", "base64", "UInt32", False),
    "base64 with long sizes": ("inline", "base64", "UInt64", False),
    "appended": ("appended", "raw", "UInt32", False),
    "appended, compressed": ("appended", "raw", "UInt64", True),
    "appended in base64": ("appended", "base64", "UInt64", False),
    "compressed in base64": ("inline", "base64", "UInt32", True),
    "appended in base64, compressed": ("appended", "base64", "UInt32", True),
}
FORMATS = {"Float32": "f", "Float64": "d", "Int8": "b", "UInt8": "B", "Int32": "i", "Int64": "q"}
BLOCK = 64  # bytes that are compressed together; VTK takes 32768


def encoded(values, kind, encoding):
    """The bytes of an array in the file, with the sizes before them."""
    _, how, size_type, compressed = encoding
    if how == "ascii":
        return " ".join(map(str, values)).encode()
    size = "Q" if size_type == "UInt64" else "I"
    data = struct.pack(f"={len(values)}{FORMATS[kind]}", *values)
    head = struct.pack(f"={size}", len(data))
    if not compressed:
        return base64.b64encode(head + data) if how == "base64" else head + data
    blocks = [zlib.compress(data[i : i + BLOCK]) for i in range(0, len(data), BLOCK)]
    head = struct.pack(f"={3 + len(blocks)}{size}", len(blocks), BLOCK, len(data) % BLOCK, *map(len, blocks))
    if how == "base64":  # each for itself
        return base64.b64encode(head) + base64.b64encode(b"".join(blocks))
    return head + b"".join(blocks)


def half(first):
    """Points, cells and types of the unit square from y = `first` to `first` + 0.5: triangles, and lines below."""
    points = [(x / 4, first + y / 4, 0.0) for y, x in product(range(3), range(5))]
    cells = []
    for y, x in product(range(2), range(4)):
        a, b, c, d = (5 * (y + j) + x + i for j, i in ((0, 0), (0, 1), (1, 0), (1, 1)))
        cells += [((a, b, c), 5), ((b, d, c), 5)]
    for x in range(4):
        cells.insert(3 * x, ((x, x + 1), 3))
    return points, cells


def write_vtu(path, name):
    """T = 1 + 2 x - y and v = (2 x + 1, 0, 0) at the points, the number of each cell, in an encoding of ENCODINGS."""
    encoding = ENCODINGS[name]
    where, how, size_type, compressed = encoding
    appended = b""
    compressor = 'compressor="vtkZLibDataCompressor" ' if compressed else ""
    out = b'<?xml version="1.0"?>\n<!-- by another program -->\n'
    out += f'<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" {compressor}'.encode()
    out += f'header_type="{size_type}">\n<UnstructuredGrid>\n'.encode()

    def array(name, kind, values, components=1):
        nonlocal appended
        data = encoded(values, kind, encoding)
        text = f'<DataArray type="{kind}" Name="{name}"'
        text += f' NumberOfComponents="{components}"' if components > 1 else ""
        if where == "appended":
            text += f' format="appended" offset="{len(appended)}"/>\n'
            appended += data
            return text.encode()
        form = "ascii" if how == "ascii" else "binary"
        return f'{text} format="{form}">\n'.encode() + data + b"\n</DataArray>\n"

    out += b"<FieldData>\n" + array("TimeValue", "Float64", [0.5]) + b"</FieldData>\n"
    for first in (0.0, 0.5):
        points, cells = half(first)
        offsets = [sum(len(nodes) for nodes, _ in cells[: i + 1]) for i in range(len(cells))]
        out += f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">\n'.encode()
        out += b'<PointData Scalars="T">\n'
        out += array("T", "Float32", [1 + 2 * x - y for x, y, _ in points])
        out += array("v", "Float64", [c for x, _, _ in points for c in (2 * x + 1, 0.0, 0.0)], 3)
        out += b"</PointData>\n<CellData>\n" + array("number", "Int8", list(range(len(cells)))) + b"</CellData>\n"
        out += b"<Points>\n" + array("Points", "Float32", [c for point in points for c in point], 3) + b"</Points>\n"
        out += b"<Cells>\n" + array("connectivity", "Int32", [node for nodes, _ in cells for node in nodes])
        out += array("offsets", "Int64", offsets) + array("types", "UInt8", [kind for _, kind in cells])
        out += b"</Cells>\n</Piece>\n"
    out += b"</UnstructuredGrid>\n"
    if where == "appended":
        out += f'<AppendedData encoding="{how}">\n_'.encode() + appended + b"\n</AppendedData>\n"
    path.write_bytes(out + b"</VTKFile>\n")
