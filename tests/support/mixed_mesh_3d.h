// A mesh of hexahedra, prisms and tetrahedra, as a file.
#pragma once

#include <array>
#include <initializer_list>
#include <string>

namespace weft {

// A row of n slices along y as an MSH file, each a hexahedron, two prisms beside it and, upon the
// prisms, two tetrahedra. Physical volumes: the hexahedra are "soft", the others "hard"; physical
// surface y0: the first hexahedron's.
inline std::string mixed_mesh_3d_text(int n) {
  std::string nodes, elements;
  int num_elements = 0;
  const auto add = [&](int type, int group, std::initializer_list<int> of) {
    elements += std::to_string(++num_elements) + " " + std::to_string(type) + " 2 " +
                std::to_string(group) + " 1";
    for (const int number : of)
      elements += " " + std::to_string(number);
    elements += "\n";
  };
  // Six a layer between slices, bent a little; then the tips of the tetrahedra.
  const auto node = [](int i, int j, int k) { return 6 * j + 2 * i + k + 1; };
  const auto tip = [&](int j) { return 6 * (n + 1) + j + 1; };
  const auto add_node = [&](int number, const std::array<double, 3> &x) {
    nodes += std::to_string(number) + " " + std::to_string(x[0] + 0.02 * x[1] * x[2]) + " " +
             std::to_string(x[1]) + " " + std::to_string(x[2] + 0.03 * x[0] * x[0]) + "\n";
  };
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 2; ++k)
        add_node(node(i, j, k), {0.5 * i, 0.4 * j, 0.6 * k});
  for (int j = 0; j < n; ++j)
    add_node(tip(j), {0.75, 0.4 * j + 0.2, 1.0});
  add(3, 1, {node(0, 0, 0), node(1, 0, 0), node(1, 0, 1), node(0, 0, 1)});
  for (int j = 0; j < n; ++j) {
    const auto at = [&](int i, int back, int k) { return node(i, j + back, k); };
    add(5, 2,
        {at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), at(0, 0, 1), at(1, 0, 1), at(1, 1, 1),
         at(0, 1, 1)});
    add(6, 3, {at(1, 0, 0), at(2, 0, 0), at(2, 1, 0), at(1, 0, 1), at(2, 0, 1), at(2, 1, 1)});
    add(6, 3, {at(1, 0, 0), at(2, 1, 0), at(1, 1, 0), at(1, 0, 1), at(2, 1, 1), at(1, 1, 1)});
    add(4, 3, {at(1, 0, 1), at(2, 0, 1), at(2, 1, 1), tip(j)});
    add(4, 3, {at(1, 0, 1), at(2, 1, 1), at(1, 1, 1), tip(j)});
  }
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"y0\"\n3 2 \"soft\"\n3 3 "
         "\"hard\"\n$EndPhysicalNames\n$Nodes\n" +
         std::to_string(6 * (n + 1) + n) + "\n" + nodes + "$EndNodes\n$Elements\n" +
         std::to_string(num_elements) + "\n" + elements + "$EndElements\n";
}

} // namespace weft
