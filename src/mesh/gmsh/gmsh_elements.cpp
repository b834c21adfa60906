#include "mesh/gmsh/gmsh_elements.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "mesh/build/second_order.h"

namespace weft {

namespace {

using Supports = std::vector<std::vector<int>>;

GmshElementType make_type(int number, CellType cell, const Supports &supports) {
  std::vector<int> vertices(num_vertices(cell)); // the same as ours
  std::iota(vertices.begin(), vertices.end(), 0);
  return {number, cell, supports.empty() ? 1 : 2, node_permutation(cell, vertices, supports)};
}

// Where the further nodes of order 2 sit, from Gmsh's reference manual, "Node ordering".
std::vector<GmshElementType> make_types() {
  const Supports line = {{0, 1}};
  const Supports triangle = {{0, 1}, {1, 2}, {2, 0}};
  const Supports quadrilateral = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1, 2, 3}};
  const Supports tetrahedron = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
  const Supports pyramid = {{0, 1}, {0, 3}, {0, 4}, {1, 2},      {1, 4},
                            {2, 3}, {2, 4}, {3, 4}, {0, 3, 2, 1}};
  const Supports prism = {{0, 1}, {0, 2}, {0, 3}, {1, 2},       {1, 4},       {2, 5},
                          {3, 4}, {3, 5}, {4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}};
  const Supports hexahedron = {{0, 1},
                               {0, 3},
                               {0, 4},
                               {1, 2},
                               {1, 5},
                               {2, 3},
                               {2, 6},
                               {3, 7},
                               {4, 5},
                               {4, 7},
                               {5, 6},
                               {6, 7},
                               {0, 3, 2, 1},
                               {0, 1, 5, 4},
                               {0, 4, 7, 3},
                               {1, 2, 6, 5},
                               {2, 3, 7, 6},
                               {4, 5, 6, 7},
                               {0, 1, 2, 3, 4, 5, 6, 7}};
  return {make_type(15, CellType::point, {}),
          make_type(1, CellType::interval, {}),
          make_type(2, CellType::triangle, {}),
          make_type(3, CellType::quadrilateral, {}),
          make_type(4, CellType::tetrahedron, {}),
          make_type(5, CellType::hexahedron, {}),
          make_type(6, CellType::prism, {}),
          make_type(7, CellType::pyramid, {}),
          make_type(8, CellType::interval, line),
          make_type(9, CellType::triangle, triangle),
          make_type(10, CellType::quadrilateral, quadrilateral),
          make_type(11, CellType::tetrahedron, tetrahedron),
          make_type(12, CellType::hexahedron, hexahedron),
          make_type(13, CellType::prism, prism),
          make_type(14, CellType::pyramid, pyramid)};
}

const std::vector<GmshElementType> &types() {
  static const auto table = make_types();
  return table;
}

} // namespace

const GmshElementType *find_gmsh_element(std::int64_t number) {
  const auto found = std::find_if(types().begin(), types().end(),
                                  [&](const auto &type) { return type.number == number; });
  return found == types().end() ? nullptr : &*found;
}

const GmshElementType &gmsh_element(CellType cell, int order) {
  const auto found = std::find_if(types().begin(), types().end(), [&](const auto &type) {
    return type.cell == cell && (type.order == order || cell == CellType::point);
  });
  require(found != types().end(), "Gmsh has every cell type of orders 1 and 2");
  return *found;
}

} // namespace weft
