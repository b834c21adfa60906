// A mesh whose two regions meet on a named curve, as a file.
#pragma once

#include <initializer_list>
#include <string>

namespace weft {

// A strip of four squares, each of two triangles, as an MSH file. Physical surfaces: "left",
// "right", two squares each; physical curves: "joint" between them, "end" at the right end.
inline std::string joint_mesh_text() {
  std::string nodes, elements;
  int num_elements = 0;
  const auto node = [](int i, int j) { return j * 5 + i + 1; };
  const auto add = [&](int type, int group, std::initializer_list<int> of) {
    elements += std::to_string(++num_elements) + " " + std::to_string(type) + " 2 " +
                std::to_string(group) + " 1";
    for (const int number : of)
      elements += " " + std::to_string(number);
    elements += "\n";
  };
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 5; ++i)
      nodes += std::to_string(node(i, j)) + " " + std::to_string(0.5 * i) + " " +
               std::to_string(0.5 * j) + " 0\n";
  add(1, 1, {node(2, 0), node(2, 1)});
  add(1, 2, {node(4, 0), node(4, 1)});
  for (int i = 0; i < 4; ++i) {
    add(2, i < 2 ? 3 : 4, {node(i, 0), node(i + 1, 0), node(i + 1, 1)});
    add(2, i < 2 ? 3 : 4, {node(i, 0), node(i + 1, 1), node(i, 1)});
  }
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"joint\"\n1 2 \"end\"\n"
         "2 3 \"left\"\n2 4 \"right\"\n$EndPhysicalNames\n$Nodes\n10\n" +
         nodes + "$EndNodes\n$Elements\n" + std::to_string(num_elements) + "\n" + elements +
         "$EndElements\n";
}

} // namespace weft
