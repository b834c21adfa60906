#include "mesh/build/second_order.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace weft {

namespace {

std::vector<std::vector<int>> make_supports(CellType cell) {
  std::vector<std::vector<int>> supports;
  for (int e = 0; e < num_edges(cell); ++e) {
    const auto edge = edge_vertices(cell, e);
    supports.push_back({edge[0], edge[1]});
  }
  if (dimension(cell) == 3)
    for (int f = 0; f < num_facets(cell); ++f)
      if (facet_type(cell, f) == CellType::quadrilateral) {
        const auto face = facet_vertices(cell, f);
        supports.emplace_back(face.begin(), face.end());
      }
  if (cell == CellType::quadrilateral || cell == CellType::hexahedron) {
    supports.emplace_back(num_vertices(cell));
    std::iota(supports.back().begin(), supports.back().end(), 0);
  }
  return supports;
}

std::vector<int> sorted(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values;
}

} // namespace

const std::vector<std::vector<int>> &second_order_supports(CellType cell) {
  static const auto table = [] {
    std::array<std::vector<std::vector<int>>, 8> all;
    for (int c = 1; c < 8; ++c)
      all[c] = make_supports(static_cast<CellType>(c));
    return all;
  }();
  return table[static_cast<int>(cell)];
}

int num_geometry_nodes(CellType cell, int order) {
  return num_vertices(cell) +
         (order == 2 ? static_cast<int>(second_order_supports(cell).size()) : 0);
}

std::vector<int> node_permutation(CellType cell, std::span<const int> vertices,
                                  const std::vector<std::vector<int>> &supports) {
  std::vector<int> permutation(vertices.begin(), vertices.end());
  if (supports.empty())
    return permutation;
  for (const auto &ours : second_order_supports(cell)) {
    std::vector<int> wanted;
    for (int v : ours)
      wanted.push_back(vertices[v]);
    const auto found = std::find_if(supports.begin(), supports.end(), [&](const auto &theirs) {
      return sorted(theirs) == sorted(wanted);
    });
    require(found != supports.end(), "every node of order 2 has its counterpart");
    permutation.push_back(num_vertices(cell) + static_cast<int>(found - supports.begin()));
  }
  return permutation;
}

std::vector<int> facet_geometry_nodes(CellType cell, int facet, int order) {
  const auto vertices = facet_vertices(cell, facet);
  std::vector<int> nodes(vertices.begin(), vertices.end());
  if (order == 1)
    return nodes;
  const auto &of_cell = second_order_supports(cell);
  for (const auto &on_facet : second_order_supports(facet_type(cell, facet))) {
    std::vector<int> wanted;
    for (int v : on_facet)
      wanted.push_back(vertices[v]);
    const auto found = std::find_if(of_cell.begin(), of_cell.end(), [&](const auto &support) {
      return sorted(support) == sorted(wanted);
    });
    require(found != of_cell.end(), "a node of a facet is a node of its cell");
    nodes.push_back(num_vertices(cell) + static_cast<int>(found - of_cell.begin()));
  }
  return nodes;
}

std::vector<int> mirror_permutation(CellType cell, int order) {
  std::vector<int> vertices;
  switch (cell) {
  case CellType::point:
    vertices = {0};
    break;
  case CellType::interval:
    vertices = {1, 0};
    break;
  case CellType::triangle:
    vertices = {0, 2, 1};
    break;
  case CellType::quadrilateral:
    vertices = {0, 3, 2, 1};
    break;
  case CellType::tetrahedron:
    vertices = {0, 2, 1, 3};
    break;
  case CellType::pyramid:
    vertices = {0, 3, 2, 1, 4};
    break;
  case CellType::prism:
    vertices = {0, 2, 1, 3, 5, 4};
    break;
  case CellType::hexahedron:
    vertices = {0, 3, 2, 1, 4, 7, 6, 5};
    break;
  }
  if (order == 1)
    return vertices;
  return node_permutation(cell, vertices, second_order_supports(cell));
}

} // namespace weft
