// A mesh of two cell types and two regions, as a file.
#pragma once

#include <initializer_list>
#include <string>

namespace weft {

// A strip of n squares in two rows as an MSH file: quadrilaterals on the left, triangles on the
// right; physical lines x0 and x1. Physical surfaces: the quadrilaterals and the upper triangles
// are "soft", the lower triangles "hard".
inline std::string mixed_mesh_text(int n) {
  std::string nodes, elements;
  int num_elements = 0;
  const auto node = [&](int i, int j) { return j * (n + 1) + i + 1; };
  const auto add = [&](int type, int group, std::initializer_list<int> of) {
    elements += std::to_string(++num_elements) + " " + std::to_string(type) + " 2 " +
                std::to_string(group) + " 1";
    for (const int number : of)
      elements += " " + std::to_string(number);
    elements += "\n";
  };
  for (int j = 0; j <= 2; ++j)
    for (int i = 0; i <= n; ++i)
      nodes += std::to_string(node(i, j)) + " " + std::to_string(i / double(n) + 0.01 * j * j) +
               " " + std::to_string(0.3 * j + 0.02 * (i % 3)) + " 0\n";
  for (int j = 0; j < 2; ++j) {
    add(1, 1, {node(0, j + 1), node(0, j)});
    add(1, 2, {node(n, j), node(n, j + 1)});
    for (int i = 0; i < n; ++i)
      if (2 * i < n) {
        add(3, 3, {node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)});
      } else {
        add(2, 4 - j, {node(i, j), node(i + 1, j), node(i + 1, j + 1)});
        add(2, 4 - j, {node(i, j), node(i + 1, j + 1), node(i, j + 1)});
      }
  }
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"x0\"\n1 2 \"x1\"\n2 3 "
         "\"soft\"\n2 4 \"hard\"\n$EndPhysicalNames\n$Nodes\n" +
         std::to_string(3 * (n + 1)) + "\n" + nodes + "$EndNodes\n$Elements\n" +
         std::to_string(num_elements) + "\n" + elements + "$EndElements\n";
}

} // namespace weft
