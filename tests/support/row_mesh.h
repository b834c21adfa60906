// A mesh with a group of facets inside.
#pragma once

#include <string>

#include <fmt/format.h>

namespace weft {

// A row of squares as an MSH file, with the group of lines between them.
inline std::string row_text(int n, const std::string &group = "between") {
  std::string nodes, elements;
  for (int i = 0; i <= n; ++i)
    nodes += fmt::format("{} {} 0 0\n{} {} 1 0\n", 2 * i + 1, i, 2 * i + 2, i);
  for (int i = 0; i < n; ++i)
    elements +=
        fmt::format("{} 3 2 2 1 {} {} {} {}\n", i + 1, 2 * i + 1, 2 * i + 3, 2 * i + 4, 2 * i + 2);
  for (int i = 1; i < n; ++i)
    elements += fmt::format("{} 1 2 1 1 {} {}\n", n + i, 2 * i + 1, 2 * i + 2);
  return fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"{}\"\n2 2 "
                     "\"plate\"\n$EndPhysicalNames\n$Nodes\n{}\n{}$EndNodes\n$Elements\n{}\n{}"
                     "$EndElements\n",
                     group, 2 * n + 2, nodes, 2 * n - 1, elements);
}

} // namespace weft
