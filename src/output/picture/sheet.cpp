#include "output/picture/sheet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "output/picture/cell_pieces.h"

namespace weft {

namespace {

// The pieces of each kind of cell, made once.
class PiecesOfCells {
public:
  const CellPieces &of(const VtkCell &cell) {
    const std::pair key{cell.cell, cell.order};
    const auto found = pieces_.find(key);
    return found != pieces_.end()
               ? found->second
               : pieces_.emplace(key, make_cell_pieces(cell.cell, cell.order)).first->second;
  }

private:
  std::map<std::pair<CellType, int>, CellPieces> pieces_;
};

// Each cell has points of its own: no point is in two cells.
bool has_points_apart(const VtuGrid &grid) {
  std::vector<bool> seen(grid.num_points());
  for (const std::int64_t point : grid.connectivity) {
    if (seen[point])
      return false;
    seen[point] = true;
  }
  return true;
}

// A number for each point that is the same for points at one place.
std::vector<std::uint32_t> place_numbers(const VtuGrid &grid) {
  std::vector<std::uint32_t> numbers(grid.num_points());
  if (!has_points_apart(grid)) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<std::uint32_t>(i);
    return numbers;
  }
  double size = 0;
  for (const double x : grid.points)
    size = std::max(size, std::abs(x));
  // Places are rounded to multiples of this, away from where regular meshes have their points, so
  // that rounding errors do not part what is one.
  const double step = size > 0 ? size * 1e-8 : 1;
  std::unordered_map<std::string, std::uint32_t> known;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::string key;
    for (int d = 0; d < 3; ++d) {
      const auto rounded =
          static_cast<std::int64_t>(std::floor(grid.points[3 * i + d] / step + 0.3819660112501051));
      key.append(reinterpret_cast<const char *>(&rounded), sizeof rounded);
    }
    numbers[i] = known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second;
  }
  return numbers;
}

// A face of a cell by its corners' places: the three least, which tell faces of a mesh apart.
struct FaceOfCell {
  std::array<std::uint32_t, 3> corners{};
  std::int64_t cell = 0;
  int face = 0;
};

std::vector<FaceOfCell> faces_of(const VtuGrid &grid, PiecesOfCells &pieces) {
  const std::vector<std::uint32_t> places = place_numbers(grid);
  std::vector<FaceOfCell> faces;
  faces.reserve(4 * grid.cells.size());
  for (std::int64_t c = 0; c < grid.num_cells(); ++c) {
    const CellPieces &cell = pieces.of(grid.cells[c]);
    const std::int64_t *points = &grid.connectivity[grid.first_node(c)];
    for (std::size_t f = 0; f < cell.faces.size(); ++f) {
      std::array<std::uint32_t, 4> corners{};
      corners.fill(UINT32_MAX); // of triangles, one stays so
      const std::vector<int> &nodes = cell.faces[f].corners;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        corners[i] = places[points[nodes[i]]];
      std::sort(corners.begin(), corners.end());
      faces.push_back({{corners[0], corners[1], corners[2]}, c, static_cast<int>(f)});
    }
  }
  return faces;
}

// Those without another of the same corners, in the order of cells.
std::vector<FaceOfCell> lone_faces(std::vector<FaceOfCell> faces) {
  std::sort(faces.begin(), faces.end(),
            [](const FaceOfCell &a, const FaceOfCell &b) { return a.corners < b.corners; });
  std::vector<FaceOfCell> lone;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t end = i + 1;
    while (end < faces.size() && faces[end].corners == faces[i].corners)
      ++end;
    if (end == i + 1)
      lone.push_back(faces[i]);
    i = end;
  }
  std::sort(lone.begin(), lone.end(), [](const FaceOfCell &a, const FaceOfCell &b) {
    return std::pair(a.cell, a.face) < std::pair(b.cell, b.face);
  });
  return lone;
}

// Adds the polygon in which the plane meets a tetrahedron: a triangle, or two.
void add_cut(Sheet &sheet, const std::int64_t *points, const TetrahedronPiece &piece,
             const std::vector<double> &distance, std::int64_t cell) {
  std::vector<int> below, above;
  for (int v = 0; v < 4; ++v)
    (distance[points[piece.nodes[v]]] < 0 ? below : above).push_back(v);
  if (below.empty() || above.empty())
    return;
  // The corners lie on the edges from below to above, in turn round the polygon, so that from each
  // to the next one end stays.
  std::vector<std::array<int, 2>> edges;
  if (below.size() == 2)
    edges = {
        {below[0], above[0]}, {below[0], above[1]}, {below[1], above[1]}, {below[1], above[0]}};
  else
    for (const int b : below)
      for (const int a : above)
        edges.push_back({b, a});
  const auto first = static_cast<std::uint32_t>(sheet.vertices.size());
  const int count = static_cast<int>(edges.size());
  std::vector<bool> on_boundary; // the side from a corner to the next
  for (int i = 0; i < count; ++i) {
    const auto &[from, to] = edges[i];
    const std::int64_t a = points[piece.nodes[from]], b = points[piece.nodes[to]];
    sheet.vertices.push_back({a, b, distance[a] / (distance[a] - distance[b]), cell});
    const auto &[next_from, next_to] = edges[(i + 1) % count];
    int other = 0; // the one vertex that neither of the two edges has
    while (other == from || other == to || other == next_from || other == next_to)
      ++other;
    on_boundary.push_back((piece.boundary >> other & 1) != 0);
  }
  for (int i = 1; i + 1 < count; ++i) {
    sheet.triangles.push_back({first, first + i, first + i + 1});
    sheet.outlines.push_back(
        static_cast<std::uint8_t>((i == 1 && on_boundary[0] ? 1 : 0) | (on_boundary[i] ? 2 : 0) |
                                  (i + 2 == count && on_boundary[count - 1] ? 4 : 0)));
  }
}

} // namespace

int dimension(const VtuGrid &grid) {
  return grid.cells.empty() ? 3 : dimension(grid.cells.front().cell);
}

Sheet surface_of(const VtuGrid &grid) {
  PiecesOfCells pieces;
  std::vector<FaceOfCell> faces = faces_of(grid, pieces);
  if (dimension(grid) == 3)
    faces = lone_faces(std::move(faces));
  Sheet sheet;
  std::vector<std::uint32_t> vertex_of_node;
  for (const FaceOfCell &face : faces) {
    const FacePieces &cut = pieces.of(grid.cells[face.cell]).faces[face.face];
    const std::int64_t first = grid.first_node(face.cell);
    vertex_of_node.assign(grid.offsets[face.cell] - first, UINT32_MAX);
    for (const TrianglePiece &triangle : cut.triangles) {
      std::array<std::uint32_t, 3> corners{};
      for (int i = 0; i < 3; ++i) {
        std::uint32_t &vertex = vertex_of_node[triangle.nodes[i]];
        if (vertex == UINT32_MAX) {
          vertex = static_cast<std::uint32_t>(sheet.vertices.size());
          const std::int64_t point = grid.connectivity[first + triangle.nodes[i]];
          sheet.vertices.push_back({point, point, 0, face.cell});
        }
        corners[i] = vertex;
      }
      sheet.triangles.push_back(corners);
      sheet.outlines.push_back(triangle.outline);
    }
  }
  return sheet;
}

Sheet slice_of(const VtuGrid &grid, int axis, double position) {
  require(axis >= 0 && axis < 3, "a slice is normal to one of three axes");
  std::vector<double> distance(grid.num_points());
  for (std::size_t i = 0; i < distance.size(); ++i)
    distance[i] = grid.points[3 * i + axis] - position;
  PiecesOfCells pieces;
  Sheet sheet;
  for (std::int64_t c = 0; c < grid.num_cells(); ++c) {
    const std::int64_t *points = &grid.connectivity[grid.first_node(c)];
    const std::int64_t *end = points + (grid.offsets[c] - grid.first_node(c));
    const auto is_below = [&](std::int64_t point) { return distance[point] < 0; };
    if (std::all_of(points, end, is_below) || std::none_of(points, end, is_below))
      continue;
    for (const TetrahedronPiece &piece : pieces.of(grid.cells[c]).tetrahedra)
      add_cut(sheet, points, piece, distance, c);
  }
  return sheet;
}

} // namespace weft
