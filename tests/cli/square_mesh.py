"""Meshes of squares cut into triangles, for domains that no box is."""


def triangles_of(points_of_squares, group_of_edge, region_of_cell=lambda x, y: "cells"):
    """Gmsh's format 2.2: squares by their corners, counterclockwise, each cut in two. Edges that one
    square has alone, and squares, are in the groups that their middles are given."""
    numbers, cells, edges, groups = {}, [], {}, []

    def number_of(dimension, name):
        if (dimension, name) not in groups:
            groups.append((dimension, name))
        return groups.index((dimension, name)) + 1

    for corners in points_of_squares:
        a, b, c, d = (numbers.setdefault(corner, len(numbers) + 1) for corner in corners)
        region = number_of(2, region_of_cell(*((p + q) / 2 for p, q in zip(corners[0], corners[2]))))
        cells += [(region, a, b, c), (region, a, c, d)]
        for i in range(4):
            edge = (corners[i], corners[(i + 1) % 4])
            if edge[::-1] in edges:
                del edges[edge[::-1]]
            else:
                edges[edge] = (numbers[edge[0]], numbers[edge[1]])
    lines = [f"{i} 2 2 {g} {g} {a} {b} {c}" for i, (g, a, b, c) in enumerate(cells, 1)]
    for (p, q), (a, b) in edges.items():
        number = number_of(1, group_of_edge((p[0] + q[0]) / 2, (p[1] + q[1]) / 2))
        lines.append(f"{len(lines) + 1} 1 2 {number} {number} {a} {b}")
    names = [f'{dimension} {i} "{name}"' for i, (dimension, name) in enumerate(groups, 1)]
    nodes = [f"{number} {x} {y} 0" for (x, y), number in numbers.items()]
    sections = {"PhysicalNames": names, "Nodes": nodes, "Elements": lines}
    text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    for name, rows in sections.items():
        text += f"${name}\n{len(rows)}\n" + "\n".join(rows) + f"\n$End{name}\n"
    return text


def squares(n, inside):
    """Squares of the side 1/n in [-1, 1]^2 whose middles are inside."""
    for i in range(-n, n):
        for j in range(-n, n):
            if inside((i + 0.5) / n, (j + 0.5) / n):
                yield [((i + a) / n, (j + b) / n) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
